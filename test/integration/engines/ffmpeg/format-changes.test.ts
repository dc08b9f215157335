import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { createMediaEngine } from '../../../../electron/core/engines/ffmpeg/engine.ts';
import { findFfmpeg } from '../../../../electron/core/engines/ffmpeg/tools.ts';
import type {
  DecodeOptions,
  MediaEngine,
  MediaInput,
} from '../../../../electron/core/engines/ffmpeg/types.ts';
import { createHttpClient } from '../../../../electron/core/engines/net/http-client.ts';
import { openRangeReader } from '../../../../electron/core/engines/net/range-reader/range-reader.ts';
import { withDamagedFrame } from '../../../generators/damage.ts';
import { concatenate } from '../../../generators/encoded.ts';
import { ffmpeg } from '../../../support/ffmpeg.ts';
import { filePcm } from '../../../support/pcm.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { file, startUrlServer } from '../../../support/url-server.ts';

const MONO = ['-ac', '1', '-ar', '44100'];
const STEREO = ['-ac', '2', '-ar', '44100'];
const SURROUND = ['-af', 'pan=5.1|FC=c0', '-ar', '48000'];
const at = (rate: number): string[] => ['-ac', '1', '-ar', String(rate)];

/** The kind of file, and the format of each part of it. */
const CHANGES: readonly (readonly [string, string, readonly (readonly string[])[]])[] = [
  ['two concatenated MP3s', 'mp3', [MONO, STEREO]],
  ['mono with a stereo ad', 'mp3', [MONO, STEREO, MONO]],
  ['MP3 of a lower rate', 'mp3', [at(44_100), at(22_050), at(44_100)]],
  ['MP3 of a higher rate', 'mp3', [at(22_050), at(48_000)]],
  ['AC-3 2.0, 5.1, 2.0', 'ac3', [['-ac', '2', '-ar', '48000'], SURROUND, ['-ac', '2', '-ar', '48000']]],
  ['ADTS of a lower rate', 'aac', [at(44_100), at(22_050), at(44_100)]],
  ['ADTS of a higher rate', 'aac', [at(22_050), at(44_100), at(22_050)]],
  ['ADTS of 44.1 and 48 kHz', 'aac', [at(44_100), at(48_000), at(44_100)]],
  ['chained Ogg Vorbis', 'ogg', [MONO, STEREO, MONO]],
  ['chained Ogg Vorbis of a lower rate', 'ogg', [MONO, at(22_050), MONO]],
  ['chained Ogg Vorbis of a higher rate', 'ogg', [at(16_000), at(48_000)]],
  ['chained Ogg Vorbis of four rates', 'ogg', [at(16_000), at(44_100), at(48_000), at(8000)]],
  ['chained Ogg FLAC of 44.1 and 48 kHz', 'oga', [at(44_100), at(48_000)]],
  ['concatenated FLAC', 'flac', [MONO, STEREO]],
];

