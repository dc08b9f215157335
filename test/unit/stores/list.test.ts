import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CreateTranscript } from '../../../electron/contract/transcript.ts';
import { silentLogger } from '../../../electron/core/base/logger.ts';
import { newTranscript } from '../../../electron/core/services/transcripts/create.ts';
import { openDatabase } from '../../../electron/core/stores/database.ts';
import { insertTranscript, listTranscripts } from '../../../electron/core/stores/transcripts.ts';
import { fillFiles } from '../../support/fill-files.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const db = openDatabase(join(temporaryFolder(), 'list.db'), { logger: silentLogger, now: Date.now });
const USER = fillFiles(db, 1);
const COUNT = 23;
const body = CreateTranscript.parse({ audio_url: 'https://example.org/day.flac' });
const blank = newTranscript(body, {
  userId: USER,
  source: { name: 'day.flac', fileId: null },
  queueOrder: 1,
  now: 1,
});
// Several have the same time, length and confidence, and some no confidence.
for (let n = 0; n < COUNT; n++) {
  insertTranscript(db, {
    ...blank,
    id: `tr_${String((n * 7) % COUNT).padStart(2, '0')}`,
    status: 'completed',
    language: n % 3 === 0 ? 'de' : 'en',
    createdAt: Math.floor(n / 4),
    duration: n % 5,
    confidence: n % 4 === 0 ? null : (n % 3) / 4,
  });
}

describe.each(['created_at', 'duration', 'confidence'] as const)('the pages of a list by %s', (sort) => {
  it.each([
    ['asc', undefined],
    ['desc', undefined],
    ['asc', 'en'],
    ['desc', 'en'],
  ] as const)('have each row once, in the order of the whole: %s, language %s', (order, language) => {
    const list = (page: number, limit: number) =>
      listTranscripts(db, USER, { page, limit, sort, order, language });
    const whole = list(1, 100);
    expect(whole.items).toHaveLength(whole.total);
    for (const limit of [1, 4, 11, COUNT]) {
      const pages = Array.from({ length: Math.ceil(whole.total / limit) }, (_, i) => list(i + 1, limit));
      expect(pages.flatMap(({ items }) => items)).toEqual(whole.items);
      expect(list(pages.length + 1, limit)).toEqual({ items: [], total: whole.total });
    }
  });
});
