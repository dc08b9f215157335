import { mkdir, open, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { PEAKS_PER_SECOND, SAMPLE_RATE } from '../../base/audio.ts';
import { clamp } from '../../base/numbers.ts';
import type { AudioChunk } from '../../engines/ffmpeg/types.ts';

/** The power of 1/20 s is stored as one byte: 1 is -100 dB of full scale or less, 201 is 0 dB, 0 is unknown. */
const FLOOR_DB = -100;
const STEPS_PER_DB = 2;
const UNKNOWN = 0;
/** Quieter parts say nothing about how loud a channel's speech is. */
const MIN_SPEECH_DB = -60;
/** The share of a channel's louder parts from which on it counts as its own speech. */
const LOUD_SHARE = 0.9;
/** The share of their parts that are equally loud in channels with the same sound; a lossy codec may differ in a few. */
const SAME_SHARE = 0.98;

/** The file of a channel's levels, in the transcript's folder. */
export const levelsFile = (channel: number): string => `levels-${PEAKS_PER_SECOND}-${channel}.bin`;

const levelsOf = (pcm: Float32Array): Uint8Array => {
  const bucket = SAMPLE_RATE / PEAKS_PER_SECOND;
  return Uint8Array.from({ length: Math.ceil(pcm.length / bucket) }, (_, index) => {
    const samples = pcm.subarray(index * bucket, (index + 1) * bucket);
    const power = samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length;
    const level = clamp(10 * Math.log10(power + 1e-12), FLOOR_DB, 0);
    return 1 + Math.round((level - FLOOR_DB) * STEPS_PER_DB);
  });
};

/** Writes how loud a chunk is. Idempotent, because each chunk has a fixed place in the file. */
export const writeLevels = async (path: string, chunk: AudioChunk, rangeStart: number): Promise<void> => {
  await mkdir(dirname(path), { recursive: true });
  const bytes = levelsOf(chunk.pcm);
  const file = await open(path, chunk.index === 0 ? 'w' : 'r+').catch(() => open(path, 'w'));
  try {
    await file.write(bytes, 0, bytes.length, Math.round((chunk.start - rangeStart) * PEAKS_PER_SECOND));
  } finally {
    await file.close();
  }
};

/** How loud a channel is, in decibels of full scale; times are seconds on the source's timeline. */
export class Levels {
  readonly #bytes: Uint8Array;
  readonly #start: number;

  constructor(bytes: Uint8Array, rangeStart: number) {
    this.#bytes = bytes;
    this.#start = rangeStart;
  }

  /** Of a channel; all of it is unknown if there is no file. */
  static async read(path: string, rangeStart: number): Promise<Levels> {
    return new Levels(await readFile(path).catch(() => new Uint8Array()), rangeStart);
  }

  /** The mean power between two times; undefined if nothing is known of it. */
  between(start: number, end: number): number | undefined {
    const known = this.#bytesBetween(start, end).filter((byte) => byte !== UNKNOWN);
    if (known.length === 0) return undefined;
    const power = known.reduce((sum, byte) => sum + 10 ** (toDecibels(byte) / 10), 0) / known.length;
    return 10 * Math.log10(power);
  }

  /** By how much another channel is louder, for each part between two times in which that one has sound. */
  differencesTo(other: Levels, start: number, end: number): number[] {
    const louder = other.#bytesBetween(start, end);
    return [...this.#bytesBetween(start, end)].flatMap((byte, index) => {
      const loud = louder[index] ?? UNKNOWN;
      if (byte === UNKNOWN || loud === UNKNOWN || toDecibels(loud) < MIN_SPEECH_DB) return [];
      return [(loud - byte) / STEPS_PER_DB];
    });
  }

  /** Whether two channels carry the same sound throughout, as those of a mono recording that was saved in stereo. */
  isSameAs(other: Levels): boolean {
    let [heard, same] = [0, 0];
    for (const [index, byte] of this.#bytes.entries()) {
      const theirs = other.#bytes[index] ?? UNKNOWN;
      if (Math.max(toDecibels(byte), toDecibels(theirs)) < MIN_SPEECH_DB) continue;
      heard++;
      if (Math.abs(byte - theirs) <= 1) same++;
    }
    return heard > PEAKS_PER_SECOND && same / heard >= SAME_SHARE;
  }

  #bytesBetween(start: number, end: number): Uint8Array {
    const from = Math.max(0, Math.floor((start - this.#start) * PEAKS_PER_SECOND));
    const to = Math.max(from + 1, Math.ceil((end - this.#start) * PEAKS_PER_SECOND));
    return this.#bytes.subarray(from, to);
  }

  /** How loud its louder speech is, which is that of the person whose channel it is; undefined without any sound. */
  typical(): number | undefined {
    const heard = this.#bytes.filter((byte) => byte !== UNKNOWN && toDecibels(byte) > MIN_SPEECH_DB);
    const level = heard.toSorted()[Math.floor(heard.length * LOUD_SHARE)];
    return level === undefined ? undefined : toDecibels(level);
  }
}

const toDecibels = (byte: number): number => FLOOR_DB + (byte - 1) / STEPS_PER_DB;
