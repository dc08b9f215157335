import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { createMediaEngine } from '../../../../electron/core/engines/ffmpeg/engine.ts';
import { findFfmpeg } from '../../../../electron/core/engines/ffmpeg/tools.ts';
import type { FfmpegTools } from '../../../../electron/core/engines/ffmpeg/types.ts';
import { fixturePath } from '../../../support/fixtures.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

describe('findFfmpeg', () => {
  let folder: string;

  const program = async (name: string): Promise<string> => {
    const path = join(folder, name);
    await writeFile(path, '#!/bin/sh\nexit 0\n');
    await chmod(path, 0o755);
    return path;
  };

  beforeEach(async () => {
    folder = temporaryFolder();
  });

  it('looks in the environment variables first, then in the package, then on the PATH', async () => {
    const [ffmpeg, ffprobe] = [await program('ffmpeg'), await program('ffprobe')];
    const own = await program('my-ffmpeg');
    const lookup = { platform: 'linux' as const, environment: { PATH: `/nowhere:${folder}` } };
    expect(await findFfmpeg(lookup)).toEqual({ ffmpeg, ffprobe });
    expect(await findFfmpeg({ ...lookup, environment: {}, folder })).toEqual({
      ffmpeg,
      ffprobe,
    });
    const named = { ...lookup.environment, FFMPEG_PATH: own };
    expect(await findFfmpeg({ ...lookup, environment: named })).toEqual({ ffmpeg: own, ffprobe });
  });

  it('reports what to install, or which variable is wrong', async () => {
    const lookup = { platform: 'linux' as const, environment: { PATH: folder } };
    await expect(findFfmpeg(lookup)).rejects.toMatchObject({
      code: 'engine_unavailable',
      message: expect.stringContaining('apt-get install ffmpeg'),
    });
    await expect(
      findFfmpeg({ ...lookup, environment: { FFMPEG_PATH: '/nowhere/ffmpeg' } }),
    ).rejects.toMatchObject({ message: expect.stringContaining('FFMPEG_PATH') });
  });

  it('reports missing programs as engine_unavailable, at first use and later', async () => {
    const input = { kind: 'file' as const, path: fixturePath('01-short-note.wav') };
    const lengthWith = async (tools: FfmpegTools): Promise<number> => {
      let samples = 0;
      for await (const { pcm } of createMediaEngine(tools).decodeChunks(input).chunks) samples += pcm.length;
      return samples;
    };
    const gone = { ffmpeg: '/nowhere/ffmpeg', ffprobe: '/nowhere/ffprobe' };
    const unavailable = { code: 'engine_unavailable' };
    await expect(createMediaEngine(gone).probe(input)).rejects.toMatchObject(unavailable);
    await expect(lengthWith(gone)).rejects.toMatchObject(unavailable);
    expect(
      await lengthWith(await findFfmpeg({ platform: process.platform, environment: process.env })),
    ).toBeGreaterThan(0);
    await expect(lengthWith(gone)).rejects.toMatchObject(unavailable);
  });
});
