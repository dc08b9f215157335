import { concatSamples, SAMPLE_RATE } from '../../base/audio.ts';
import { AppError } from '../../base/errors.ts';
import type { MediaEngine } from '../../engines/ffmpeg/types.ts';
import type { WhisperEngine } from '../../engines/whisper/engine.ts';

export type BenchmarkDeps = {
  readonly media: Pick<MediaEngine, 'decodeChunks'>;
  readonly engine: Pick<WhisperEngine, 'transcribe' | 'concurrency'>;
  /** The path of a short bundled recording. */
  readonly sample: string;
};

/** The options that transcriptions use, so that they are as fast as measured. */
type Decoding = { readonly modelPath: string; readonly beamSize: number };

export type Benchmark = {
  /** Seconds of audio transcribed. */
  readonly seconds: number;
  /** Seconds it took, without loading the model. */
  readonly elapsed: number;
  /** Times real time. */
  readonly speed: number;
};

/** The bundled recording. Throws `decode_failed`. */
export const decodeSample = async ({
  media,
  sample,
}: Pick<BenchmarkDeps, 'media' | 'sample'>): Promise<Float32Array> => {
  const chunks: Float32Array[] = [];
  for await (const { pcm } of media.decodeChunks({ kind: 'file', path: sample }).chunks) chunks.push(pcm);
  const pcm = concatSamples(chunks);
  if (pcm.length < SAMPLE_RATE) throw new AppError('decode_failed', 'The sample recording is empty.');
  return pcm;
};

/**
 * Measures how many times faster than real time a model is on this machine. Transcribes the sample as often as chunks run
 * at once in a long recording, all at once.
 */
export const measureSpeed = async (
  deps: BenchmarkDeps,
  { modelPath, beamSize }: Decoding,
): Promise<Benchmark> => {
  const sample = await decodeSample(deps);
  const { engine } = deps;
  const transcribe = (pcm: Float32Array) =>
    engine.transcribe({ modelPath, pcm, params: { beamSize, language: 'en' } });
  // Load the model first: a long recording waits for that only once.
  await transcribe(sample.slice(0, SAMPLE_RATE));
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: engine.concurrency }, () => transcribe(sample)));
  const elapsed = (performance.now() - startedAt) / 1000;
  const seconds = (sample.length / SAMPLE_RATE) * engine.concurrency;
  return { seconds, elapsed, speed: seconds / elapsed };
};
