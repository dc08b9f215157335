import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { StoredWarning } from '../../../../electron/contract/warnings.ts';
import { createMediaEngine } from '../../../../electron/core/engines/ffmpeg/engine.ts';
import { id3Length } from '../../../../electron/core/engines/ffmpeg/mp3-rate.ts';
import { parseXing } from '../../../../electron/core/engines/ffmpeg/seek.ts';
import { findFfmpeg } from '../../../../electron/core/engines/ffmpeg/tools.ts';
import type {
  DecodeOptions,
  MediaEngine,
  MediaInput,
} from '../../../../electron/core/engines/ffmpeg/types.ts';
import { createHttpClient } from '../../../../electron/core/engines/net/http-client.ts';
import { openRangeReader } from '../../../../electron/core/engines/net/range-reader/range-reader.ts';
import type { HttpClient } from '../../../../electron/core/engines/net/types.ts';
import { ffmpeg } from '../../../support/ffmpeg.ts';
import { fixturePath } from '../../../support/fixtures.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { file, startUrlServer, type UrlServer } from '../../../support/url-server.ts';

/** Near the end of the meeting of 233 seconds, and of its first HALF. */
const RANGE = { start: 200.125, end: 206.5 };
const EARLIER = { start: 104.125, end: 110.5 };
/** The quickest search of the encoder: its quality does not matter. */
const QUICKEST = ['-compression_level', '9'];
const VARIABLE = ['-q:a', '5', '-ar', '44100'];
const STEREO = ['-ac', '2', '-abr', '1', '-b:a', '96k', '-ar', '48000'];
/** Half of the meeting, and a little more. */
const HALF = ['-t', '120'];
/** `length`: of the meeting. */
type Kind = readonly [name: string, options: readonly string[], most: number, length: 'whole' | 'half'];
const KINDS: readonly Kind[] = [
  // As the meeting is.
  ['mono', VARIABLE, 0.45, 'whole'],
  // A small file, of which 64 KB are fetched at a time.
  ['11 kHz (MPEG 2.5), hardly any bits', ['-q:a', '9', '-ar', '11025'], 0.75, 'whole'],
  ['48 kHz, stereo, an average rate', [...STEREO, ...HALF], 0.45, 'half'],
];

