// Lists and searches of a large library, for `npm run bench -- --service`.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import {
  type TranscriptFilter,
  transcriptCount,
  transcriptPage,
} from '../../electron/core/stores/transcripts.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { cpuSeconds, quantile, timedRequests, untilIdle } from './measure.ts';
import { filledLibrary, measureSearches } from './search.ts';
import type { ServiceRow } from './service.ts';

/** Requests in a row, in turn with as many of the bare SQL. */
const IN_A_ROW = 20;
const RUNS = 10 * IN_A_ROW;
const LIMIT = 20;
const ms = (value: number): string => `${value.toFixed(1)} ms`;
const p99 = (times: readonly number[]): number => quantile(times, 0.99);

/** What the service asks the database for a page of the list. */
const asBareSql = (dataDir: string, page: number): { read: () => void; close: () => void } => {
  const db = new BetterSqlite3(join(dataDir, 'earshot.db'), { readonly: true });
  const userId = db.prepare<[], string>('SELECT id FROM users').pluck().get() ?? '';
  const filter: TranscriptFilter = { page, limit: LIMIT, sort: 'created_at', order: 'desc' };
  const count = transcriptCount(userId, filter).compile();
  const counting = db.prepare<unknown[], { count: number }>(count.sql);
  const total = counting.get(...count.parameters)?.count ?? 0;
  const rows = transcriptPage(userId, filter, total).query.compile();
  const reading = db.prepare(rows.sql);
  return {
    read: () => {
      counting.get(...count.parameters);
      reading.all(...rows.parameters);
    },
    close: () => db.close(),
  };
};

/** Times of requests in ms, with the processor time of each. */
const inWords = (times: readonly number[], cpu: number): string =>
  `${ms(p99(times))}, ${ms(quantile(times, 0.5))}, processor ${ms(cpu)}`;

const list = async (server: TestServer, name: string, page: number): Promise<ServiceRow> => {
  const bare = asBareSql(server.dataDir, page);
  const [ours, theirs]: [number[], number[]] = [[], []];
  const before = cpuSeconds(server.pid).all;
  let bareCpu = 0;
  const path = `/v1/transcript/user?page=${page}&limit=${LIMIT}`;
  while (ours.length < RUNS) {
    ours.push(...(await timedRequests(server, path, IN_A_ROW)));
    for (let run = 0; run < IN_A_ROW; run++) {
      const asked = performance.now();
      const used = process.cpuUsage();
      bare.read();
      const { user, system } = process.cpuUsage(used);
      bareCpu += (user + system) / 1000 / RUNS;
      theirs.push(performance.now() - asked);
    }
  }
  const cpu = ((cpuSeconds(server.pid).all - before) * 1000) / RUNS;
  bare.close();
  return {
    name: `list, ${name}: 99th percentile, median`,
    ours: inWords(ours, cpu),
    reference: `bare SQL: ${inWords(theirs, bareCpu)}`,
    goal: '≤ 10 ms',
    isMet: p99(ours) <= 10,
  };
};

/** Rows of a library with so many transcripts. */
export async function* measureLibrary(transcripts: number): AsyncGenerator<ServiceRow> {
  const { dataDir } = await filledLibrary(transcripts);
  const server = await startServer({ dataDir });
  await server.client.call('patchSettings', { body: { 'limits.requestsPerMinute': 0 } });
  await untilIdle(server.pid);
  yield await list(server, 'first page', 1);
  yield await list(server, 'a page in the middle', Math.ceil(transcripts / LIMIT / 2));
  yield await list(server, 'last page', Math.ceil(transcripts / LIMIT));
  for await (const { name, page, found, times, cpu } of measureSearches(server)) {
    if (page !== 1) continue;
    yield {
      name: `search, ${name}, ${found} found: 99th percentile, median`,
      ours: inWords(times, cpu),
      reference: '–',
      goal: '≤ 100 ms',
      isMet: p99(times) <= 100,
    };
  }
  await server.stop();
  rmSync(dataDir, { recursive: true, force: true });
}
