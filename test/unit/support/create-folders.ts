import { join } from 'node:path';
import { workerData } from 'node:worker_threads';
import { createFolder } from '../../../electron/core/data-folder.ts';

/** What each of the threads gets that create the same folders at the same moments. */
export type Race = {
  readonly root: string;
  readonly rounds: number;
  readonly threads: number;
  /** An `Int32Array` of one number: how many times a thread has come to a new round. */
  readonly arrived: SharedArrayBuffer;
};

const { root, rounds, threads, arrived }: Race = workerData;
const count = new Int32Array(arrived);
for (let round = 1; round <= rounds; round++) {
  Atomics.add(count, 0, 1);
  while (Atomics.load(count, 0) < round * threads);
  createFolder(join(root, String(round)));
}