describe('a range of a variable-rate MP3 behind a URL', () => {
  let engine: MediaEngine;
  let folder: string;
  let server: UrlServer;
  let client: HttpClient;

  beforeAll(async () => {
    engine = createMediaEngine(await findFfmpeg({ environment: process.env, platform: process.platform }));
    folder = temporaryFolder();
    server = await startUrlServer();
    client = createHttpClient({
      policy: () => ({ allowPrivateAddresses: true, offline: false }),
      version: '0',
    });
    // One start of ffmpeg, which decodes the meeting once for all.
    const wanted = [...KINDS.map(([, options]) => options), [...VARIABLE, ...HALF]];
    const pathOf = (index: number) => join(folder, `kind-${index}.mp3`);
    const outputs = wanted.map((options, index) => [...QUICKEST, ...options, pathOf(index)]);
    await ffmpeg('-i', MEETING, ...outputs.flat());
    for (const [index, options] of wanted.entries()) files.set(options.join(' '), readFile(pathOf(index)));
  });

  afterAll(async () => {
    await client.close();
    await server.close();
  });

  const files = new Map<string, Promise<Buffer>>();
  const MEETING = fixturePath('08-meeting-4min.mp3');
  /** The meeting with options of which there is a file; each caller gets a copy to change. */
  const encoded = async (...options: string[]): Promise<Buffer> => {
    const made = await files.get(options.join(' '));
    if (made === undefined) throw new Error(`There is no ${options.join(' ')}.`);
    return Buffer.from(made);
  };

  const decode = async (
    input: MediaInput,
    options: DecodeOptions,
  ): Promise<{ pcm: Float32Array; warnings: readonly StoredWarning[] }> => {
    const decoding = engine.decodeChunks(input, options);
    const parts: Float32Array[] = [];
    for await (const { pcm } of decoding.chunks) parts.push(pcm);
    const pcm = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of parts) {
      pcm.set(part, at);
      at += part.length;
    }
    return { pcm, warnings: decoding.summary().warnings };
  };

  /** The range read in parts, and cut out of a decode of the whole file; with the share of the bytes that were fetched. */
  const both = async (body: Buffer, options: { start: number; end: number | null } = RANGE) => {
    const path = join(folder, 'whole.mp3');
    await writeFile(path, body);
    const local = await decode({ kind: 'file', path }, options);
    const opened = await openRangeReader({ client, url: server.set('/a.mp3', file(body)), maxBytes: 1e9 });
    if (!opened.supported) throw new Error(opened.reason);
    try {
      const remote = await decode(opened.reader, options);
      return { local, remote, share: opened.reader.bytesFetched() / body.length };
    } finally {
      await opened.reader.close();
    }
  };

  const largestDifference = (a: Float32Array, b: Float32Array): number =>
    a.reduce((most, value, at) => Math.max(most, Math.abs(value - (b[at] ?? 0))), 0);

  const expectSameSamples = ({ local, remote }: Awaited<ReturnType<typeof both>>): void => {
    expect(remote.pcm.length).toBe(local.pcm.length);
    expect(largestDifference(remote.pcm, local.pcm)).toBeLessThan(1e-6);
    expect(remote.warnings).toEqual(local.warnings);
  };

  it.each(KINDS)(
    '%s: has the samples of the whole, of which it reads the end alone',
    async (_name, options, most, length) => {
      const result = await both(await encoded(...options), length === 'half' ? EARLIER : RANGE);
      expectSameSamples(result);
      expect(result.share).toBeLessThan(most);
    },
  );

  it('ends where the whole ends', async () => {
    const result = await both(await encoded(...VARIABLE), { start: 225, end: null });
    expectSameSamples(result);
    expect(result.share).toBeLessThan(0.3);
  });

  it('is found behind a large cover and before an old tag', async () => {
    const [noise, tagged] = [join(folder, 'noise.rgb'), join(folder, 'tagged.mp3')];
    await writeFile(noise, randomBytes(300 * 300 * 3));
    const picture = ['-f', 'rawvideo', '-pixel_format', 'rgb24', '-video_size', '300x300', '-i', noise];
    const tags = ['-c:v', 'png', '-write_id3v1', '1', '-metadata', 'title=A meeting'];
    await ffmpeg('-t', '1', '-i', MEETING, ...picture, '-map', '0:a', '-map', '1:v', ...tags, tagged);
    // The tags of one second around the whole meeting, which is encoded already.
    const [source, meeting] = [await readFile(tagged), await encoded(...VARIABLE)];
    const body = Buffer.concat([
      source.subarray(0, id3Length(source)),
      meeting.subarray(id3Length(meeting)),
      source.subarray(-128),
    ]);
    expect(id3Length(body)).toBeGreaterThan(200_000);
    expect(body.subarray(-128, -125).toString()).toBe('TAG');
    const result = await both(body);
    expectSameSamples(result);
    expect(result.share).toBeLessThan(0.5);
  });

  /** The file with its `Xing` header changed in place. */
  const withXing = async (change: (body: Buffer, xing: number) => void): Promise<Buffer> => {
    const body = await encoded(...VARIABLE);
    change(body, body.indexOf('Xing'));
    return body;
  };
  const inToc = (value: (index: number) => number) => (body: Buffer, xing: number) => {
    for (let index = 0; index < 100; index++) body[xing + 16 + index] = value(index);
  };

  type Damaged = readonly [string, () => Promise<Buffer>];
  const WITHOUT_TABLE: Damaged = [
    'without a table of contents',
    () =>
      withXing((body, xing) => {
        body.writeUInt32BE(3 | 8, xing + 4);
        body.copyWithin(xing + 16, xing + 116, xing + 152);
      }),
  ];
  const untrusted: readonly Damaged[] = [
    WITHOUT_TABLE,
    // What the header's checksum shows.
    ['with an empty table', () => withXing(inToc(() => 0))],
    ['with a table that begins at the end', () => withXing(inToc(() => 255))],
    ['with a table that goes back', () => withXing(inToc((index) => 255 - index * 2))],
    ['with the table of another file', () => withXing(inToc((index) => Math.round(155 + index)))],
    ['with too many frames', () => withXing((body, xing) => body.writeUInt32BE(12_000, xing + 8))],
    ['with a frame too many', () => withXing((body, xing) => body.writeUInt32BE(8935, xing + 8))],
    ['with too few frames', () => withXing((body, xing) => body.writeUInt32BE(8300, xing + 8))],
    ['of another length', () => withXing((body, xing) => body.writeUInt32BE(1_197_000, xing + 12))],
    ['of an encoder that is not known', () => withXing((body, xing) => body.write('GOGO', xing + 120))],
    [
      'with a VBRI header',
      () =>
        withXing((body, xing) => {
          // Behind the 4 bytes of the frame's header and the 17 of a mono frame's side information.
          const frame = xing - 21;
          body.fill(0, frame + 4, frame + 160);
          body.write('VBRI', frame + 36);
          body.writeUInt16BE(1, frame + 40);
          body.writeUInt32BE(body.length - frame, frame + 46);
          body.writeUInt32BE(8934, frame + 50);
        }),
    ],
  ];

  const headerOf = (body: Buffer) => parseXing(body.subarray(id3Length(body)), id3Length(body));

  it('has a header that is trusted', async () => {
    expect(headerOf(await encoded(...VARIABLE))).toMatchObject({ frames: 8934 });
  });

  it.each(untrusted)('%s: has no header that is trusted', async (_name, make) => {
    expect(headerOf(await make())).toBeNull();
  });

  const damaged: readonly Damaged[] = [
    WITHOUT_TABLE,
    [
      'cut off in the middle',
      async () => {
        const whole = await encoded(...VARIABLE);
        // The places here and below are within this encoder's file.
        expect(whole.length).toBeGreaterThan(1_300_000);
        return whole.subarray(0, 1_214_000);
      },
    ],
    ['with a hole behind the range', () => withXing((body) => body.fill(0x55, 1_240_000, 1_257_000))],
    [
      'two of them in one file',
      async () => {
        const one = await encoded(...VARIABLE, ...HALF);
        return Buffer.concat([one, one]);
      },
    ],
  ];

  /** How many samples later the same sound is in `b`, of at most a frame of an MP3 of 16 kHz. */
  const lagBetween = (a: Float32Array, b: Float32Array): number => {
    const difference = (lag: number): number => {
      let sum = 0;
      for (let at = 1000; at < a.length - 1000; at += 21) sum += Math.abs((a[at] ?? 0) - (b[at + lag] ?? 0));
      return sum;
    };
    const differences = Array.from({ length: 1201 }, (_, index) => difference(index - 600));
    const least = differences.reduce((lowest, value) => Math.min(lowest, value));
    expect(least).toBeLessThan(0.1 * difference(600));
    return differences.indexOf(least) - 600;
  };

  it.each(damaged)('%s: is read up to the range rather than found at a wrong time', async (_name, make) => {
    const { local, remote } = await both(await make());
    expect(Math.abs(remote.pcm.length - local.pcm.length)).toBeLessThan(600);
    expect(Math.abs(lagBetween(local.pcm, remote.pcm))).toBeLessThan(600);
  });
});
