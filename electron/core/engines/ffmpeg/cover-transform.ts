import { Transform, type TransformCallback } from 'node:stream';
import type { Span } from './types.ts';

const TONE_HERTZ = 1000;
const TONE_AMPLITUDE = 0.2 * 32767;

type CoverOptions = {
  readonly sampleRate: number;
  readonly channels: number;
  /** Seconds on the source's timeline. */
  readonly spans: readonly Span[];
  /** The stream's start on that timeline. */
  readonly start: number;
  readonly cover: 'tone' | 'mute';
};

/** The spans sorted and merged, as frames from the stream's start. */
const toFrames = ({ spans, sampleRate, start }: CoverOptions): { from: number; to: number }[] => {
  const frames: { from: number; to: number }[] = [];
  const nonEmpty = spans.filter((span) => span.end > span.start).sort((a, b) => a.start - b.start);
  for (const span of nonEmpty) {
    const from = Math.max(0, Math.floor((span.start - start) * sampleRate));
    const to = Math.ceil((span.end - start) * sampleRate);
    const last = frames.at(-1);
    if (last !== undefined && from <= last.to) last.to = Math.max(last.to, to);
    else if (to > from) frames.push({ from, to });
  }
  return frames;
};

/** Replaces spans of interleaved 16-bit PCM with a tone or silence. */
export class CoverTransform extends Transform {
  readonly #options: CoverOptions;
  readonly #spans: { from: number; to: number }[];
  readonly #frameBytes: number;
  #rest: Buffer = Buffer.alloc(0);
  #span = 0;
  /** Frames written so far. */
  frames = 0;

  constructor(options: CoverOptions) {
    super();
    this.#options = options;
    this.#spans = toFrames(options);
    this.#frameBytes = options.channels * 2;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, callback: TransformCallback): void {
    const bytes = Buffer.concat([this.#rest, chunk]);
    const whole = bytes.length - (bytes.length % this.#frameBytes);
    this.#rest = bytes.subarray(whole);
    const frames = bytes.subarray(0, whole);
    this.#cover(frames);
    this.frames += frames.length / this.#frameBytes;
    callback(null, frames);
  }

  #cover(bytes: Buffer): void {
    const end = this.frames + bytes.length / this.#frameBytes;
    for (let span = this.#spans[this.#span]; span !== undefined; span = this.#spans[this.#span]) {
      const to = Math.min(end, span.to);
      for (let frame = Math.max(this.frames, span.from); frame < to; frame++) this.#set(bytes, frame);
      if (span.to > end) return;
      this.#span++;
    }
  }

  #set(bytes: Buffer, frame: number): void {
    const { cover, sampleRate, channels } = this.#options;
    const value =
      cover === 'mute'
        ? 0
        : Math.round(TONE_AMPLITUDE * Math.sin((2 * Math.PI * TONE_HERTZ * frame) / sampleRate));
    const offset = (frame - this.frames) * this.#frameBytes;
    for (let channel = 0; channel < channels; channel++) bytes.writeInt16LE(value, offset + channel * 2);
  }
}
