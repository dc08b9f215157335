import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { throwIfAborted } from '../base/abort.ts';
import { hasDiskFullCode } from '../base/errors.ts';
import type { WritableDb } from './database.ts';
import {
  clearScrubMark,
  erasuresOf,
  markForScrub,
  type ScrubScope,
  scrubMarkOf,
  setScrubMark,
} from './scrub-mark.ts';
import { compactIndexStep } from './search.ts';
import { deleteLeftovers } from './segments.ts';

/** Longest that a request waits for the index after private content was replaced; the rest is done in the background. */
const MAX_WAIT_MS = 100;
const BACKGROUND_INTERVAL_MS = 5000;
const BACKGROUND_STEP_MS = 10;

/** Merges the search index for about `maxMs`, in one transaction; false once nothing deleted is left in it. */
const compactIndexFor = (db: WritableDb, maxMs: number): boolean =>
  db.transaction(() => {
    const end = performance.now() + maxMs;
    let isPending = true;
    while (isPending && performance.now() < end) isPending = compactIndexStep(db);
    return isPending;
  });

/** One pass over the pages of the database file, in as many steps as it takes. */
class GapScan {
  /** The page of the next step; undefined at the end. */
  next: number | undefined = 0;
  #erasures: number | undefined;

  /** Erases the gaps of some pages, right after a checkpoint. Returns whether nothing erased before this pass lingers. */
  step(db: WritableDb, maxMs: number): boolean {
    this.#erasures ??= erasuresOf(db);
    if (this.next !== undefined) this.next = db.eraseGaps(this.next, maxMs);
    // What was erased meanwhile may linger in pages that this pass has left behind.
    return this.next === undefined && erasuresOf(db) === this.#erasures;
  }
}

const scrub = (db: WritableDb, mark: ScrubScope, maxMs: number, scan: GapScan): ScrubScope | undefined => {
  const hasOthers = deleteLeftovers(db);
  const isIndexPending = mark === 'index' && compactIndexFor(db, maxMs);
  if (mark === 'index' && !isIndexPending) setScrubMark(db, 'log');
  // While another process reads, the log cannot be emptied: the mark stays for the next time.
  const isLogEmpty = db.checkpoint();
  if (isIndexPending) return 'index';
  if (!(isLogEmpty && scan.step(db, maxMs)) || hasOthers) return 'log';
  clearScrubMark(db);
  return undefined;
};

/**
 * Removes what `markForScrub` noted from the database files: merges the search index, empties the log and erases the gaps
 * of pages, each for at most about `maxMs`. Returns what is still pending. Not inside a transaction.
 */
export const runPendingScrub = (
  db: WritableDb,
  maxMs = MAX_WAIT_MS,
  scan = new GapScan(),
): ScrubScope | undefined => {
  const mark = scrubMarkOf(db);
  if (mark === undefined) return undefined;
  try {
    return scrub(db, mark, maxMs, scan);
  } catch (error) {
    // What was erased is committed: a full disk must not make that fail. The mark stays for the next time.
    if (!hasDiskFullCode(error)) throw error;
    return mark;
  }
};

/**
 * Merges what was removed from the search index out of it, in steps between which requests get their turn: a pass over the
 * whole index. Throws when aborted; the mark stays then.
 */
export const scrubIndex = async (db: WritableDb, signal: AbortSignal): Promise<void> => {
  markForScrub(db, 'index');
  while (scrubMarkOf(db) === 'index') {
    throwIfAborted(signal);
    if (compactIndexFor(db, BACKGROUND_STEP_MS)) await nextTurn();
    else setScrubMark(db, 'log');
  }
};

/**
 * Empties the log and erases the gaps of all pages after a commit with the mark `log`, in steps between which requests get
 * their turn. What it can not do is left to the background: when aborted, and while another process reads.
 */
export const scrubLog = async (db: WritableDb, signal: AbortSignal): Promise<void> => {
  const scan = new GapScan();
  try {
    for (let from: number | undefined = -1; from !== scan.next && !signal.aborted; ) {
      // Also before the first step: the commit took its time, too.
      await nextTurn();
      from = scan.next;
      if (db.checkpoint()) scan.step(db, BACKGROUND_STEP_MS);
    }
  } catch (error) {
    if (!hasDiskFullCode(error)) throw error;
  }
  runPendingScrub(db);
};

/** Scrubs what is pending every few seconds, in steps between which requests get their turn. Returns a function that ends it. */
export const startScrubbing = (db: WritableDb, onError: (error: unknown) => void): (() => Promise<void>) => {
  const stopping = new AbortController();
  const { signal } = stopping;
  const scrubAll = async () => {
    while (!signal.aborted) {
      try {
        await delay(BACKGROUND_INTERVAL_MS, undefined, { ref: false, signal });
        // The pauses leave at least half of the time to requests.
        while (scrubMarkOf(db) === 'index' && compactIndexFor(db, BACKGROUND_STEP_MS)) {
          await delay(2 * BACKGROUND_STEP_MS, undefined, { ref: false, signal });
        }
        const scan = new GapScan();
        for (let from: number | undefined = -1; from !== scan.next; ) {
          from = scan.next;
          if (runPendingScrub(db, BACKGROUND_STEP_MS, scan) === undefined) break;
          await delay(2 * BACKGROUND_STEP_MS, undefined, { ref: false, signal });
        }
      } catch (error) {
        if (!signal.aborted) onError(error);
      }
    }
  };
  const done = scrubAll();
  return () => {
    stopping.abort();
    return done;
  };
};
