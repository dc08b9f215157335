import { resolve } from 'node:path';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'electron-vite';

// Not this file's own folder: a test imports these settings from a file elsewhere.
const root = process.cwd();
/** Where `npm run dev` sends the window's requests. The Host header stays, so that the service sees its own origin. */
const service = process.env.EARSHOT_DEV_SERVICE ?? 'http://127.0.0.1:3277';

export default defineConfig({
  main: {
    build: {
      outDir: 'out/main',
      lib: {
        entry: {
          index: resolve(root, 'electron/main/index.ts'),
          worker: resolve(root, 'electron/worker/main.ts'),
          'analysis-thread': resolve(root, 'electron/core/analysis/analysis-thread.ts'),
          'database-thread': resolve(root, 'electron/core/stores/database-thread.ts'),
        },
        formats: ['es'],
      },
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
    plugins: [react(), tailwindcss()],
    build: {
      outDir: resolve(root, 'out/renderer'),
      target: 'chrome120',
      minify: 'oxc',
      rolldownOptions: { input: resolve(root, 'renderer/index.html') },
      // Fonts stay files, so that font-src 'self' holds and the style sheet stays small.
      assetsInlineLimit: 0,
    },
  },
});
