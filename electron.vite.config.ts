import { resolve } from 'node:path';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'electron-vite';

// Not this file's own folder: a test takes these settings over into a file elsewhere.
const root = process.cwd();

export default defineConfig({
  main: {
    build: {
      outDir: 'out/main',
      lib: {
        entry: {
          index: resolve(root, 'electron/main/index.ts'),
          worker: resolve(root, 'electron/worker/main.ts'),
          'analysis-thread': resolve(root, 'electron/core/analysis/analysis-thread.ts'),
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
