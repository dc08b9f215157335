import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { createFolder } from '../../electron/core/data-folder.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import type { Race } from './support/create-folders.ts';

const ROUNDS = 300;
const THREADS = 2;

it('a folder that two programs create at once is there for both', async () => {
  const root = temporaryFolder();
  const arrived = new SharedArrayBuffer(4);
  const workerData: Race = { root, rounds: ROUNDS, threads: THREADS, arrived };
  const file = new URL('./support/create-folders.ts', import.meta.url);
  const threads = Array.from({ length: THREADS }, () => new Worker(file, { workerData }));
  try {
    // Rejects with what a thread throws.
    await Promise.all(threads.map((thread) => once(thread, 'exit')));
  } finally {
    await Promise.all(threads.map((thread) => thread.terminate()));
  }
  expect(readdirSync(root)).toHaveLength(ROUNDS);
});

it('a file where a folder should be is named', () => {
  const path = join(temporaryFolder(), 'transcripts');
  writeFileSync(path, '');
  expect(() => createFolder(path)).toThrow('There is a file where the folder transcripts should be.');
  expect(() => createFolder(join(path, 'below'))).toThrow('There is a file where');
});
