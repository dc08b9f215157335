import { describe, expect, it } from 'vitest';
import type { Entity } from '../../../electron/contract/analysis.ts';
import { formatEntities } from '../../../electron/core/http/assemblyai/understanding.ts';

const format = (
  type: Entity['type'],
  text: string,
  pattern: { date?: string; phone_number?: string; email?: string },
  language = 'en',
) =>
  formatEntities([{ type, text, startIndex: 0, endIndex: text.length }], language, pattern).apply(
    `On ${text}.`,
  );

describe('custom formatting', () => {
  it.each([
    ['March 5th, 2026', 'mm/dd/yyyy', 'en', '03/05/2026'],
    ['5 March 2026', 'd.m.yy', 'en', '5.3.26'],
    ['2026-03-05', 'mmmm d, yyyy', 'en', 'March 5, 2026'],
    ['5. März 2026', 'yyyy-mm-dd', 'de', '2026-03-05'],
    ['5 de marzo de 2026', 'dd/mm/yyyy', 'es', '05/03/2026'],
    ['le 5 février 2026', 'dd/mm/yyyy', 'fr', '05/02/2026'],
  ])('writes the date %j as %j (%s)', (text, date, language, expected) => {
    expect(format('date', text, { date }, language)).toBe(`On ${expected}.`);
  });

  it.each(['Friday', 'May 4th', 'February 31st, 2026', '2026', 'at 10 AM'])('leaves the date %j', (text) => {
    expect(format('date', text, { date: 'mm/dd/yyyy' })).toBe(`On ${text}.`);
  });

  it('writes phone numbers whose digits fit, and email addresses', () => {
    expect(format('phone_number', '555-014-2367', { phone_number: '(xxx)xxx-xxxx' })).toBe(
      'On (555)014-2367.',
    );
    expect(format('phone_number', '+49 30 1234', { phone_number: '(xxx)xxx-xxxx' })).toBe('On +49 30 1234.');
    expect(format('email', 'maria.lopez@example.org', { email: '<username@domain.com>' })).toBe(
      'On <maria.lopez@example.org>.',
    );
  });

  it('leaves other entities and parts of words, and tells what it changed', () => {
    const entities: Entity[] = [
      { type: 'date', text: '2026-03-05', startIndex: 0, endIndex: 10 },
      { type: 'person', text: 'Maria', startIndex: 20, endIndex: 25 },
    ];
    const { mapping, apply } = formatEntities(entities, 'en', { date: 'd/m/yyyy' });
    expect(mapping).toEqual({ '2026-03-05': '5/3/2026' });
    expect(apply('Maria, 2026-03-05 and 2026-03-051.')).toBe('Maria, 5/3/2026 and 2026-03-051.');
  });
});
