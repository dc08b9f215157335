import { join } from 'node:path';
import { CreateTranscript } from '../../electron/contract/transcript.ts';
import { newId } from '../../electron/core/base/ids.ts';
import { silentLogger } from '../../electron/core/base/logger.ts';
import { newTranscript } from '../../electron/core/services/transcripts/create.ts';
import { openDatabase } from '../../electron/core/stores/database.ts';
import { syncIndex } from '../../electron/core/stores/search.ts';
import { insertSegments } from '../../electron/core/stores/segments.ts';
import { insertTranscript } from '../../electron/core/stores/transcripts.ts';
import { findOwner } from '../../electron/core/stores/users.ts';
import { truth } from './fixtures.ts';
import { createRandom, type Random } from './random.ts';

const WORDS_A_SEGMENT = 15;
const SEGMENTS = 16;
const VOCABULARY = 40_000;
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

/** The words of each transcript. */
export const FILLED_WORDS = SEGMENTS * WORDS_A_SEGMENT;

/** Inserts `count` completed transcripts into a data folder that no server has open; returns the seconds it took. */
export const fillTranscripts = (dataDir: string, count: number): number => {
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
        syncIndex(db, row.id, row);
      }
    });
  }
  db.close();
  return (performance.now() - started) / 1000;
};
