import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { id3Length, isConstantRateMp3 } from '../../../../electron/core/engines/ffmpeg/mp3-rate.ts';
import { ffmpeg } from '../../../support/ffmpeg.ts';
import { fixturePath } from '../../../support/fixtures.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

describe('isConstantRateMp3', () => {
  let folder: string;

  beforeAll(async () => {
    folder = temporaryFolder();
  });

  it.each([
    ['constant, with an Info header', ['-b:a', '64k'], true],
    ['constant, 44.1 kHz stereo', ['-b:a', '128k', '-ar', '44100', '-ac', '2'], true],
    ['constant, without any header', ['-b:a', '64k', '-write_xing', '0'], true],
    ['constant, 8 kHz (MPEG 2.5)', ['-b:a', '16k', '-ar', '8000', '-write_xing', '0'], true],
    ['variable, with a Xing header', ['-q:a', '4'], false],
    ['variable, without any header', ['-q:a', '2', '-ar', '44100', '-write_xing', '0'], false],
  ])('%s: %j', async (_name, args, constant) => {
    const path = join(folder, 'a.mp3');
    await ffmpeg('-i', fixturePath('01-short-note.wav'), ...args, '-metadata', 'title=a talk', path);
    const bytes = await readFile(path);
    expect(id3Length(bytes)).toBeGreaterThan(10);
    const frames = bytes.subarray(id3Length(bytes));
    expect(isConstantRateMp3(frames.subarray(0, 16_384), frames.length)).toBe(constant);
  });

  it('is false where the header counts the bytes of the first of several recordings in one file', async () => {
    const path = join(folder, 'part.mp3');
    await ffmpeg('-i', fixturePath('01-short-note.wav'), '-b:a', '64k', path);
    const bytes = await readFile(path);
    const frames = bytes.subarray(id3Length(bytes));
    expect(isConstantRateMp3(frames.subarray(0, 16_384), 2 * frames.length)).toBe(false);
  });

  it('is false for anything else', async () => {
    expect(isConstantRateMp3(new Uint8Array(), 0)).toBe(false);
    expect(isConstantRateMp3(await readFile(fixturePath('01-short-note.wav')), 1e6)).toBe(false);
    expect(id3Length(new Uint8Array(20))).toBe(0);
  });
});
