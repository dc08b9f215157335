import { join } from 'node:path';
import { layoutOf } from '../../electron/core/base/layout.ts';

/** The repository. */
export const ROOT = join(import.meta.dirname, '..', '..');

export const RESOURCES = join(ROOT, 'resources');

/** The recordings, each with a JSON file of what is said in it. */
export const AUDIO_FIXTURES = join(ROOT, 'test', 'fixtures', 'audio');

/** Recordings, each with a JSON file of its words and their times. */
export const TIMED_FIXTURES = join(ROOT, 'test', 'fixtures', 'word-times');

export const STARTER_MODEL = join(RESOURCES, 'models', 'ggml-starter.bin');

/** The demonstration model of the Parakeet family. */
export const STARTER_PARAKEET = join(RESOURCES, 'models', 'ggml-starter-parakeet.bin');

/** Silero VAD in whisper.cpp's format. */
export const SPEECH_DETECTOR = join(RESOURCES, 'models', 'ggml-silero-v6.2.0.bin');

/**
 * The program that the tests start: the sources, or with EARSHOT_TEST_PROGRAM=bundled what the packages ship. A whole
 * `npm test` sets that, since it has just built the bundles, and they start in half the time.
 */
const PROGRAM = layoutOf({
  form: process.env.EARSHOT_TEST_PROGRAM === 'bundled' ? 'bundled' : 'sources',
  program: ROOT,
});

/** The worker process's entry. */
export const WORKER_ENTRY = PROGRAM.worker;

/** The command line. */
export const CLI_ENTRY = PROGRAM.commandLine;
