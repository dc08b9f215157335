import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { createMediaEngine } from '../../../../electron/core/engines/ffmpeg/engine.ts';
import { MEDIA_FORMATS, UNSAFE_FORMATS } from '../../../../electron/core/engines/ffmpeg/input-options.ts';
import { findFfmpeg } from '../../../../electron/core/engines/ffmpeg/tools.ts';
import type { MediaEngine } from '../../../../electron/core/engines/ffmpeg/types.ts';
import { writeLacedAlac } from '../../../generators/matroska.ts';
import { ffmpeg } from '../../../support/ffmpeg.ts';
import { fixturePath } from '../../../support/fixtures.ts';
import { filePcm, fixturePcm } from '../../../support/pcm.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const SOURCE = '00-one-sentence.wav';
const RATE = 16_000;
/** Of the sentence. */
const SECONDS = 4.3;
const STEREO = ['-ac', '2', '-ar', '48000'];
const PICTURES = ['-f', 'lavfi', '-i', 'color=s=720x576:r=25:d=4.32'];

/** What ffmpeg writes itself. */
const ENCODED: readonly (readonly [string, readonly string[]])[] = [
  ['adx', []],
  ['ast', ['-ac', '2', '-c:a', 'pcm_s16be_planar']],
  ['g722', []],
  ['ircam', ['-f', 'ircam']],
  ['mlp', ['-strict', '-2', ...STEREO]],
  ['nut', ['-c:a', 'pcm_s16le']],
  ['sbc', ['-ac', '2', '-ar', '44100']],
  ['sox', []],
  ['wtv', ['-c:a', 'mp2']],
];

/** What is a header and samples: the samples of big-endian 16 bits, and the header for them. */
const HEADERS: readonly (readonly [string, (samples: Buffer) => Buffer])[] = [
  [
    'NIST SPHERE',
    ({ length }) => {
      const fields = `sample_count -i ${length / 2}\nsample_rate -i ${RATE}\nchannel_count -i 1\nsample_n_bytes -i 2`;
      const coding = 'sample_sig_bits -i 16\nsample_coding -s3 pcm\nsample_byte_format -s2 10';
      return Buffer.from(`NIST_1A\n   1024\n${fields}\n${coding}\nend_head\n`.padEnd(1024));
    },
  ],
  [
    'AVR',
    ({ length }) => {
      const header = Buffer.alloc(128);
      header.write('2BIT');
      header.writeUInt16BE(16, 14);
      header.writeUInt16BE(0xffff, 16);
      header.writeUInt32BE(RATE, 22);
      header.writeUInt32BE(length / 2, 26);
      return header;
    },
  ],
];

/** What recorders, phones and programs write: the name of a file, and how ffmpeg makes it. */
const EVERYDAY: readonly (readonly [string, readonly string[]])[] = [
  ['a.wav', []],
  ['a.aiff', []],
  ['a.au', []],
  ['a.caf', []],
  ['a.w64', []],
  ['a.mp2', STEREO],
  ['a.mp3', []],
  ['a.flac', []],
  ['a.ogg', ['-c:a', 'libvorbis']],
  ['a.opus', []],
  ['a.webm', ['-c:a', 'libopus']],
  ['a.m4a', ['-c:a', 'aac']],
  ['alac.m4a', ['-c:a', 'alac']],
  ['a.aac', STEREO],
  ['a.mka', ['-c:a', 'alac']],
  ['a.ac3', STEREO],
  ['wmav1.wma', ['-c:a', 'wmav1', ...STEREO]],
  ['wmav2.wma', ['-c:a', 'wmav2', ...STEREO]],
  ['a.tta', []],
  ['a.wv', []],
  ['a.ts', ['-c:a', 'aac']],
  ['a.mkv', ['-c:a', 'pcm_s16le']],
];

