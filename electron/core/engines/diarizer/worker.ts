import { SAMPLE_RATE } from '../../base/audio.ts';
import { handleTask, type LoadEngine } from '../worker/protocol.ts';
import { RecordingDiarizer } from './recording-diarizer.ts';
import { loadSherpa, type Sherpa } from './sherpa.ts';
import type { diarizeChunkTask, diarizeEndTask, TrySpeakerModelInput, trySpeakerModelTask } from './tasks.ts';

/**
 * Twelve seconds of quiet noise: more than one window of the segmentation models. Not a constant: every worker process loads
 * this module, and would spend a third of its start on the sines of such large numbers.
 */
const quietNoise = (): Float32Array =>
  Float32Array.from({ length: 12 * SAMPLE_RATE }, (_, index) => Math.sin(index * index) / 100);

const tryModel = (sherpa: Sherpa, { part, path, counterpart }: TrySpeakerModelInput): null => {
  const [segmentation, embedding] = part === 'segmentation' ? [path, counterpart] : [counterpart, path];
  const samples = quietNoise();
  new sherpa.OfflineSpeakerDiarization({
    segmentation: { pyannote: { model: segmentation }, numThreads: 1 },
    embedding: { model: embedding, numThreads: 1 },
    clustering: { numClusters: -1, threshold: 0.5 },
    minDurationOn: 0.3,
    minDurationOff: 0.5,
  }).process(samples);
  if (part === 'segmentation') return null;
  const extractor = new sherpa.SpeakerEmbeddingExtractor({ model: path, numThreads: 1 });
  const stream = extractor.createStream();
  stream.acceptWaveform({ samples, sampleRate: SAMPLE_RATE });
  stream.inputFinished();
  if (extractor.compute(stream, false).some((value) => !Number.isFinite(value))) {
    throw new Error('The embedding holds values that are not finite numbers.');
  }
  return null;
};

/** Loads sherpa-onnx. A process serves the chunks of one recording, or the trial of one model. */
export const loadDiarizer: LoadEngine = () => {
  const sherpa = loadSherpa();
  let recording: RecordingDiarizer | undefined;
  return {
    handlers: [
      handleTask<typeof trySpeakerModelTask>('trySpeakerModel', (input) => tryModel(sherpa, input)),
      handleTask<typeof diarizeChunkTask>('diarizeChunk', ({ models, pcm }) => {
        recording ??= new RecordingDiarizer(sherpa, models);
        recording.add(pcm);
        return null;
      }),
      handleTask<typeof diarizeEndTask>('diarizeEnd', ({ models, speakers }) => {
        recording ??= new RecordingDiarizer(sherpa, models);
        return recording.finish(speakers);
      }),
    ],
  };
};
