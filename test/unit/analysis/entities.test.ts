import { describe, expect, it } from 'vitest';
import { ENTITY_TYPES, type EntityType } from '../../../electron/contract/analysis.ts';
import { detectEntities } from '../../../electron/core/analysis/detect.ts';
import { toEntities } from '../../../electron/core/analysis/spans.ts';
import { precision, readDialogues, readMarked, readTexts, recall } from './support/corpus.ts';
import { type Miss, scoreEntities } from './support/score-entities.ts';
import { markedDialogue } from './support/transcripts.ts';

const ENGLISH = [
  'sentences-first.txt',
  'sentences-spoken.txt',
  'sentences-heldout.txt',
  'sentences-blind.txt',
  'traps.txt',
];
const GATES: Partial<Record<EntityType, [precision: number, recall: number]>> = {
  email: [0.98, 0.98],
  url: [0.98, 0.98],
  ip_address: [0.98, 0.98],
  credit_card: [0.98, 0.98],
  ssn: [0.98, 0.98],
  phone_number: [0.98, 0.98],
  bank_account: [0.98, 0.98],
  person: [0.9, 0.85],
  location: [0.9, 0.85],
  organization: [0.9, 0.85],
  date: [0.95, 0.95],
};

const told = (misses: readonly Miss[]) =>
  misses.map((miss) => `${miss.kind} ${miss.type} <${miss.text}> in: ${miss.sentence}`);

const entitiesIn = async (text: string, language = 'en', types?: readonly EntityType[]) =>
  toEntities(text, detectEntities(text, language), types);

describe('entities of the labeled corpus', async () => {
  const lines = [...ENGLISH.flatMap(readMarked), ...readDialogues('dialogues.txt').map(markedDialogue)];
  const { scores, misses } = await scoreEntities(lines);

  it('has the documented size', () => {
    expect(ENGLISH.slice(0, 4).flatMap(readMarked).length).toBeGreaterThanOrEqual(300);
    expect(readMarked('traps.txt').length).toBeGreaterThanOrEqual(60);
    expect(readDialogues('dialogues.txt').length).toBe(12);
    expect(readTexts('texts.txt').length).toBeGreaterThanOrEqual(20);
    for (const type of ENTITY_TYPES) expect(scores.get(type)?.truth ?? 0, type).toBeGreaterThan(5);
  });

  it.each(Object.entries(GATES))('%s reaches its precision and recall %j', (type, [least, found]) => {
    const score = scores.get(type) ?? { truth: 0, found: 0, right: 0 };
    const own = told(misses.filter((miss) => miss.type === type));
    expect(precision(score), own.join('\n')).toBeGreaterThanOrEqual(least);
    expect(recall(score), own.join('\n')).toBeGreaterThanOrEqual(found);
  });

  it('has no entities in the negative examples', async () => {
    const trapped = await scoreEntities(readMarked('traps.txt'));
    expect(told(trapped.misses)).toEqual([]);
  });
});

describe.each(['de', 'fr', 'es'])('entities in %s', (language) => {
  it('detects patterns, and names by lists and capitals', async () => {
    const { misses } = await scoreEntities(readMarked(`sentences-${language}.txt`), language);
    expect(told(misses)).toEqual([]);
  });
});

describe('entities', () => {
  it('have UTF-16 offsets that slice to their text', async () => {
    const text = '😀 Šimon wrote to maria@example.com 👩‍💻 from Zürich.';
    const entities = await entitiesIn(text);
    expect(entities.map((entity) => entity.type)).toEqual(['person', 'email', 'location']);
    for (const entity of entities) expect(text.slice(entity.startIndex, entity.endIndex)).toBe(entity.text);
  });

  it('are filtered by type after overlaps are resolved', async () => {
    const text = 'My card is 4111 1111 1111 1111, call 555-014-2367.';
    expect(await entitiesIn(text, 'en', ['phone_number'])).toEqual([
      { type: 'phone_number', text: '555-014-2367', startIndex: 37, endIndex: 49 },
    ]);
  });

  it('include a number that the recognizer split with full stops', async () => {
    const [phone] = await entitiesIn('My phone number is 555. 014. 2367. Thank you.');
    expect(phone).toMatchObject({ type: 'phone_number', text: '555. 014. 2367' });
  });

  it.each(['', ' ', '...', '[EMAIL_ADDRESS_1f3a9c2e]', '***-***-****', '\u0000\ud800'])(
    'survives %j',
    async (text) => {
      expect(await entitiesIn(text)).toEqual([]);
    },
  );
});
