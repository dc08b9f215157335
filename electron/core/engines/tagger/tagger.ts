import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAppError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import type { ForkWorker } from '../worker/client.ts';
import { WorkerHost } from '../worker/host.ts';
import { type TaggedWord, tagTask } from './tasks.ts';

/** The SHA-256 of the files of Rampart, which comes along. */
const SUMS = {
  'rampart-q4.onnx': '9f27d24949b0581701071ea5ef522d77ccd3f50c525cc91eac4d265b0fc2afe5',
  'rampart-vocab.txt': '0fbe6b50061feabb9be68af471e9aa6df07a4bc428bdca4b0eff1fcd3612dee5',
} as const;

/** Reads a file of the model. Throws if it is missing or damaged: such a model would find less, and say nothing. */
export const readModelFile = (folder: string, name: keyof typeof SUMS): Buffer => {
  const content = readFileSync(join(folder, name));
  if (createHash('sha256').update(content).digest('hex') !== SUMS[name])
    throw new Error(`${name}, which comes with Earshot, is damaged. Install Earshot again.`);
  return content;
};

/** Throws if a file of the model is missing or damaged. */
const checkModelFiles = (folder: string): void => {
  readModelFile(folder, 'rampart-q4.onnx');
  readModelFile(folder, 'rampart-vocab.txt');
};

export type TaggerOptions = {
  readonly fork: ForkWorker;
  readonly addonPath: string;
  /** The folder of the bundled models. */
  readonly folder: string;
  readonly log: Logger;
};

/** Finds names, addresses and documents in sentences. Rejects with the errors of {@link WorkerHost}. */
export type TextTagger = {
  tag(sentences: readonly string[], signal?: AbortSignal): Promise<TaggedWord[][]>;
  /** Throws if the model's files are missing or damaged. */
  check(): void;
  readonly workerPid: number | undefined;
  close(): Promise<void>;
};

/** So many sentences take under a second; the memory of a message stays small. */
const BATCH = 64;
const IDLE_MS = 60_000;
const TASKS_PER_WORKER = 5000;

const isCrash = (error: unknown): boolean => isAppError(error) && error.code === 'engine_crashed';

/** Keeps one process, which ends when idle. Transcripts share it batch by batch. */
export const createTagger = ({ fork, addonPath, folder, log }: TaggerOptions): TextTagger => {
  const host = new WorkerHost({
    fork: () => fork(['tagger', addonPath]),
    concurrency: 1,
    idleMs: IDLE_MS,
    tasksPerWorker: TASKS_PER_WORKER,
    log,
  });
  return {
    async tag(sentences, signal) {
      const found: TaggedWord[][] = [];
      for (let at = 0; at < sentences.length; at += BATCH) {
        const batch = sentences.slice(at, at + BATCH);
        const run = () => host.run(tagTask, { folder, sentences: batch }, { signal });
        // A process that was killed says nothing of the sentences: another one gets them once more.
        found.push(
          ...(await run().catch((error: unknown) => (isCrash(error) ? run() : Promise.reject(error)))),
        );
      }
      return found;
    },
    check: () => checkModelFiles(folder),
    get workerPid() {
      return host.pid;
    },
    close: () => host.close(),
  };
};
