// `node test/bench/scrub.ts [--transcripts 100000]`: how long it takes to remove a deleted or redacted text from the search index.

import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { silentLogger } from '../../electron/core/base/logger.ts';
import { openDatabase } from '../../electron/core/stores/database.ts';
import { scrubIndex, scrubLog } from '../../electron/core/stores/scrub.ts';
import { deleteTranscript, transcriptIdsOf } from '../../electron/core/stores/transcripts.ts';
import { findOwner } from '../../electron/core/stores/users.ts';
import { FILLED_WORDS, fillTranscripts } from '../support/fill-transcripts.ts';
import { discard, startServer } from '../support/server.ts';

const RUNS = 3;

const { values } = parseArgs({ options: { transcripts: { type: 'string', default: '100000' } } });
const server = await startServer();
await server.stop();
fillTranscripts(server.dataDir, Number(values.transcripts));
const path = join(server.dataDir, 'earshot.db');
const db = openDatabase(path, { logger: silentLogger, now: Date.now });
const userId = findOwner(db)?.id ?? '';
const { signal } = new AbortController();

/** Runs `work`; returns its seconds of wall time and of processor time, and the longest that the event loop was blocked, in ms. */
const measured = async (work: () => Promise<void>) => {
  let over = false;
  let longest = 0;
  const watching = (async () => {
    while (!over) {
      const before = performance.now();
      await nextTurn();
      longest = Math.max(longest, performance.now() - before);
    }
  })();
  const started = performance.now();
  const cpu = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(cpu);
  over = true;
  await watching;
  return { wall: (performance.now() - started) / 1000, processor: (user + system) / 1e6, longest };
};

process.stdout.write(
  `${values.transcripts} transcripts of ${FILLED_WORDS} words, ${Math.round(statSync(path).size / 1e6)} MB\n\n` +
    '| | seconds | of processor time | a request waits at most |\n|---|---|---|---|\n',
);
const report = (what: string, { wall, processor, longest }: Awaited<ReturnType<typeof measured>>) =>
  process.stdout.write(
    `| ${what} | ${wall.toFixed(1)} s | ${processor.toFixed(1)} s | ${longest.toFixed(0)} ms |\n`,
  );
report('the first pass over the index', await measured(() => scrubIndex(db, signal)));
const ids = transcriptIdsOf(db, userId);
for (let run = 1; run <= RUNS; run++) {
  const id = ids[Math.floor((ids.length * run) / (RUNS + 1))] ?? '';
  deleteTranscript(db, userId, id);
  report(`the index, after deletion ${run}`, await measured(() => scrubIndex(db, signal)));
  report('the log, and the gaps of pages', await measured(() => scrubLog(db, signal)));
}
db.close();
await discard(server);
