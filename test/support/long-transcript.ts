import { join } from 'node:path';
import { CreateTranscript, type CreateTranscriptInput } from '../../electron/contract/transcript.ts';
import { systemClock } from '../../electron/core/base/clock.ts';
import { silentLogger } from '../../electron/core/base/logger.ts';
import { computeTotals } from '../../electron/core/pipeline/findings/analyze.ts';
import { AccountService } from '../../electron/core/services/accounts.ts';
import { newTranscript } from '../../electron/core/services/transcripts/create.ts';
import { openDatabase } from '../../electron/core/stores/database.ts';
import { insertSegments, type StoredSegment } from '../../electron/core/stores/segments.ts';
import { insertTranscript, updateTranscript } from '../../electron/core/stores/transcripts.ts';
import { truth } from './fixtures.ts';

/** The length of the recordings that must not block the event loop: what a request costs grows with it. The nightly run takes ten. */
export const LONG_HOURS = Number(process.env.EARSHOT_TEST_HOURS ?? 2);
const WORDS_AN_HOUR = 10_000;
const SECONDS_A_WORD = 3600 / WORDS_AN_HOUR;

/** A stored segment of words that follow one another without a pause; `from` is the index of the first in the text. */
export const segmentOf = (id: number, from: number, words: readonly string[]): StoredSegment => {
  const time = (index: number) => Number(((from + index) * SECONDS_A_WORD).toFixed(3));
  return {
    id,
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
  };
};

/** Repeats the meeting's sentences as stored segments to fill `hours`. */
export const spokenFor = (hours: number): StoredSegment[] => {
  const sentences = truth('08-meeting-4min.mp3').sentences.map(({ text }) => text.split(' '));
  const segments: StoredSegment[] = [];
  for (let at = 0; at < hours * WORDS_AN_HOUR; ) {
    const words = sentences[segments.length % sentences.length] ?? [];
    segments.push(segmentOf(segments.length, at, words));
    at += words.length;
  }
  return segments;
};

/** Inserts a completed transcript into a data folder, new or one that no server has open; returns its id. */
export const storeTranscript = (
  dataDir: string,
  segments: readonly StoredSegment[],
  options: Partial<CreateTranscriptInput> = {},
  more: Parameters<typeof updateTranscript>[2] = {},
): string => {
  const db = openDatabase(join(dataDir, 'earshot.db'), { logger: silentLogger, now: Date.now });
  const userId = new AccountService(db, systemClock, undefined).owner().id;
  const body = CreateTranscript.parse({ audio_url: 'https://example.org/long.flac', ...options });
  const source = { name: 'long.flac', fileId: null };
  const row = newTranscript(body, { userId, source, queueOrder: 1, now: Date.now() });
  db.transaction(() => {
    insertTranscript(db, row);
    insertSegments(db, row.id, 0, segments);
    updateTranscript(db, row.id, {
      ...computeTotals(segments),
      status: 'completed',
      language: 'en',
      duration: segments.at(-1)?.end ?? 0,
      completedAt: Date.now(),
      ...more,
    });
  });
  db.close();
  return row.id;
};
