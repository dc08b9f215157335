import { mkdir, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { SAMPLE_RATE, toSamples } from '../../base/audio.ts';
import type { AudioChunk, MediaInput } from '../../engines/ffmpeg/types.ts';

const BYTES_PER_SAMPLE = 2;
const HEADER_BYTES = 44;
/** Longer ranges are not kept for playback: uncompressed, an hour of them is 115 MB while the job runs. */
const MOST_SECONDS = 3 * 3600;
const NAME = /^range-(\d+)\.wav$/;

/** The header of a mono 16-bit WAV file with so many bytes of samples. */
const waveHeader = (bytes: number): Buffer => {
  const header = Buffer.alloc(HEADER_BYTES);
  header.write('RIFF', 0);
  header.writeUInt32LE(HEADER_BYTES - 8 + bytes, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(SAMPLE_RATE, 24);
  header.writeUInt32LE(SAMPLE_RATE * BYTES_PER_SAMPLE, 28);
  header.writeUInt16LE(BYTES_PER_SAMPLE, 32);
  header.writeUInt16LE(8 * BYTES_PER_SAMPLE, 34);
  header.write('data', 36);
  header.writeUInt32LE(bytes, 40);
  return header;
};

const toInt16 = (pcm: Float32Array): Buffer => {
  const samples = Int16Array.from(pcm, (value) => Math.round(Math.max(-1, Math.min(1, value)) * 32_767));
  return Buffer.from(samples.buffer);
};

/**
 * The sound of a time range that was read from a server part by part: nothing but its chunks is on this
 * machine, so they are gathered while they are recognised, and encoded at the end. Each chunk has its fixed
 * place in the file, so that an interrupted job goes on with the same file.
 */
export class RangeAudio {
  readonly #path: string;
  /** Seconds on the source's timeline at which this audio begins. */
  readonly from: number;
  #bytes = 0;
  #tooLong = false;

  private constructor(path: string, from: number) {
    this.#path = path;
    this.from = from;
  }

  /** Goes on with what an interrupted run gathered in the folder, else begins at `from`. */
  static async open(folder: string, from: number): Promise<RangeAudio> {
    await mkdir(folder, { recursive: true });
    const name = (await readdir(folder)).find((entry) => NAME.test(entry)) ?? '';
    const milliseconds = Number(NAME.exec(name)?.[1] ?? Math.floor(from * 1000));
    const path = join(folder, `range-${milliseconds}.wav`);
    await (await open(path, 'a', 0o600)).close();
    return new RangeAudio(path, milliseconds / 1000);
  }

  /** Puts a chunk in its place, on the disk. */
  async write(chunk: AudioChunk): Promise<void> {
    if (chunk.end - this.from > MOST_SECONDS) this.#tooLong = true;
    if (this.#tooLong) return;
    const at = toSamples(chunk.start - this.from) * BYTES_PER_SAMPLE;
    const samples = toInt16(chunk.pcm);
    const file = await open(this.#path, 'r+');
    try {
      await file.write(samples, 0, samples.length, HEADER_BYTES + at);
      await file.datasync();
    } finally {
      await file.close();
    }
    this.#bytes = Math.max(this.#bytes, at + samples.length);
  }

  /** What was gathered, as a WAV file; null when the range is too long to be kept. */
  async finish(): Promise<MediaInput | null> {
    if (this.#tooLong || this.#bytes === 0) return null;
    const file = await open(this.#path, 'r+');
    try {
      await file.write(waveHeader(this.#bytes), 0, HEADER_BYTES, 0);
    } finally {
      await file.close();
    }
    return { kind: 'file', path: this.#path };
  }
}
