import { mkdir, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { toSamples } from '../../base/audio.ts';
import { WAV_HEADER_BYTES, wavHeader } from '../../base/wav.ts';
import type { AudioChunk, MediaInput } from '../../engines/ffmpeg/types.ts';

const BYTES_PER_SAMPLE = 2;
/** Longer ranges are not kept for playback: an hour takes 115 MB, uncompressed, while the job runs. */
const MAX_SECONDS = 3 * 3600;
const FILE_NAME = /^range-(\d+)\.wav$/;

const toInt16 = (pcm: Float32Array): Buffer => {
  const samples = Int16Array.from(pcm, (value) => Math.round(Math.max(-1, Math.min(1, value)) * 32_767));
  return Buffer.from(samples.buffer);
};

/**
 * Collects the audio of a time range that is read from a server part by part, chunk by chunk while it is recognized,
 * because nothing else of it is on this machine. Each chunk has a fixed place in the file, so an interrupted job
 * continues with the same file.
 */
export class RangeAudio {
  readonly #path: string;
  /** Where this audio starts on the source's timeline; seconds. */
  readonly from: number;
  #bytes = 0;
  #isTooLong = false;

  private constructor(path: string, from: number) {
    this.#path = path;
    this.from = from;
  }

  /** Continues the file of an interrupted attempt if there is one in the folder, else starts one at `from`. */
  static async open(folder: string, from: number): Promise<RangeAudio> {
    await mkdir(folder, { recursive: true });
    const name = (await readdir(folder)).find((entry) => FILE_NAME.test(entry)) ?? '';
    const milliseconds = Number(FILE_NAME.exec(name)?.[1] ?? Math.floor(from * 1000));
    const path = join(folder, `range-${milliseconds}.wav`);
    await (await open(path, 'a', 0o600)).close();
    return new RangeAudio(path, milliseconds / 1000);
  }

  /** Writes a chunk and flushes it to the disk. */
  async write(chunk: AudioChunk): Promise<void> {
    if (chunk.end - this.from > MAX_SECONDS) this.#isTooLong = true;
    if (this.#isTooLong) return;
    const at = toSamples(chunk.start - this.from) * BYTES_PER_SAMPLE;
    const samples = toInt16(chunk.pcm);
    const file = await open(this.#path, 'r+');
    try {
      await file.write(samples, 0, samples.length, WAV_HEADER_BYTES + at);
      await file.datasync();
    } finally {
      await file.close();
    }
    this.#bytes = Math.max(this.#bytes, at + samples.length);
  }

  /** Completes the WAV file; null if the range is too long to keep, or empty. */
  async finish(): Promise<MediaInput | null> {
    if (this.#isTooLong || this.#bytes === 0) return null;
    const file = await open(this.#path, 'r+');
    try {
      await file.write(wavHeader(this.#bytes), 0, WAV_HEADER_BYTES, 0);
    } finally {
      await file.close();
    }
    return { kind: 'file', path: this.#path };
  }
}