describe('a file inside which the format changes', () => {
  let engine: MediaEngine;
  let folder: string;

  const decode = async (input: MediaInput | string, options: DecodeOptions = {}): Promise<Float32Array> => {
    const source = typeof input === 'string' ? { kind: 'file' as const, path: input } : input;
    const parts: number[] = [];
    const chunking = { minSeconds: 1, windowSeconds: 2 };
    const decoding = engine.decodeChunks(source, { chunking, ...options });
    for await (const { pcm } of decoding.chunks) for (const sample of pcm) parts.push(sample);
    expect(decoding.summary().warnings).toEqual([]);
    return Float32Array.from(parts);
  };

  const make = (name: string, type: string, parts: readonly (readonly string[])[]): Promise<string> =>
    concatenate(folder, { name, type, parts });

  /** The mean difference of samples, as a share of their mean. */
  const difference = (one: Float32Array, other: Float32Array): number => {
    let [apart, sum] = [0, 0];
    for (const [index, sample] of one.entries()) {
      apart += Math.abs(sample - (other[index] ?? 0));
      sum += Math.abs(sample);
    }
    return apart / sum;
  };

  /** How many samples later a part is in `whole` than at `start`, by the best correlation within 100 ms. */
  const lagOf = (part: Float32Array, whole: Float32Array, start: number): number => {
    const correlations = Array.from({ length: 3201 }, (_, index) => {
      let sum = 0;
      for (let i = 0; i < part.length; i += 7) sum += (part[i] ?? 0) * (whole[start + index - 1600 + i] ?? 0);
      return sum;
    });
    return correlations.indexOf(Math.max(...correlations)) - 1600;
  };

  const expectAsDecoded = async (path: string): Promise<Float32Array> => {
    const [whole, plain] = [await decode(path), filePcm(path)];
    expect(Math.abs(whole.length - plain.length)).toBeLessThan(0.02 * 16_000);
    expect(difference(whole, plain)).toBeLessThan(0.02);
    return whole;
  };

  beforeAll(async () => {
    engine = createMediaEngine(await findFfmpeg({ environment: process.env, platform: process.platform }));
    folder = temporaryFolder();
  });

  it.each(CHANGES)('%s: is as long as it sounds, in ranges, too', async (name, type, parts) => {
    const path = await make(name.replaceAll(/\W/g, ''), type, parts);
    const whole = await expectAsDecoded(path);
    expect(await decode(path, { start: 5.5, end: 7.25 })).toEqual(whole.subarray(88_000, 116_000));
    expect(await decode(path, { resume: { at: 6, index: 3 } })).toEqual(whole.subarray(96_000));
  });

  it.each(['ts', 'mkv'])('AC-3 2.0, 5.1, 2.0 in .%s is as long as it sounds', async (container) => {
    const stereo = ['-ac', '2', '-ar', '48000'];
    const source = await make('surround', 'ac3', [stereo, SURROUND, stereo]);
    const path = join(folder, `surround.${container}`);
    await ffmpeg('-i', source, '-c', 'copy', path);
    const whole = await expectAsDecoded(path);
    expect(await decode(path, { start: 5.5, end: 7.25 })).toEqual(whole.subarray(88_000, 116_000));
    const sought = await decode(path, { start: 5.5, end: 7.25, seek: true });
    expect(sought.length).toBe(28_000);
  });

  it('a damaged frame moves nothing after it', async () => {
    const path = await make('damaged', 'mp3', [STEREO]);
    await writeFile(path, withDamagedFrame(await readFile(path)));
    await expectAsDecoded(path);
  });

  it('redacted audio keeps its length, and the span its place', async () => {
    const path = await make('redacted', 'mp3', [MONO, STEREO, MONO]);
    const output = join(folder, 'redacted.wav');
    const spans = [{ start: 10, end: 11 }];
    const range = { start: 0, end: null };
    const { duration } = await engine.bleep({
      input: { kind: 'file', path },
      output,
      spans,
      range,
      format: 'wav',
      cover: 'mute',
    });
    const plain = filePcm(path);
    expect(Math.abs(duration - plain.length / 16_000)).toBeLessThan(0.02);
    const redacted = filePcm(output);
    expect(redacted.subarray(160_200, 175_800).every((sample) => sample === 0)).toBe(true);
    expect(Math.abs(lagOf(redacted.subarray(88_000, 120_000), plain, 88_000))).toBeLessThan(0.005 * 16_000);
  });

  it.each([
    ['of two constant bit rates', [[...MONO, '-b:a', '64k'], [...STEREO, '-b:a', '128k'], MONO]],
    [
      'of a variable bit rate',
      [
        [...MONO, '-q:a', '5'],
        [...STEREO, '-q:a', '5'],
        [...MONO, '-q:a', '5'],
      ],
    ],
  ])('a range of an MP3 %s behind a URL is where it is in the whole', async (name, parts) => {
    const path = await make(name.replaceAll(/\W/g, ''), 'mp3', parts);
    const whole = await decode(path);
    const server = await startUrlServer();
    const policy = () => ({ allowPrivateAddresses: true, offline: false });
    const client = createHttpClient({ policy, version: '0' });
    try {
      const url = server.set('/a', file(await readFile(path)));
      const opened = await openRangeReader({ client, url, maxBytes: 1e9 });
      if (!opened.supported) throw new Error(opened.reason);
      const remote = await decode(opened.reader, { start: 10, end: 12 });
      await opened.reader.close();
      expect(remote.length).toBe(32_000);
      // The header frame of each part counts in the times, but has no sound: 26 ms each.
      expect(Math.abs(lagOf(remote, whole, 160_000))).toBeLessThan(0.06 * 16_000);
    } finally {
      await client.close();
      await server.close();
    }
  });
});
