// `node test/bench/search.ts [--transcripts 100000]`: how long a search takes over HTTP, and how long it delays other requests.

import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { CreateTranscript } from '../../electron/contract/transcript.ts';
import { newId } from '../../electron/core/base/ids.ts';
import { silentLogger } from '../../electron/core/base/logger.ts';
import { newTranscript } from '../../electron/core/services/transcripts/create.ts';
import { openDatabase } from '../../electron/core/stores/database.ts';
import { syncIndex } from '../../electron/core/stores/search.ts';
import { insertSegments } from '../../electron/core/stores/segments.ts';
import { insertTranscript } from '../../electron/core/stores/transcripts.ts';
import { findOwner } from '../../electron/core/stores/users.ts';
import { truth } from '../support/fixtures.ts';
import { createRandom, type Random } from '../support/random.ts';
import { discard, startServer, type TestServer } from '../support/server.ts';
import { median, quantile } from './measure.ts';

const WORDS_A_SEGMENT = 15;
const SEGMENTS = 16;
const VOCABULARY = 40_000;
const RUNS = 30;
const SYLLABLES = ['ka', 'lo', 'mi', 'ter', 'van', 'sho', 'ri', 'den', 'pul', 'gra', 'no', 'bex', 'tu'];

/** The words by rank: frequent ones and those of the meeting first, then made-up ones. */
const vocabulary = (): readonly string[] => {
  const said =
    truth('08-meeting-4min.mp3')
      .text.toLowerCase()
      .match(/[a-z']+/g) ?? [];
  const words = new Set(['the', 'and', 'of', 'to', 'we', 'a', 'in', 'that', ...said]);
  for (let n = 0; words.size < VOCABULARY; n++) {
    let word = '';
    for (let rest = n + SYLLABLES.length; rest > 0; rest = Math.floor(rest / SYLLABLES.length)) {
      word += SYLLABLES[rest % SYLLABLES.length];
    }
    words.add(word);
  }
  return [...words];
};

/** A word's chance falls with its rank (Zipf). */
const pickWord = (random: Random, words: readonly string[]): string => {
  const rank = Math.floor(words.length ** (random.int(0, 999_999) / 1_000_000)) - 1;
  return words[rank] ?? 'the';
};

/** Inserts `count` completed transcripts into a data folder that no server has open; returns the seconds it took. */
const fill = (dataDir: string, count: number): number => {
  const db = openDatabase(join(dataDir, 'earshot.db'), { logger: silentLogger, now: Date.now });
  const userId = findOwner(db)?.id ?? '';
  const words = vocabulary();
  const random = createRandom(1);
  const body = CreateTranscript.parse({ audio_url: 'https://example.org/day.flac' });
  const source = { name: 'day.flac', fileId: null };
  const blank = newTranscript(body, { userId, source, queueOrder: 1, now: Date.now() });
  const started = performance.now();
  for (let from = 0; from < count; from += 1000) {
    db.transaction(() => {
      for (let n = from; n < Math.min(count, from + 1000); n++) {
        const texts = Array.from({ length: SEGMENTS }, () =>
          Array.from({ length: WORDS_A_SEGMENT }, () => pickWord(random, words)).join(' '),
        );
        const row = {
          ...blank,
          id: newId('tr'),
          name: `Recording ${n}`,
          text: texts.join(' '),
          status: 'completed' as const,
          language: 'en',
          wordCount: SEGMENTS * WORDS_A_SEGMENT,
          duration: SEGMENTS * 6,
          createdAt: blank.createdAt - n * 60_000,
          completedAt: Date.now(),
        };
        insertTranscript(db, row);
        insertSegments(
          db,
          row.id,
          0,
          texts.map((text, id) => ({
            id,
            text,
            start: id * 6,
            end: id * 6 + 6,
            speaker_id: null,
            words: [],
          })),
        );
        syncIndex(db, row.id);
      }
    });
  }
  db.close();
  return (performance.now() - started) / 1000;
};

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
const filled = fill(first.dataDir, count);
process.stdout.write(
  `${count} transcripts of ${SEGMENTS * WORDS_A_SEGMENT} words, stored and indexed in ${filled.toFixed(0)} s\n\n`,
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
