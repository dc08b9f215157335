// `node test/bench/search.ts [--transcripts 100000]`: how long a search takes over HTTP, and how long it delays other requests.

import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { FILLED_WORDS, fillTranscripts } from '../support/fill-transcripts.ts';
import { discard, startServer, type TestServer } from '../support/server.ts';
import { cpuSeconds, median, quantile, timedRequests } from './measure.ts';

const RUNS = 30;

/** The slowest answer of the health endpoint during `work`, in ms. */
const longestWait = async (server: TestServer, work: () => Promise<void>): Promise<number> => {
  let over = false;
  let longest = 0;
  const asking = (async () => {
    while (!over) {
      const asked = performance.now();
      await server.fetch('/v1/health');
      longest = Math.max(longest, performance.now() - asked);
      await delay(2);
    }
  })();
  await work();
  over = true;
  await asking;
  return longest;
};

const QUERIES = [
  ['the most frequent word', 'the'],
  ['two frequent words', 'the we'],
  ['a phrase of frequent words', '"of the"'],
  ['a rare word', 'kalomi'],
  ['a rare and a frequent word', 'kalomi the'],
  ['the beginning of a word', 'ka*'],
  ['one or the other, without a third', '(kalomi OR qqqq) -"of the"'],
  ['a word that is nowhere', 'qqqq'],
  ['a beginning of two letters, while it is typed', 'th'],
  ['a beginning of three letters', 'ter'],
  ['a beginning of four letters', 'kalo'],
  ['a rare word and a beginning', 'kalomi th'],
  ['a part of a name', 'recording 77'],
] as const;

export type SearchTimes = {
  readonly name: string;
  readonly page: number;
  readonly found: number;
  /** Milliseconds, in the order of the requests. */
  readonly times: readonly number[];
  /** Milliseconds that another request waited at most. */
  readonly waited: number;
  /** Milliseconds of the server's processor time for each request, with the requests that wait. */
  readonly cpu: number;
};

/** Searches a library that {@link fillTranscripts} has filled, for rare and frequent words. */
export async function* measureSearches(server: TestServer): AsyncGenerator<SearchTimes> {
  await server.client.call('patchSettings', { body: { 'limits.requestsPerMinute': 0 } });
  for (const [name, q] of QUERIES) {
    for (const page of [1, 50]) {
      const times: number[] = [];
      const query = new URLSearchParams({ q, page: String(page) });
      const before = cpuSeconds(server.pid).all;
      const waited = await longestWait(server, async () => {
        times.push(...(await timedRequests(server, `/v1/transcript/search?${query}`, RUNS)));
      });
      const cpu = ((cpuSeconds(server.pid).all - before) * 1000) / RUNS;
      const { data } = await server.client.call('searchTranscripts', { query: { q, page } });
      const found = data.pagination.total;
      yield { name, page, found, times, waited, cpu };
      if (found < 20 * page) break;
    }
  }
}

/** A stopped server's data folder with `count` transcripts, and the seconds that filling it took. */
export const filledLibrary = async (
  count: number,
): Promise<{ readonly dataDir: string; readonly took: number }> => {
  const first = await startServer();
  await first.stop();
  return { dataDir: first.dataDir, took: fillTranscripts(first.dataDir, count) };
};

const main = async (): Promise<void> => {
  const { values } = parseArgs({ options: { transcripts: { type: 'string', default: '100000' } } });
  const count = Number(values.transcripts);
  const { dataDir, took } = await filledLibrary(count);
  process.stdout.write(
    `${count} transcripts of ${FILLED_WORDS} words, stored and indexed in ${took.toFixed(0)} s\n\n`,
  );
  const server = await startServer({ dataDir });
  process.stdout.write(
    '| search for | found | first | median | 99th percentile | another request waits at most |\n|---|---|---|---|---|---|\n',
  );
  const ms = (value: number | undefined) => `${(value ?? 0).toFixed(0)} ms`;
  for await (const { name, page, found, times, waited } of measureSearches(server)) {
    const what = page === 1 ? name : `${name}, page ${page}`;
    process.stdout.write(
      `| ${what} | ${found} | ${ms(times[0])} | ${ms(median(times))} | ${ms(quantile(times, 0.99))} | ${ms(waited)} |\n`,
    );
  }
  await discard(server);
};

if (import.meta.main) await main();
