import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { createMediaEngine } from '../../../../electron/core/engines/ffmpeg/engine.ts';
import { MEDIA_FORMATS, UNSAFE_FORMATS } from '../../../../electron/core/engines/ffmpeg/input-options.ts';
import { findFfmpeg } from '../../../../electron/core/engines/ffmpeg/tools.ts';
import type { MediaEngine } from '../../../../electron/core/engines/ffmpeg/types.ts';
import { EVERYDAY, encodeSentence, encodeTape, UNCOMMON } from '../../../generators/encoded.ts';
import { avr, iff8svx, nistSphere } from '../../../generators/headers.ts';
import { writeLacedAlac } from '../../../generators/matroska.ts';
import { fixturePath } from '../../../support/fixtures.ts';
import { filePcm, fixturePcm } from '../../../support/pcm.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const SOURCE = '00-one-sentence.wav';
const RATE = 16_000;
/** Of the sentence. */
const SECONDS = 4.3;

/** What is a header and samples. */
const HEADERS = [
  ['NIST SPHERE', nistSphere],
  ['AVR', avr],
  ['IFF 8SVX', iff8svx],
] as const;

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

  it.each(UNCOMMON)('decodes %s', async (name, options) => {
    const path = join(folder, name);
    await encodeSentence(path, options);
    expect(Math.abs((await secondsOf(path)) - filePcm(path).length / RATE)).toBeLessThan(0.02);
  });

  it.each(EVERYDAY)('decodes %s as long as ffmpeg does', async (name, options) => {
    const path = join(folder, `everyday-${name}`);
    await encodeSentence(path, options);
    expect(Math.abs((await secondsOf(path)) - filePcm(path).length / RATE)).toBeLessThan(0.02);
  });

  it('decodes the sound of a digital video tape', async () => {
    const path = join(folder, 'a.dv');
    await encodeTape(path);
    expect(await secondsOf(path)).toBeCloseTo(SECONDS, 1);
  });

  it.each(HEADERS)('decodes %s', async (format, write) => {
    const path = join(folder, format.slice(0, 3));
    await writeFile(path, write(fixturePcm(SOURCE), RATE));
    expect(await secondsOf(path)).toBeCloseTo(SECONDS, 1);
  });

  it.each([16_000, 41_000, 44_100])('decodes ALAC in laces of Matroska at %i Hz', async (rate) => {
    const [mp4, path] = [join(folder, `laced-${rate}.m4a`), join(folder, `laced-${rate}.mka`)];
    await encodeSentence(mp4, ['-ar', String(rate), '-c:a', 'alac']);
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
