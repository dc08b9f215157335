import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createMediaEngine } from '../../../electron/core/engines/ffmpeg/engine.ts';
import { findFfmpeg } from '../../../electron/core/engines/ffmpeg/tools.ts';
import { fixture } from '../../support/ffmpeg.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

describe('findFfmpeg', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;

  const program = async (name: string): Promise<string> => {
    const path = join(folder.path, name);
    await writeFile(path, '#!/bin/sh\nexit 0\n');
    await chmod(path, 0o755);
    return path;
  };

  beforeEach(async () => {
    folder = await temporaryFolder();
  });

  afterEach(async () => folder.remove());

  it('takes what the environment names first, then the resources, then the PATH', async () => {
    const [ffmpeg, ffprobe] = [await program('ffmpeg'), await program('ffprobe')];
    const own = await program('my-ffmpeg');
    const lookup = { platform: 'linux' as const, environment: { PATH: `/nowhere:${folder.path}` } };
    expect(await findFfmpeg(lookup)).toEqual({ ffmpeg, ffprobe });
    expect(await findFfmpeg({ ...lookup, environment: {}, resourcesPath: folder.path })).toEqual({
      ffmpeg,
      ffprobe,
    });
    const named = { ...lookup.environment, FFMPEG_PATH: own };
    expect(await findFfmpeg({ ...lookup, environment: named })).toEqual({ ffmpeg: own, ffprobe });
  });

  it('says what to install, or which variable is wrong', async () => {
    const lookup = { platform: 'linux' as const, environment: { PATH: folder.path } };
    await expect(findFfmpeg(lookup)).rejects.toMatchObject({
      code: 'engine_unavailable',
      message: expect.stringContaining('apt-get install ffmpeg'),
    });
    await expect(
      findFfmpeg({ ...lookup, environment: { FFMPEG_PATH: '/nowhere/ffmpeg' } }),
    ).rejects.toMatchObject({ message: expect.stringContaining('FFMPEG_PATH') });
  });

  it('programs that went away later give engine_unavailable', async () => {
    const engine = createMediaEngine({ ffmpeg: '/nowhere/ffmpeg', ffprobe: '/nowhere/ffprobe' });
    const input = { kind: 'file' as const, path: fixture('01-short-note.wav') };
    await expect(engine.probe(input)).rejects.toMatchObject({ code: 'engine_unavailable' });
    const reading = async (): Promise<void> => {
      for await (const piece of engine.decodePieces(input).pieces) expect(piece).toBeNull();
    };
    await expect(reading()).rejects.toMatchObject({ code: 'engine_unavailable' });
  });
});
