import { defineConfig } from 'electron-vite';
import config from '../../../electron.vite.config.ts';

const { main } = config;

/** The desktop program's own build, of its main process alone, into another folder. */
export default defineConfig({
  main: { ...main, build: { ...main.build, outDir: process.env.EARSHOT_BUNDLE } },
});
