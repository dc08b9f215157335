import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { MEDIA_FORMATS } from '../../../electron/core/engines/ffmpeg/input-options.ts';
import { FFMPEG, ffmpegOptions, PARTS } from '../../../packages/desktop/build/ffmpeg/recipe.ts';
import { fetchSources } from '../../../packages/desktop/build/ffmpeg/sources.ts';
import { ROOT } from '../../support/paths.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** Demuxers under another name than the format. */
const DEMUXERS: Readonly<Record<string, string>> = {
  latm: 'loas',
  mpeg: 'mpegps',
  shn: 'shorten',
  webm: 'matroska',
  ...Object.fromEntries(['mp4', 'm4a', '3gp', '3g2', 'mj2'].map((name) => [name, 'mov'])),
};

describe('the packages’ own ffmpeg', () => {
  afterEach(() => vi.unstubAllEnvs());

  it('opens every format that the media engine opens', () => {
    const demuxers = new Set(PARTS.demuxer.join(',').split(','));
    expect(MEDIA_FORMATS.filter((format) => !demuxers.has(DEMUXERS[format] ?? format))).toEqual([]);
  });

  it('has the filters that the media engine uses, and no others', () => {
    const folder = join(ROOT, 'electron', 'core', 'engines', 'ffmpeg');
    const sources = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
    const used = sources.flatMap((source) =>
      [...source.replaceAll(/\/\*.*?\*\//gs, '').matchAll(/['"`,}\]]([a-z]+)=[^=>]/g)].map(
        ([, name]) => name,
      ),
    );
    const filters = new Set([...used, 'anull']);
    // The range of an HTTP request.
    filters.delete('bytes');
    // Between `-map` and the encoder ffmpeg puts anull itself.
    expect(PARTS.filter.join(',').split(',')).toEqual([...filters].toSorted());
  });

  it.each(['linux', 'darwin', 'win32'] as const)('stays under the LGPL on %s', (target) => {
    const options = ffmpegOptions(target, true);
    expect(options[0]).toBe('--disable-everything');
    expect(options.filter((option) => /gpl|nonfree|version3/.test(option))).toEqual([]);
  });

  it('is made of the sources that the recipe names, and of no others', async () => {
    const folder = temporaryFolder();
    vi.stubEnv('EARSHOT_FFMPEG_SOURCES', folder);
    await expect(fetchSources()).rejects.toThrow(/missing, or has another SHA-256/);
    writeFileSync(join(folder, FFMPEG.archive), 'another file');
    await expect(fetchSources()).rejects.toThrow(/missing, or has another SHA-256/);
  });
});
