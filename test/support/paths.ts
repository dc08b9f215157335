import { join } from 'node:path';

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

/** The worker process's entry, as source. */
export const WORKER_ENTRY = join(ROOT, 'electron', 'worker', 'main.ts');

/** The command line, as source. */
export const CLI_ENTRY = join(ROOT, 'electron', 'cli', 'main.ts');
