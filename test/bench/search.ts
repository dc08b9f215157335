// `node test/bench/search.ts [--transcripts 100000]`: how long a search takes over HTTP, and how long it delays other requests.

import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { FILLED_WORDS, fillTranscripts } from '../support/fill-transcripts.ts';
import { discard, startServer, type TestServer } from '../support/server.ts';
import { median, quantile } from './measure.ts';

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

const { values } = parseArgs({ options: { transcripts: { type: 'string', default: '100000' } } });
const count = Number(values.transcripts);
const first = await startServer();
await first.stop();
const filled = fillTranscripts(first.dataDir, count);
process.stdout.write(
  `${count} transcripts of ${FILLED_WORDS} words, stored and indexed in ${filled.toFixed(0)} s\n\n`,
);
const server = await startServer({ dataDir: first.dataDir });
await server.client.call('patchSettings', { body: { 'limits.requestsPerMinute': 0 } });
process.stdout.write(
  '| search for | found | first | median | 99th percentile | another request waits at most |\n|---|---|---|---|---|---|\n',
);
for (const [name, q] of QUERIES) {
  for (const page of [1, 50]) {
    const times: number[] = [];
    let found = 0;
    const waited = await longestWait(server, async () => {
      for (let run = 0; run < RUNS; run++) {
        const asked = performance.now();
        const { data } = await server.client.call('searchTranscripts', { query: { q, page } });
        times.push(performance.now() - asked);
        found = data.pagination.total;
      }
    });
    const ms = (value: number | undefined) => `${(value ?? 0).toFixed(0)} ms`;
    const what = page === 1 ? name : `${name}, page ${page}`;
    process.stdout.write(
      `| ${what} | ${found} | ${ms(times[0])} | ${ms(median(times))} | ${ms(quantile(times, 0.99))} | ${ms(waited)} |\n`,
    );
    if (found < 20 * page) break;
  }
}
await discard(server);
