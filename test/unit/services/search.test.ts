import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CreateTranscript } from '../../../electron/contract/transcript.ts';
import { silentLogger } from '../../../electron/core/base/logger.ts';
import { findMarks, parseTyping } from '../../../electron/core/search/query.ts';
import { SearchService } from '../../../electron/core/services/search.ts';
import { newTranscript } from '../../../electron/core/services/transcripts/create.ts';
import { type Database, openDatabase } from '../../../electron/core/stores/database.ts';
import { insertTranscript, updateTranscript } from '../../../electron/core/stores/transcripts.ts';
import { insertUser } from '../../../electron/core/stores/users.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const USER = 'usr_1';
const RECORDINGS = [
  ['08-meeting-4min', 'We talk about the harbor.'], // 0
  ['Monday', 'The meeting begins at nine.'], // 1
  ['Harbor', 'Please meet me at the harbor. Meet me there.'], // 2
  ['Café Müller', 'Die Strassenbahn fährt zum Straßenfest.'], // 3
  ['09-metadata', 'Meters and metal, without a contract.'], // 4
  ['Contracts', 'Contracting, contracts, contractors.'], // 5
] as const;

let db: Database;
let service: SearchService;

beforeAll(() => {
  db = openDatabase(join(temporaryFolder(), 'earshot.db'), { logger: silentLogger, now: Date.now });
  const limits = { storageLimit: null, creditBudget: null };
  insertUser(db, { id: USER, name: 'Ann', isOwner: true, createdAt: 1, ...limits });
  const body = CreateTranscript.parse({ audio_url: 'https://example.org/a.wav' });
  RECORDINGS.forEach(([name, text], n) => {
    const source = { name, fileId: null };
    const fresh = newTranscript(body, { userId: USER, source, queueOrder: n, now: n });
    insertTranscript(db, { ...fresh, id: `tr_${n}` });
    updateTranscript(db, `tr_${n}`, { status: 'completed', text });
  });
  service = new SearchService(db);
});
afterAll(() => db.close());

const found = (text: string): number[] =>
  service.search(USER, text, 1, 20).results.map(({ id }) => Number(id.replace('tr_', '')));

describe('a search without results', () => {
  const suggested = (text: string, user = USER) => service.search(user, text, 1, 20).suggestion;

  it.each([
    // As spelled in the names; no segments are stored here.
    ['metting', 'meeting'],
    ['harobr', 'Harbor'],
    ['Strasenfest', 'strassenfest'],
    ['please harbour', 'please Harbor'],
    ['monady', 'Monday'],
    ['talk abuot habror', 'talk about Harbor'],
  ])('%j proposes %j', (query, nearest) => {
    expect(found(query)).toEqual([]);
    expect(suggested(query)).toBe(nearest);
  });

  it.each(['xylophone', 'zz', 'meeting harbor tram', 'meeting', '"()"'])('%j proposes nothing', (query) => {
    expect(suggested(query)).toBeUndefined();
  });

  it('proposes no word of another user', () => {
    insertUser(db, {
      id: 'usr_2',
      name: 'Bo',
      isOwner: false,
      createdAt: 2,
      storageLimit: null,
      creditBudget: null,
    });
    expect(suggested('metting', 'usr_2')).toBeUndefined();
  });
});

describe('a search while its last word is typed', () => {
  it.each<[string, number[]]>([
    ['08-meet', [0]],
    ['08-me', [0]],
    // Whole words first, then names that go on, then texts.
    ['meet', [2, 0, 1]],
    ['meeti', [0, 1]],
    ['contract', [4, 5]],
    ['caf', [3]],
    ['cafe mull', [3]],
    ['strassenf', [3]],
    ['without contr', [4]],
    ['"meet me at the harb', [2]],
    ['monday OR metad', [1, 4]],
    ['(harbor AND talk', [0]],
  ])('%j finds %j', (query, expected) => {
    expect(found(query)).toEqual(expected);
  });

  it.each<[string, number[]]>([
    // A finished word is a whole word.
    ['meet ', [2]],
    ['"meet"', [2]],
    ['meet.', [2]],
    ['meet me', [2]],
    // Excluding more with each letter would hide what is wanted.
    ['harbor -meet', [0]],
    // One letter begins too many words.
    ['m', []],
  ])('%j finds %j', (query, expected) => {
    expect(found(query).toSorted()).toEqual(expected);
  });

  it('marks the words that it completed', () => {
    const text = 'The meeting begins at nine.';
    const typing = parseTyping('begins at ni');
    const marks = typing === undefined ? [] : findMarks(typing, text);
    expect(marks.map(([start, end]) => text.slice(start, end))).toEqual(['begins', 'at', 'nine']);
  });

  it.each([1, 2, 3])('shows each result on one page, %i a page', (limit) => {
    const seen: string[] = [];
    let page = 1;
    for (let more = true; more; page++) {
      const { results, pagination } = service.search(USER, 'me', page, limit);
      seen.push(...results.map(({ id }) => id));
      expect(pagination.total).toBe(4);
      more = pagination.hasNext;
    }
    expect(seen).toEqual(service.search(USER, 'me', 1, 20).results.map(({ id }) => id));
    expect(new Set(seen).size).toBe(4);
    expect(service.search(USER, 'me', page, limit).results).toEqual([]);
  });
});
