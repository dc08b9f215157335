import { readFileSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { basename, join, resolve } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'electron-vite';
import type { HtmlTagDescriptor, Plugin, Rolldown } from 'vite';
import { routes } from './electron/contract/routes.ts';
import { LAYOUT } from './electron/core/base/layout.ts';

// Not this file's own folder: a test imports these settings from a file elsewhere.
const root = process.cwd();
/** Where `npm run dev` sends the window's requests. The Host header stays, so that the service sees its own origin. */
const service = process.env.EARSHOT_DEV_SERVICE ?? 'http://127.0.0.1:3277';

/** Everything that runs as a process or thread of its own. */
const { main, commandLine, worker, analysisThread, databaseThread, renderingThread } = LAYOUT;
const ENTRIES = [main, commandLine, worker, analysisThread, databaseThread, renderingThread];

const CONTRACT_ROUTES = resolve(root, 'electron/contract/routes.ts');

const COMPRESSED = /\.(?:js|css|html|svg)$/;

/** Writes each text file also as Brotli and gzip, which the service sends to a browser that accepts them. */
const precompress = (): Plugin => ({
  name: 'precompress',
  apply: 'build',
  writeBundle: ({ dir = '' }, bundle) => {
    for (const name of Object.keys(bundle).filter((each) => COMPRESSED.test(each))) {
      const path = join(dir, name);
      const bytes = readFileSync(path);
      const params = {
        [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      };
      writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params }));
      writeFileSync(`${path}.gz`, gzipSync(bytes, { level: constants.Z_BEST_COMPRESSION }));
    }
  },
});

/**
 * Gives the window each operation's method and path alone. Its client needs no more, and building the schemas of a
 * hundred operations takes longer than the whole first screen.
 */
const endpointsOnly = (): Plugin => ({
  name: 'endpoints-only',
  apply: 'build',
  load: (id) => {
    if (id !== CONTRACT_ROUTES) return null;
    const endpoints = Object.entries(routes).map(([name, { method, path }]) => [name, { method, path }]);
    return `export const routes = ${JSON.stringify(Object.fromEntries(endpoints))};`;
  },
});

const IMPORT = /^import (?:(?:\* as )?([\w$]+))?(?:, )?(\{[^}]*\})? ?from "([^"]+)";$/gm;

/**
 * Takes Node's own modules by `process.getBuiltinModule`. An import reads every property of the module for its exports, and
 * one of `node:http` is a getter that loads the whole of undici: 45 ms of processor time in each start.
 */
const builtinModules = (): Plugin => ({
  name: 'builtin-modules',
  apply: 'build',
  renderChunk: (code) => ({
    code: code.replace(IMPORT, (line, whole?: string, named?: string, name = '') => {
      if (!isBuiltin(name)) return line;
      const targets = [whole, named?.replaceAll(' as ', ': ')].filter((target) => target !== undefined);
      return targets.map((target) => `const ${target} = process.getBuiltinModule('${name}');`).join(' ');
    }),
    map: null,
  }),
});

/** The files that a chunk needs, itself included, and without those in `loaded`. */
const filesFor = (bundle: Rolldown.OutputBundle, name: string, loaded: ReadonlySet<string>): string[] => {
  const chunk = bundle[name];
  if (chunk?.type !== 'chunk' || loaded.has(name)) return [];
  const seen = new Set([...loaded, name]);
  return [name, ...chunk.imports.flatMap((each) => filesFor(bundle, each, seen))];
};

/**
 * Lets the browser fetch the screens and dialogs ahead, so that they open at once, also without the service. Into its cache,
 * not by `import()`: Chromium remembers a failed import until the page is loaded again.
 */
const prefetchFeatures = (): Plugin => ({
  name: 'prefetch-features',
  apply: 'build',
  transformIndexHtml: {
    order: 'post',
    handler: (_html, { bundle = {}, chunk }) => {
      const loaded = new Set(chunk === undefined ? [] : filesFor(bundle, chunk.fileName, new Set()));
      const features = Object.values(bundle).filter(
        (each) =>
          each.type === 'chunk' &&
          each.isDynamicEntry &&
          // Screens and dialogs; a language's messages are needed by few.
          each.facadeModuleId?.endsWith('.tsx') === true,
      );
      const files = new Set(features.flatMap(({ fileName }) => filesFor(bundle, fileName, loaded)));
      return [...files].map(
        (file): HtmlTagDescriptor => ({
          tag: 'link',
          // The mode of the later import, which else would not find the answer in the cache.
          attrs: { rel: 'prefetch', as: 'script', href: `./${file}`, crossorigin: '' },
          injectTo: 'head',
        }),
      );
    },
  },
});

export default defineConfig({
  main: {
    plugins: [builtinModules()],
    build: {
      outDir: 'out/main',
      lib: {
        entry: Object.fromEntries(
          ENTRIES.map(({ bundled, sources }) => [basename(bundled, '.js'), resolve(root, sources)]),
        ),
        formats: ['es'],
      },
      // V8 keeps a source with a single character beyond Latin-1 at two bytes for each character.
      rolldownOptions: { output: { charset: 'ascii', comments: false } },
    },
  },
  preload: {
    build: {
      outDir: 'out/preload',
      // A sandboxed preload script cannot be an ES module.
      lib: { entry: { index: resolve(root, 'electron/preload/index.ts') }, formats: ['cjs'] },
      rolldownOptions: { output: { entryFileNames: '[name].cjs' } },
    },
  },
  renderer: {
    root: resolve(root, 'renderer'),
    base: './',
    server: { proxy: { '^/(?:v1|v2|docs|cdn|mcp|openapi.json)(?:/|$)': service } },
    plugins: [react(), tailwindcss(), endpointsOnly(), prefetchFeatures(), precompress()],
    build: {
      outDir: resolve(root, 'out/renderer'),
      target: 'chrome120',
      minify: 'oxc',
      rolldownOptions: {
        input: resolve(root, 'renderer/index.html'),
        // One file for all that the first screen needs: a browser asks for six at a time over HTTP/1.1.
        output: { codeSplitting: { groups: [{ name: 'first', tags: ['$initial'] }] } },
      },
      // Fonts stay files, so that font-src 'self' holds and the style sheet stays small.
      assetsInlineLimit: 0,
    },
  },
});
