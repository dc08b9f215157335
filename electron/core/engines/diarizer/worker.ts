import { SAMPLE_RATE } from '../../base/audio.ts';
import { handleTask, type LoadEngine } from '../worker/protocol.ts';
import { loadSherpa, loadSpeakerEngine, RecordingDiarizer, type Sherpa } from './recording-diarizer.ts';
import type {
  DiarizationModels,
  diarizeChunkTask,
  diarizeEndTask,
  TrySpeakerModelInput,
  trySpeakerModelTask,
} from './tasks.ts';

/**
 * Five seconds of quiet noise. Not a constant: every worker process loads this module, and would spend a part of its start on
 * the sines of such large numbers.
 */
const quietNoise = (): Float32Array =>
  Float32Array.from({ length: 5 * SAMPLE_RATE }, (_, index) => Math.sin(index * index) / 100);

const tryModel = async (sherpa: Sherpa, { part, path, counterpart }: TrySpeakerModelInput): Promise<null> => {
  const [segmentation, embedding] = part === 'segmentation' ? [path, counterpart] : [counterpart, path];
  const engine = await loadSpeakerEngine(sherpa, { segmentation, embedding });
  const samples = quietNoise();
  engine.turnsIn(samples);
  if (engine.embed([samples]).some((value) => !Number.isFinite(value))) {
    throw new Error('The embedding holds values that are not finite numbers.');
  }
  return null;
};

/** Loads sherpa-onnx. A process serves the chunks of one recording, or the trial of one model. */
export const loadDiarizer: LoadEngine = () => {
  const sherpa = loadSherpa();
  let recording: Promise<RecordingDiarizer> | undefined;
  const recordingWith = (models: DiarizationModels): Promise<RecordingDiarizer> => {
    recording ??= loadSpeakerEngine(sherpa, models).then((engine) => new RecordingDiarizer(engine, models));
    return recording;
  };
  return {
    handlers: [
      handleTask<typeof trySpeakerModelTask>('trySpeakerModel', (input) => tryModel(sherpa, input)),
      handleTask<typeof diarizeChunkTask>('diarizeChunk', async ({ models, pcm }) => {
        (await recordingWith(models)).add(pcm);
        return null;
      }),
      handleTask<typeof diarizeEndTask>('diarizeEnd', async ({ models, speakers }) =>
        (await recordingWith(models)).finish(speakers),
      ),
    ],
  };
};
