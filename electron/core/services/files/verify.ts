import { allFiles, storageTotals } from '../../stores/files.ts';
import type { CopyState } from '../../stores/objects/store.ts';
import type { Files } from './create.ts';

export type Progress = (
  done: { readonly files: number; readonly bytes: number },
  total: { readonly files: number; readonly bytes: number },
) => void;

export type VerifyProblem = { readonly key: string; readonly folder: string; readonly state: CopyState };

export type VerifyReport = {
  readonly files: number;
  readonly bytes: number;
  readonly folders: readonly string[];
  readonly mended: number;
  readonly lost: number;
  readonly away: number;
  /** Every copy that was damaged or missing, including those that were repaired. */
  readonly problems: readonly VerifyProblem[];
  /** Objects without a file, e.g. after the database was restored from an older backup. */
  readonly unknown: number;
};

/**
 * Reads every byte of every copy of every file, and repairs damaged copies. Objects without a file are counted, and
 * removed with `removeUnknown`.
 */
export const verifyStorage = async (
  { db, store }: Files,
  options: { readonly removeUnknown: boolean; readonly onProgress: Progress },
): Promise<VerifyReport> => {
  const total = storageTotals(db);
  const problems: VerifyProblem[] = [];
  const done = { files: 0, bytes: 0 };
  options.onProgress(done, total);
  for (const file of allFiles(db)) {
    for (const { folder, state } of await store.verify(file)) {
      if (state !== 'good') problems.push({ key: file.key, folder, state });
    }
    done.files++;
    done.bytes += file.size;
    options.onProgress(done, total);
  }
  const orphans = new Set<string>();
  for await (const { object } of store.orphanedObjects()) orphans.add(object);
  if (options.removeUnknown) for (const object of orphans) await store.remove(object);
  const count = (wanted: CopyState) => problems.filter(({ state }) => state === wanted).length;
  return {
    ...done,
    folders: store.labels,
    mended: count('mended'),
    lost: count('lost'),
    away: count('away'),
    problems,
    unknown: orphans.size,
  };
};
