import { SAMPLE_RATE } from '../../base/audio.ts';
import { AppError } from '../../base/errors.ts';
import type { MediaEngine } from '../../engines/ffmpeg/types.ts';
import { audioContextFor } from '../../engines/whisper/audio-context.ts';
import type { WhisperEngine } from '../../engines/whisper/engine.ts';

export type BenchmarkDeps = {
  readonly media: Pick<MediaEngine, 'decodeChunks'>;
  readonly engine: Pick<WhisperEngine, 'transcribe' | 'concurrency'>;
  /** A short recording that comes with the program. */
  readonly sample: string;
};

/** As transcriptions have it, so that they are as fast as what was measured. */
type Decoding = { readonly modelPath: string; readonly beamSize: number; readonly fitWindow: boolean };

export type Benchmark = {
  /** Seconds of audio recognised. */
  readonly seconds: number;
  /** Seconds it took, without the loading of the model. */
  readonly elapsed: number;
  /** Times real time. */
  readonly speed: number;
};

const samplesOf = async ({ media, sample }: BenchmarkDeps): Promise<Float32Array> => {
  const pieces: Float32Array[] = [];
  for await (const { pcm } of media.decodeChunks({ kind: 'file', path: sample }).chunks) pieces.push(pcm);
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
export const measureSpeed = async (
  deps: BenchmarkDeps,
  { modelPath, beamSize, fitWindow }: Decoding,
): Promise<Benchmark> => {
  const whole = await samplesOf(deps);
  const { engine } = deps;
  const recognise = (pcm: Float32Array) => {
    const audioContext = fitWindow ? audioContextFor(pcm.length) : 0;
    return engine.transcribe({ modelPath, pcm, params: { beamSize, language: 'en', audioContext } });
  };
  // Loads the model, which a long recording waits for only once.
  await recognise(whole.slice(0, SAMPLE_RATE));
  const begun = performance.now();
  await Promise.all(Array.from({ length: engine.concurrency }, () => recognise(whole)));
  const elapsed = (performance.now() - begun) / 1000;
  const seconds = (whole.length / SAMPLE_RATE) * engine.concurrency;
  return { seconds, elapsed, speed: seconds / elapsed };
};