describe('formats', () => {
  let engine: MediaEngine;
  let folder: string;

  /** The length of a file as it is stored: under a name that does not say what it is. */
  const secondsOf = async (path: string): Promise<number> => {
    const input = { kind: 'file' as const, path };
    expect((await engine.probe(input)).audioStreams.length).toBeGreaterThan(0);
    let level = 0;
    const decoding = engine.decodeChunks(input);
    for await (const { pcm } of decoding.chunks) for (const sample of pcm) level = Math.max(level, sample);
    expect(level).toBeGreaterThan(0.1);
    return decoding.summary().duration;
  };

  beforeAll(async () => {
    engine = createMediaEngine(await findFfmpeg({ environment: process.env, platform: process.platform }));
    folder = temporaryFolder();
  });

  it.each(ENCODED)('decodes %s', async (format, options) => {
    const path = join(folder, `a.${format}`);
    await ffmpeg('-i', fixturePath(SOURCE), ...options, path);
    expect(Math.abs((await secondsOf(path)) - filePcm(path).length / RATE)).toBeLessThan(0.1);
  });

  it.each(EVERYDAY)('decodes %s as long as ffmpeg does', async (name, options) => {
    const path = join(folder, `everyday-${name}`);
    await ffmpeg('-i', fixturePath(SOURCE), ...options, path);
    expect(Math.abs((await secondsOf(path)) - filePcm(path).length / RATE)).toBeLessThan(0.02);
  });

  it('decodes the sound of a digital video tape', async () => {
    const path = join(folder, 'a.dv');
    await ffmpeg('-i', fixturePath(SOURCE), ...PICTURES, '-target', 'pal-dv', ...STEREO, path);
    expect(await secondsOf(path)).toBeCloseTo(SECONDS, 1);
  });

  it.each(HEADERS)('decodes %s', async (format, header) => {
    const samples = Buffer.from(
      Int16Array.from(fixturePcm(SOURCE), (sample) => sample * 32_767).buffer,
    ).swap16();
    const path = join(folder, format.slice(0, 3));
    await writeFile(path, Buffer.concat([header(samples), samples]));
    expect(await secondsOf(path)).toBeCloseTo(SECONDS, 1);
  });

  it('decodes IFF 8SVX', async () => {
    const samples = Buffer.from(Int8Array.from(fixturePcm(SOURCE), (sample) => sample * 127).buffer);
    const chunk = (name: string, content: Buffer): Buffer => {
      const head = Buffer.from(`${name}0000`);
      head.writeUInt32BE(content.length, 4);
      return Buffer.concat([head, content]);
    };
    const voice = Buffer.alloc(20);
    voice.writeUInt32BE(samples.length);
    voice.writeUInt16BE(RATE, 12);
    voice[14] = 1;
    voice.writeUInt32BE(0x10000, 16);
    const content = Buffer.concat([Buffer.from('8SVX'), chunk('VHDR', voice), chunk('BODY', samples)]);
    const path = join(folder, 'iff');
    await writeFile(path, chunk('FORM', content));
    expect(await secondsOf(path)).toBeCloseTo(SECONDS, 1);
  });

  it.each([16_000, 41_000, 44_100])('decodes ALAC in laces of Matroska at %i Hz', async (rate) => {
    const [mp4, path] = [join(folder, `laced-${rate}.m4a`), join(folder, `laced-${rate}.mka`)];
    await ffmpeg('-i', fixturePath(SOURCE), '-ar', String(rate), '-c:a', 'alac', mp4);
    writeLacedAlac(mp4, path, rate);
    expect(Math.abs((await secondsOf(path)) - filePcm(path).length / RATE)).toBeLessThan(0.02);
  });

  it('takes no format that opens other files, addresses or devices', () => {
    expect(MEDIA_FORMATS.filter((format) => UNSAFE_FORMATS.has(format))).toEqual([]);
  });

  it.each([
    ['hls', '#EXTM3U\n#EXT-X-TARGETDURATION:20\n#\u0001\n#EXTINF:15,\nFILE\n#EXT-X-ENDLIST\n'],
    ['concat', "ffconcat version 1.0\n#\u0001\nfile 'FILE'\n"],
    ['dash', '<?xml version="1.0"?>\u0001<MPD xmlns="urn:mpeg:dash:profile:x"><BaseURL>FILE</BaseURL></MPD>'],
    ['sdp', 'v=0\no=- 0 0 IN IP4 127.0.0.1\ns=\u0001\nc=IN IP4 127.0.0.1\nm=audio 5004 RTP/AVP 0\n'],
    ['sbg', 'SBaGen\n\u0001-SE\n'],
  ])('refuses %s that passes for binary', async (format, content) => {
    const path = join(folder, `unsafe.${format}`);
    await writeFile(path, content.replace('FILE', fixturePath(SOURCE)));
    const input = { kind: 'file' as const, path };
    await expect(engine.probe(input)).rejects.toMatchObject({ code: 'not_media' });
    const decoding = async () => {
      for await (const chunk of engine.decodeChunks(input).chunks) expect(chunk).toBeUndefined();
    };
    await expect(decoding()).rejects.toMatchObject({ code: 'not_media' });
  });
});
