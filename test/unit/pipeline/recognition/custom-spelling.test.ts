import { describe, expect, it } from 'vitest';
import { applySpelling } from '../../../../electron/core/pipeline/recognition/custom-spelling.ts';

const segmentOf = (text: string, words = text.split(' ')) => ({
  text,
  start: 0,
  end: words.length,
  speaker_id: null,
  words: words.map((word, index) => ({
    word,
    start: index,
    end: index + 1,
    confidence: index % 2 === 0 ? 1 : 0.5,
    speaker_id: null,
  })),
});

const write = (text: string, from: string[], to: string, words?: string[]) =>
  applySpelling([segmentOf(text, words)], [{ from, to }])[0];

describe('custom spelling', () => {
  it.each([
    ['Ask Decarlo today.', ['decarlo'], 'DeCarlo', 'Ask DeCarlo today.'],
    ['We use “sequel”, mostly.', ['Sequel'], 'SQL', 'We use “SQL”, mostly.'],
    ['At north wind, and North Wind.', ['north wind'], 'Northwind', 'At Northwind, and Northwind.'],
    ['I said cat, not catalog.', ['cat'], 'dog', 'I said dog, not catalog.'],
    ['Hello a I.', ['a i'], 'A. I.', 'Hello A. I..'],
    ['One.', ['two'], 'three', 'One.'],
    ['Plain $& here.', ['plain'], '$& $1', '$& $1 $& here.'],
  ])('writes %j with %j as %j', (text, from, to, expected) => {
    const segment = write(text, from, to);
    expect(segment?.text).toBe(expected);
    expect(segment?.words.map(({ word }) => word).join(' ')).toBe(expected);
  });

  it('shares the time of what was said, and its confidence', () => {
    expect(write('To north wind now', ['north wind'], 'Northwind')?.words[1]).toEqual({
      word: 'Northwind',
      start: 1,
      end: 3,
      confidence: 0.75,
      speaker_id: null,
    });
    const times = write('To northwind now', ['northwind'], 'North Wind')?.words.map(({ start, end }) => [
      start,
      end,
    ]);
    expect(times).toEqual([
      [0, 1],
      [1, 1.5],
      [1.5, 2],
      [2, 3],
    ]);
  });

  it('matches across the words of a script without spaces', () => {
    expect(write('私は会社員です', ['会社員'], '社員', ['私', 'は', '会社', '員', 'です'])?.text).toBe(
      '私は社員です',
    );
  });

  it('prefers the longest phrase, and never replaces its own text', () => {
    const rules = [
      { from: ['wind'], to: 'storm' },
      { from: ['north wind'], to: 'wind' },
    ];
    expect(applySpelling([segmentOf('The north wind and wind.')], rules)[0]?.text).toBe(
      'The wind and storm.',
    );
  });
});
