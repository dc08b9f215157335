import { writeFile } from 'node:fs/promises';
import { throwIfAborted } from '../../electron/core/base/abort.ts';
import type {
  AudioChunk,
  BleepOptions,
  Decode,
  DecodeOptions,
  MediaEngine,
  MediaInfo,
  MediaInput,
} from '../../electron/core/engines/ffmpeg/types.ts';

/** "Decodes" every file to the same chunks, as ffmpeg would one with their sound, and records what it was asked. */
export class FakeMedia implements MediaEngine {
  readonly decodes: DecodeOptions[] = [];
  readonly bleeps: BleepOptions[] = [];
  readonly #chunks: readonly AudioChunk[];
  readonly #info: Partial<MediaInfo>;
  readonly #warnings: readonly string[];

  constructor(
    chunks: readonly AudioChunk[],
    { warnings = [], ...info }: Partial<MediaInfo> & { readonly warnings?: readonly string[] } = {},
  ) {
    this.#chunks = chunks;
    this.#info = info;
    this.#warnings = warnings;
  }

  get #seconds(): number {
    return this.#chunks.at(-1)?.end ?? 0;
  }

  async probe(_input: MediaInput): Promise<MediaInfo> {
    return {
      container: 'wav',
      format: 'wav',
      duration: this.#seconds,
      audioStreams: [{ codec: 'pcm_s16le', sampleRate: 16_000, channels: 1, hasNamedChannels: true }],
      hasVideo: false,
      size: 1000,
      ...this.#info,
    };
  }

  decodeChunks(_input: MediaInput, options: DecodeOptions = {}): Decode {
    this.decodes.push(options);
    return {
      chunks: this.#read(options),
      summary: () => ({ duration: this.#seconds, warnings: this.#warnings }),
    };
  }

  async *#read({ resume, signal }: DecodeOptions): AsyncIterable<AudioChunk> {
    for (const chunk of this.#chunks) {
      if (chunk.index < (resume?.index ?? 0)) continue;
      throwIfAborted(signal);
      // In new memory, as each decode's chunks are: their reader frees it.
      yield { ...chunk, pcm: chunk.pcm.slice() };
    }
  }

  async bleep(options: BleepOptions): Promise<{ bytes: number; duration: number }> {
    this.bleeps.push(options);
    await writeFile(options.output, 'bleeped');
    return { bytes: 7, duration: this.#seconds };
  }

  async version(): Promise<string> {
    return 'fake';
  }
}
