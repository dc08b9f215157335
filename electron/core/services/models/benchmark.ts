import { AppError } from '../../base/errors.ts';
import type { MediaEngine } from '../../engines/ffmpeg/types.ts';
import type { WhisperEngine } from '../../engines/whisper/index.ts';

export type BenchmarkDeps = {
  readonly media: Pick<MediaEngine, 'decodePieces'>;
  readonly engine: Pick<WhisperEngine, 'transcribe' | 'statesSideBySide'>;
  /** A short recording that comes with the program. */
  readonly sample: string;
  readonly beamSize: () => number;
};

export type Benchmark = {
  /** Seconds of audio recognised. */
  readonly seconds: number;
  /** Seconds it took, without the loading of the model. */
  readonly elapsed: number;
  /** Times real time. */
  readonly speed: number;
};

const SAMPLE_RATE = 16_000;

const samplesOf = async ({ media, sample }: BenchmarkDeps): Promise<Float32Array> => {
  const pieces: Float32Array[] = [];
  for await (const { pcm } of media.decodePieces({ kind: 'file', path: sample }).pieces) pieces.push(pcm);
  const whole = new Float32Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  if (whole.length < SAMPLE_RATE) throw new AppError('decode_failed', 'The sample recording is empty.');
  return whole;
};

/**
 * How many times faster than real time a model is here: the sample is recognised as often as pieces run side by
 * side in a real transcription, all at once, because that is how a long recording is worked on.
 */
export const measureSpeed = async (deps: BenchmarkDeps, modelPath: string): Promise<Benchmark> => {
  const pcm = await samplesOf(deps);
  const { engine } = deps;
  const params = { beamSize: deps.beamSize(), language: 'en' };
  // Loads the model, which a long recording waits for only once.
  await engine.transcribe({ modelPath, pcm: pcm.slice(0, SAMPLE_RATE), params });
  const begun = performance.now();
  await Promise.all(
    Array.from({ length: engine.statesSideBySide }, () => engine.transcribe({ modelPath, pcm, params })),
  );
  const elapsed = (performance.now() - begun) / 1000;
  const seconds = (pcm.length / SAMPLE_RATE) * engine.statesSideBySide;
  return { seconds, elapsed, speed: seconds / elapsed };
};
