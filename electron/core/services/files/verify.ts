import { filesAfter, storageTotals } from '../../stores/files.ts';
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
  /** Every copy that was not right, also those that were mended. */
  readonly problems: readonly VerifyProblem[];
  /** Objects that no file knows, e.g. after the database was put back from an older copy. */
  readonly unknown: number;
};

const STEP = 200;

/**
 * Reads every byte of every copy of every file, and mends what is not right. Unknown objects are counted,
 * and removed only when `removeUnknown` says so.
 */
export const verifyStorage = async (
  { db, store }: Files,
  options: { readonly removeUnknown: boolean; readonly onProgress: Progress },
): Promise<VerifyReport> => {
  const total = storageTotals(db);
  const problems: VerifyProblem[] = [];
  const done = { files: 0, bytes: 0 };
  options.onProgress(done, total);
  for (
    let rows = filesAfter(db, '', STEP);
    rows.length > 0;
    rows = filesAfter(db, rows.at(-1)?.id ?? '', STEP)
  ) {
    for (const row of rows) {
      for (const { folder, state } of await store.verify(row)) {
        if (state !== 'good') problems.push({ key: row.key, folder, state });
      }
      done.files++;
      done.bytes += row.size;
      options.onProgress(done, total);
    }
  }
  const unknown = new Set<string>();
  for await (const { object } of store.unknownObjects()) unknown.add(object);
  if (options.removeUnknown) for (const object of unknown) await store.discard(object);
  const count = (wanted: CopyState) => problems.filter(({ state }) => state === wanted).length;
  return {
    ...done,
    folders: store.labels,
    mended: count('mended'),
    lost: count('lost'),
    away: count('away'),
    problems,
    unknown: unknown.size,
  };
};
