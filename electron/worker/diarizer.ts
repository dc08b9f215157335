import { SAMPLE_RATE } from '../core/base/audio.ts';
import { loadSherpa } from '../core/engines/diarizer/sherpa.ts';
import type { DiarizerTask } from '../core/engines/diarizer/types.ts';
import type { TaskResult, WorkerTask } from '../core/engines/whisper/protocol.ts';
import { Diarization } from './diarization.ts';
import type { Port } from './port.ts';

/** Twelve seconds of quiet noise: more than one window of the models that find turns. */
const TRIAL = Float32Array.from({ length: 12 * SAMPLE_RATE }, (_, index) => Math.sin(index * index) / 100);

/** Loads a model and lets it work. The library ends the process over a file that it cannot use. */
const tryModel = ({ part, path, beside }: Extract<DiarizerTask, { kind: 'trySpeakerModel' }>): null => {
  const sherpa = loadSherpa();
  const [segmentation, embedding] = part === 'segmentation' ? [path, beside] : [beside, path];
  new sherpa.OfflineSpeakerDiarization({
    segmentation: { pyannote: { model: segmentation }, numThreads: 1 },
    embedding: { model: embedding, numThreads: 1 },
    clustering: { numClusters: -1, threshold: 0.5 },
    minDurationOn: 0.3,
    minDurationOff: 0.5,
  }).process(TRIAL);
  if (part === 'segmentation') return null;
  const extractor = new sherpa.SpeakerEmbeddingExtractor({ model: path, numThreads: 1 });
  const stream = extractor.createStream();
  stream.acceptWaveform({ samples: TRIAL, sampleRate: SAMPLE_RATE });
  stream.inputFinished();
  if (extractor.compute(stream, false).some((value) => !Number.isFinite(value))) {
    throw new Error('The model gives numbers that are none.');
  }
  return null;
};

/** Serves one recording, then ends when it is told to. */
export const serveDiarizer = (port: Port): void => {
  let diarization: Diarization | undefined;
  const perform = (task: WorkerTask): TaskResult => {
    switch (task.kind) {
      case 'trySpeakerModel':
        return tryModel(task);
      case 'diarizePiece':
        diarization ??= new Diarization(task.models);
        diarization.add(task.pcm);
        return null;
      case 'diarizeEnd':
        diarization ??= new Diarization(task.models);
        return diarization.finish(task.speakers);
      default:
        throw new Error('This process tells speakers apart, and nothing else.');
    }
  };
  port.onMessage((message) => {
    if (message.type === 'stop') process.exit(0);
    if (message.type !== 'run') return;
    try {
      port.send({ type: 'done', id: message.id, result: perform(message.task) });
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      port.send({ type: 'failed', id: message.id, code: 'engine_failed', message: text });
    }
  });
};
