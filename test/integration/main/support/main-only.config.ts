import { defineConfig } from 'electron-vite';
import config from '../../../../electron.vite.config.ts';

/** The desktop program's own build, of its main process alone, into another folder. */
export default defineConfig({
  main: {
    ...config.main,
    build: { ...config.main?.build, outDir: process.env.EARSHOT_BUNDLE ?? 'out/main' },
  },
});
