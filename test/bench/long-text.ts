// `node test/bench/long-text.ts [--hours 10]`: how long the service takes to answer with a very long text.

import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { CreateTranscript } from '../../electron/contract/transcript.ts';
import { silentLogger } from '../../electron/core/base/logger.ts';
import { computeTotals } from '../../electron/core/pipeline/findings/totals.ts';
import { newTranscript } from '../../electron/core/services/transcripts/create.ts';
import { openDatabase } from '../../electron/core/stores/database.ts';
import { insertSegments, type StoredSegment } from '../../electron/core/stores/segments.ts';
import { insertTranscript } from '../../electron/core/stores/transcripts.ts';
import { findOwner } from '../../electron/core/stores/users.ts';
import { truth } from '../support/fixtures.ts';
import { discard, startServer } from '../support/server.ts';
import { median } from './measure.ts';

const WORDS_AN_HOUR = 10_000;
const SECONDS_A_WORD = 3600 / WORDS_AN_HOUR;
const RUNS = 5;

/** Repeats the meeting's sentences as stored segments to fill `hours`. */
const spokenFor = (hours: number): StoredSegment[] => {
  const sentences = truth('08-meeting-4min.mp3').sentences.map(({ text }) => text.split(' '));
  const segments: StoredSegment[] = [];
  for (let at = 0; at < hours * WORDS_AN_HOUR; ) {
    const words = sentences[segments.length % sentences.length] ?? [];
    const from = at;
    const time = (index: number) => Number(((from + index) * SECONDS_A_WORD).toFixed(3));
    segments.push({
      id: segments.length,
      text: words.join(' '),
      start: time(0),
      end: time(words.length),
      speaker_id: null,
      words: words.map((word, index) => ({
        word,
        start: time(index),
        end: time(index + 1),
        confidence: 0.7 + ((from + index) % 30) / 100,
        speaker_id: null,
      })),
    });
    at += words.length;
  }
  return segments;
};

/** Inserts a completed transcript into a data folder that no server has open. */
const store = (dataDir: string, segments: readonly StoredSegment[], hours: number): string => {
  const db = openDatabase(join(dataDir, 'earshot.db'), { logger: silentLogger, now: Date.now });
  const userId = findOwner(db)?.id ?? '';
  const body = CreateTranscript.parse({ audio_url: 'https://example.org/long.flac' });
  const source = { name: 'long.flac', fileId: null };
  const row = {
    ...newTranscript(body, { userId, source, queueOrder: 1, now: Date.now() }),
    ...computeTotals(segments),
    status: 'completed' as const,
    language: 'en',
    duration: hours * 3600,
    completedAt: Date.now(),
  };
  db.transaction(() => {
    insertTranscript(db, row);
    insertSegments(db, row.id, 0, segments);
  });
  db.close();
  return row.id;
};

const { values } = parseArgs({ options: { hours: { type: 'string', default: '10' } } });
const hours = Number(values.hours);
const first = await startServer();
await first.stop();
const segments = spokenFor(hours);
const id = store(first.dataDir, segments, hours);
const server = await startServer({ dataDir: first.dataDir });
const base = `/v1/transcript/id/${id}`;
const PATHS = [
  ['sentences', `${base}/sentences`],
  ['the transcript with words', base],
  ...['srt', 'vtt', 'txt', 'json', 'docx'].map((format) => [
    `export as ${format}`,
    `${base}/export?format=${format}`,
  ]),
] as const;
process.stdout.write(
  `${hours} hours, ${segments.reduce((sum, { words }) => sum + words.length, 0)} words, ${segments.length} segments\n\n`,
);
process.stdout.write('| answer | size | first | median of 5 |\n|---|---|---|---|\n');
for (const [name = '', path = ''] of PATHS) {
  const times: number[] = [];
  let bytes = 0;
  for (let run = 0; run < RUNS; run++) {
    const started = performance.now();
    const response = await server.fetch(path);
    bytes = (await response.arrayBuffer()).byteLength;
    times.push(performance.now() - started);
    if (response.status !== 200) throw new Error(`${name}: ${response.status}`);
  }
  process.stdout.write(
    `| ${name} | ${(bytes / 1e6).toFixed(1)} MB | ${times[0]?.toFixed(0)} ms | ${median(times).toFixed(0)} ms |\n`,
  );
}
await discard(server);
