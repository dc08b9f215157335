import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join, posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { MEDIA_EXTENSIONS, MEDIA_KINDS } from '../../../electron/contract/media-kinds.ts';
import { LAYOUT, layoutOf } from '../../../electron/core/base/layout.ts';
import config from '../../../electron.vite.config.ts';
import { ROOT } from '../../support/paths.ts';

const Builder = z.object({
  files: z.array(z.string()),
  asarUnpack: z.array(z.string()),
  extraResources: z.array(z.object({ from: z.string(), to: z.string() })),
  mac: z.object({ fileAssociations: z.array(z.object({ ext: z.string() })) }),
  linux: z.object({ mimeTypes: z.array(z.string()) }),
  electronFuses: z.record(z.string(), z.boolean()),
});
const builder = Builder.parse(parse(readFileSync(join(ROOT, 'electron-builder.yml'), 'utf8')));
const parts = Object.values(LAYOUT);

describe('the layout of the program', () => {
  it('names what is in the sources', () => {
    for (const { sources } of [LAYOUT.main, LAYOUT.preload, LAYOUT.commandLine, LAYOUT.worker])
      expect(existsSync(join(ROOT, sources)), sources).toBe(true);
    expect(existsSync(join(ROOT, LAYOUT.resources.sources))).toBe(true);
  });

  it('is what electron-vite builds', () => {
    const library = config.main?.build?.lib;
    const entries = library ? library.entry : undefined;
    const code = [
      ...[LAYOUT.main, LAYOUT.commandLine, LAYOUT.worker],
      ...[LAYOUT.analysisThread, LAYOUT.databaseThread, LAYOUT.renderingThread],
    ];
    expect(
      Object.fromEntries(code.map((part) => [basename(part.bundled, '.js'), join(ROOT, part.sources)])),
    ).toEqual(entries);
    for (const part of code) expect(dirname(part.bundled)).toBe(config.main?.build?.outDir);
    expect(dirname(LAYOUT.preload.bundled)).toBe(config.preload?.build?.outDir);
    expect(join(ROOT, LAYOUT.renderer.bundled)).toBe(config.renderer?.build?.outDir);
    expect(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).main).toBe(
      `./${LAYOUT.main.bundled}`,
    );
  });

  it('is what electron-builder packs', () => {
    const application = builder.files.filter(
      (pattern) => pattern.endsWith('/**') && !pattern.startsWith('!'),
    );
    for (const { in: folder, bundled } of parts) {
      const isCovered =
        folder === 'program'
          ? application.some((pattern) => posix.matchesGlob(bundled, pattern) || `${bundled}/**` === pattern)
          : builder.extraResources.some(({ to }) => bundled === to || bundled.startsWith(`${to}/`));
      expect(isCovered, bundled).toBe(true);
    }
    const outside = parts.filter((part) => part.in === 'files').map((part) => part.bundled);
    for (const { to } of builder.extraResources)
      expect(
        outside.some((place) => place === to || dirname(place) === to),
        to,
      ).toBe(true);
  });

  it('is opened with the kinds of recordings that it knows', () => {
    expect(builder.mac.fileAssociations.map(({ ext }) => ext)).toEqual(MEDIA_EXTENSIONS);
    expect(builder.linux.mimeTypes).toEqual(MEDIA_KINDS.map(({ mimeType }) => mimeType));
  });

  it('opens neither Node nor files to a page or another program', () => {
    const { enableCookieEncryption, enableEmbeddedAsarIntegrityValidation, onlyLoadAppFromAsar, ...off } =
      builder.electronFuses;
    expect([enableCookieEncryption, enableEmbeddedAsarIntegrityValidation, onlyLoadAppFromAsar]).toEqual([
      true,
      true,
      true,
    ]);
    expect(Object.entries(off).toSorted()).toEqual([
      ['enableNodeCliInspectArguments', false],
      ['enableNodeOptionsEnvironmentVariable', false],
      ['grantFileProtocolExtraPrivileges', false],
      ['runAsNode', false],
    ]);
  });

  it('puts files beside the archive of the desktop package', () => {
    const layout = layoutOf({ form: 'bundled', program: '/app/app.asar', files: '/app' });
    expect([layout.worker, layout.renderer, layout.addon, layout.ffmpeg]).toEqual([
      '/app/app.asar/out/main/worker.js',
      '/app/app.asar/out/renderer',
      '/app/native/earshot_engine.node',
      '/app/resources/ffmpeg',
    ]);
  });
});
