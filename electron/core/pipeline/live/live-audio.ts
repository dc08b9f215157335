import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import {
  concatSamples,
  PEAKS_PER_SECOND,
  SAMPLE_RATE,
  toSeconds,
  UNKNOWN_WAV_LENGTH,
  WAV_HEADER_BYTES,
  wavHeader,
} from '../../base/audio.ts';
import { clamp } from '../../base/numbers.ts';
import { peaksOf } from '../../engines/ffmpeg/chunker.ts';
import { PEAKS_FILE, writePeaks } from '../recognition/peaks.ts';

/** Its audio, in the transcript's folder: the pass for files finds it there, and players play it. */
export const LIVE_FILE = 'audio.wav';

const BUCKET_SAMPLES = SAMPLE_RATE / PEAKS_PER_SECOND;

const toPcm16 = (pcm: Float32Array): Buffer => {
  const samples = Int16Array.from(pcm, (sample) => Math.round(clamp(sample, -1, 1) * 0x7fff));
  return Buffer.from(samples.buffer);
};

/**
 * The audio of a live session on the disk, with its waveform. The header says that the samples go on to the end of the file, so that
 * the file can be read at any time, also after a crash.
 */
export class LiveAudio {
  readonly #folder: string;
  readonly #file: FileHandle;
  #pending: Float32Array[] = [];
  /** Samples in the file. */
  #saved = 0;
  /** The beginning of a bucket of the waveform. */
  #rest: Float32Array = new Float32Array();
  #buckets = 0;

  private constructor(folder: string, file: FileHandle) {
    this.#folder = folder;
    this.#file = file;
  }

  static async create(folder: string): Promise<LiveAudio> {
    await mkdir(folder, { recursive: true });
    const file = await open(join(folder, LIVE_FILE), 'w');
    await file.write(wavHeader(UNKNOWN_WAV_LENGTH));
    return new LiveAudio(folder, file);
  }

  /** Seconds in the file. */
  get seconds(): number {
    return toSeconds(this.#saved);
  }

  /** Keeps samples of 16 kHz until the next `save`. */
  push(pcm: Float32Array): void {
    this.#pending.push(pcm);
  }

  async save(): Promise<void> {
    const pcm = concatSamples(this.#pending);
    if (pcm.length === 0) return;
    const count = this.#pending.length;
    await this.#file.write(toPcm16(pcm), null, null, WAV_HEADER_BYTES + 2 * this.#saved);
    // After the write: what a full disk refuses is written the next time.
    this.#pending = this.#pending.slice(count);
    this.#saved += pcm.length;
    await this.#savePeaks(pcm);
  }

  /** Writes what is left and closes the file. */
  async close(): Promise<void> {
    try {
      await this.save();
      await this.#file.write(wavHeader(2 * this.#saved), 0, WAV_HEADER_BYTES, 0);
      await this.#file.sync();
    } finally {
      await this.#file.close();
    }
  }

  async #savePeaks(added: Float32Array): Promise<void> {
    const pcm = concatSamples([this.#rest, added]);
    const buckets = Math.floor(pcm.length / BUCKET_SAMPLES);
    const whole = pcm.slice(0, buckets * BUCKET_SAMPLES);
    this.#rest = pcm.slice(whole.length);
    if (buckets === 0) return;
    const start = this.#buckets / PEAKS_PER_SECOND;
    const end = start + toSeconds(whole.length);
    const chunk = { index: this.#buckets, start, end, pcm: whole, speech: [], peaks: peaksOf(whole) };
    await writePeaks(join(this.#folder, PEAKS_FILE), { stream: 0, chunk }, 0);
    this.#buckets += buckets;
  }
}
