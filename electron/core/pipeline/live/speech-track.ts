import { SAMPLE_RATE, toSamples, toSeconds } from '../../base/audio.ts';
import type { Span } from '../../engines/ffmpeg/types.ts';
import { FRAME_SAMPLES, speechSpans } from '../recognition/speech-map.ts';

/** The detector has a memory, and judges quiet audio by what is around it: it hears this much of what is known again. Frames. */
const CONTEXT_FRAMES = 64;
/** The newest frames are judged again when more audio shows what follows them. */
const PROVISIONAL_FRAMES = 16;
/** How much longer than needed the memory grows at a time; samples. */
const SPARE = 10 * SAMPLE_RATE;

/** How likely each 512 samples are speech. */
type DetectSpeech = (pcm: Float32Array) => Promise<Float32Array>;

/** The newest part of a growing recording, and where somebody speaks in it. Times are seconds from the recording's beginning. */
export class SpeechTrack {
  readonly #detect: DetectSpeech;
  #samples = new Float32Array(SPARE);
  #length = 0;
  /** The number of the first sample that is kept: a multiple of a frame. */
  #first = 0;
  /** Of the frames from the first kept sample on. */
  #probabilities: number[] = [];

  constructor(detect: DetectSpeech) {
    this.#detect = detect;
  }

  get start(): number {
    return toSeconds(this.#first);
  }

  get end(): number {
    return toSeconds(this.#first + this.#length);
  }

  push(pcm: Float32Array): void {
    if (this.#length + pcm.length > this.#samples.length) {
      const samples = new Float32Array(this.#length + pcm.length + SPARE);
      samples.set(this.#samples.subarray(0, this.#length));
      this.#samples = samples;
    }
    this.#samples.set(pcm, this.#length);
    this.#length += pcm.length;
  }

  /** Listens to what came since the last call, and returns the spans of speech in all that is kept. */
  async speech(): Promise<Span[]> {
    const frames = Math.floor(this.#length / FRAME_SAMPLES);
    const known = Math.max(0, this.#probabilities.length - PROVISIONAL_FRAMES);
    if (frames > this.#probabilities.length) {
      const from = Math.max(0, known - CONTEXT_FRAMES);
      const heard = await this.#detect(this.#samples.slice(from * FRAME_SAMPLES, frames * FRAME_SAMPLES));
      this.#probabilities = [...this.#probabilities.slice(0, known), ...heard.subarray(known - from)];
    }
    const seconds = toSeconds(this.#probabilities.length * FRAME_SAMPLES);
    return speechSpans(Float32Array.from(this.#probabilities), seconds).map(({ start, end }) => ({
      start: this.start + start,
      end: this.start + end,
    }));
  }

  /** The samples between two times; a copy, for the memory moves on. */
  cut(start: number, end: number): Float32Array {
    return this.#samples.slice(
      toSamples(start - this.start),
      Math.min(this.#length, toSamples(end - this.start)),
    );
  }

  /** Forgets whole frames before `time`. */
  forgetBefore(time: number): void {
    const samples = Math.min(this.#length, toSamples(time) - this.#first);
    const frames = Math.floor(samples / FRAME_SAMPLES);
    if (frames <= 0) return;
    this.#samples.copyWithin(0, frames * FRAME_SAMPLES, this.#length);
    this.#length -= frames * FRAME_SAMPLES;
    this.#first += frames * FRAME_SAMPLES;
    this.#probabilities = this.#probabilities.slice(frames);
  }
}
