import { once } from 'node:events';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import BetterSqlite3 from 'better-sqlite3';

type Condition = {
  readonly pid: number;
  /** The path of the database file. */
  readonly database: string;
  /** A SELECT that gives one number. */
  readonly query: string;
  readonly patienceMs: number;
};

const POLL_MS = 5;
/** For the write lock of the process, which its death frees. */
const LOCK_MS = 60_000;

/** Holds the process in its next change of a transcript once `query` gives 1, however late the poll sees that. */
const hold = (query: string): string => `
  CREATE VIEW endless AS WITH RECURSIVE row(n) AS (SELECT 1 UNION ALL SELECT n FROM row) SELECT n FROM row;
  CREATE TRIGGER held BEFORE UPDATE ON transcripts WHEN (${query}) = 1 BEGIN SELECT count(*) FROM endless; END;
`;
const RELEASE = 'DROP TRIGGER held; DROP VIEW endless;';

const change = (database: string, sql: string): void => {
  const connection = new BetterSqlite3(database, { timeout: LOCK_MS });
  connection.exec(sql);
  connection.close();
};

const poll = ({ pid, database, query, patienceMs }: Condition): void => {
  // Open to the end: the last connection that could write would empty the log that the killed process leaves.
  const connection = new BetterSqlite3(database, { readonly: true });
  const statement = connection.prepare(query).pluck();
  change(database, hold(query));
  const sleeper = new Int32Array(new SharedArrayBuffer(4));
  const end = performance.now() + patienceMs;
  parentPort?.postMessage('polling');
  while (statement.get() !== 1) {
    if (performance.now() > end) throw new Error('The commit that was waited for did not come.');
    Atomics.wait(sleeper, 0, 0, POLL_MS);
  }
  process.kill(pid, 'SIGKILL');
  change(database, RELEASE);
  connection.close();
};

if (!isMainThread) poll(workerData);

/**
 * Runs `act` and sends SIGKILL to a process as soon as a committed row makes `query` give 1, so that the process does
 * little or nothing after that commit, and changes no transcript. A thread polls the database, since the event loop answers
 * too late.
 */
export const killOnCommit = async (condition: Condition, act: () => Promise<unknown>): Promise<void> => {
  const worker = new Worker(new URL(import.meta.url), { workerData: condition });
  const ended = once(worker, 'exit');
  await once(worker, 'message');
  // The answer is cut off by the kill.
  await Promise.all([ended, act().catch(() => undefined)]);
};
