import { expect, it } from 'vitest';
import {
  acceptWords,
  readAcceptedWords,
} from '../../../renderer/features/transcript/model/low-confidence.ts';
import { readUnsavedEdits } from '../../../renderer/features/transcript/unsaved-edits.ts';
import { memoryStorage } from './support/memory-storage.ts';

const holding = (key: string, value: unknown): Storage => {
  const storage = memoryStorage();
  storage.setItem(key, typeof value === 'string' ? value : JSON.stringify(value));
  return storage;
};

const EDIT = { id: 1, text: 'after', was: 'before' };

it.each<[string, unknown, number[]]>([
  ['an id that is no number of a segment', [{ ...EDIT, id: 1.5 }, { ...EDIT, id: -1 }, EDIT], [1]],
  ['a paragraph that begins between words', [{ ...EDIT, paragraphStarts: [0.5] }, EDIT], [1]],
  ['no text', [{ id: 2, was: 'before' }, null, 'text', { ...EDIT, paragraphStarts: null }], [1]],
  ['no list', { 0: EDIT }, []],
  ['no JSON', '[{', []],
])('unsaved edits are read without those that have %s', (_, stored, ids) => {
  const edits = readUnsavedEdits(holding('earshot.unsaved.tr_1', stored), 'tr_1');
  expect(edits.map(({ id }) => id)).toEqual(ids);
});

it.each<[unknown, number[]]>([
  [{ starts: [0, 2.5, -1, 'x', null] }, [0, 2.5]],
  [{ starts: 7 }, []],
  [[1], []],
  ['{', []],
])('accepted words are read from %j', (stored, starts) => {
  expect([...readAcceptedWords(holding('earshot.accepted.tr_1', stored), 'tr_1')]).toEqual(starts);
});

it('words are accepted beside those of another window', () => {
  const storage = memoryStorage();
  acceptWords(storage, 'tr_1', [1.5, 2]);
  expect([...acceptWords(storage, 'tr_1', [4])]).toEqual([1.5, 2, 4]);
  expect([...readAcceptedWords(storage, 'tr_1')]).toEqual([1.5, 2, 4]);
  expect([...readAcceptedWords(storage, 'tr_2')]).toEqual([]);
});
