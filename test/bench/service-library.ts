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
import { quantile } from './measure.ts';
import { filledLibrary, measureSearches } from './search.ts';
import type { ServiceRow } from './service.ts';

const RUNS = 200;
const LIMIT = 20;
const ms = (value: number): string => `${value.toFixed(1)} ms`;
const p99 = (times: readonly number[]): number => quantile(times, 0.99);

/** What the service asks the database for a page of the list. */
const asBareSql = (dataDir: string): { read: (page: number) => void; close: () => void } => {
  const db = new BetterSqlite3(join(dataDir, 'earshot.db'), { readonly: true });
  const userId = db.prepare<[], string>('SELECT id FROM users').pluck().get() ?? '';
  const filter: TranscriptFilter = { page: 1, limit: LIMIT, sort: 'created_at', order: 'desc' };
  const [pageSql, countSql] = [
    transcriptPage(userId, filter).compile(),
    transcriptCount(userId, filter).compile(),
  ];
  const [page, count] = [db.prepare(pageSql.sql), db.prepare(countSql.sql)];
  return {
    read: (number) => {
      const parameters = transcriptPage(userId, { ...filter, page: number }).compile().parameters;
      page.all(...parameters);
      count.get(...countSql.parameters);
    },
    close: () => db.close(),
  };
};

const lists = async (server: TestServer, pages: number): Promise<ServiceRow[]> => {
  const bare = asBareSql(server.dataDir);
  const rows: ServiceRow[] = [];
  for (const [name, page] of [
    ['first page', 1],
    ['last page', pages],
  ] as const) {
    const [ours, theirs]: [number[], number[]] = [[], []];
    for (let run = 0; run < RUNS; run++) {
      const asked = performance.now();
      await server.client.call('listTranscripts', { query: { page, limit: LIMIT } });
      const answered = performance.now();
      bare.read(page);
      ours.push(answered - asked);
      theirs.push(performance.now() - answered);
    }
    rows.push({
      name: `list, ${name}: 99th percentile (median)`,
      ours: `${ms(p99(ours))} (${ms(quantile(ours, 0.5))})`,
      reference: `bare SQL ${ms(p99(theirs))} (${ms(quantile(theirs, 0.5))})`,
      goal: '≤ 10 ms',
      isMet: p99(ours) <= 10,
    });
  }
  bare.close();
  return rows;
};

/** Rows of a library with so many transcripts. */
export async function* measureLibrary(transcripts: number): AsyncGenerator<ServiceRow> {
  const { dataDir } = await filledLibrary(transcripts);
  const server = await startServer({ dataDir });
  await server.client.call('patchSettings', { body: { 'limits.requestsPerMinute': 0 } });
  yield* await lists(server, Math.ceil(transcripts / LIMIT));
  for await (const { name, page, found, times } of measureSearches(server)) {
    if (page !== 1) continue;
    yield {
      name: `search, ${name}, ${found} found: 99th percentile (median)`,
      ours: `${ms(p99(times))} (${ms(quantile(times, 0.5))})`,
      reference: '–',
      goal: '≤ 100 ms',
      isMet: p99(times) <= 100,
    };
  }
  await server.stop();
  rmSync(dataDir, { recursive: true, force: true });
}
