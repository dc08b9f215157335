import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { breakLines, joinTokens } from '../../../electron/core/exports/lines.ts';
import { displayWidth, graphemesOf } from '../../../electron/core/exports/text.ts';
import { splitToWidth, tokenizeText } from '../../../electron/core/exports/timed-tokens.ts';
import { anyCharacter } from '../../support/any-text.ts';
import { bareText } from './support/transcripts.ts';

const lines = (text: string, columns = 42) => breakLines(tokenizeText(text), columns);

describe('lines', () => {
  it.each([
    [
      'We signed the contract with Northwind on Monday and sent it.',
      ['We signed the contract', 'with Northwind on Monday and sent it.'],
    ],
    ['I love the price, it is excellent and perfect.', ['I love the price,', 'it is excellent and perfect.']],
    [
      'She asked Dr. Smith because nobody else would know.',
      ['She asked Dr. Smith', 'because nobody else would know.'],
    ],
    [
      'Bonjour ! Comment allez-vous ce matin, mon ami ?',
      ['Bonjour ! Comment allez-vous', 'ce matin, mon ami ?'],
    ],
  ])('break %j at a phrase boundary', (text, expected) => {
    expect(lines(text)).toEqual(expected);
  });

  it('count wide characters as two columns and never start with a closing mark', () => {
    const broken = lines('包括工作、学习和娱乐等各个方面，但是也带来了一些新的挑战和问题。');
    expect(broken).toHaveLength(2);
    for (const line of broken) {
      expect(displayWidth(line)).toBeLessThanOrEqual(42);
      expect(line).not.toMatch(/^[、。，「」ーっゃゅょ]/u);
    }
  });

  it('keep Japanese inflections, loan words and counted things whole', () => {
    const textOf = (text: string) => tokenizeText(text).map((token) => token.text);
    expect(textOf('資料を2026年11月28日までに送ってください。')).toEqual([
      '資料を',
      '2026年',
      '11月',
      '28日までに',
      '送ってください。',
    ]);
    expect(textOf('東京スカイツリーの高さは634メートルです。')).toEqual([
      '東京',
      'スカイツリーの',
      '高さは',
      '634メートルです。',
    ]);
    expect(textOf('食べられなかったので、走り出しました。')).toEqual([
      '食べられなかったので、',
      '走り出しました。',
    ]);
  });

  it('cut Japanese without a place to break at a word', () => {
    const parts = splitToWidth('これはとてもたのしくてあたらしいことだとおもいますがどうでしょうか', 24);
    expect(parts.join('')).toBe('これはとてもたのしくてあたらしいことだとおもいますがどうでしょうか');
    for (const part of parts) expect(part.length).toBeLessThanOrEqual(12);
    expect(parts[0]).toBe('これはとてもたのしくて');
  });

  it('keep Japanese words whole', () => {
    const broken = breakLines(
      tokenizeText('昨日は友達と一緒に東京タワーに行きました。とても楽しかったです。'),
      26,
    );
    expect(broken.join('')).toBe('昨日は友達と一緒に東京タワーに行きました。とても楽しかったです。');
    for (const line of broken) expect(line).not.toMatch(/^[ーッャュョ]|タ$|^ワー/u);
  });

  it('keep spaces out of Chinese and no-break spaces in French', () => {
    expect(tokenizeText('10\u00a0000 euros').map((token) => token.text)).toEqual(['10\u00a0000', 'euros']);
    expect(joinTokens(tokenizeText('你好，世界'))).toBe('你好，世界');
    expect(joinTokens(tokenizeText('用iPhone打电话'))).toBe('用iPhone打电话');
    expect(tokenizeText('见https://example.com/a-b').map((token) => token.text)).toContain(
      'https://example.com/a-b',
    );
  });

  it('have no line of one word if another break into as many lines avoids it', () => {
    const words = fc.array(fc.stringMatching(/^[a-z]{1,14}[.,]?$/), { minLength: 2, maxLength: 9 });
    fc.assert(
      fc.property(words, fc.integer({ min: 15, max: 42 }), (list, columns) => {
        const broken = breakLines(tokenizeText(list.join(' ')), columns);
        if (broken.length !== 2) return;
        const alone = (parts: string[]) => parts.some((part) => !part.includes(' '));
        const others = list
          .slice(1)
          .map((_, index) => [list.slice(0, index + 1).join(' '), list.slice(index + 1).join(' ')]);
        const possible = others.filter((parts) => parts.every((part) => part.length <= columns));
        if (possible.some((parts) => !alone(parts))) expect(alone(broken)).toBe(false);
      }),
    );
  });
});

describe('tokens', () => {
  it('are the text, for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        expect(
          bareText(
            tokenizeText(text)
              .map((token) => token.text)
              .join(' '),
          ),
        ).toBe(bareText(text));
      }),
    );
  });

  it('are split to the width of a line between grapheme clusters', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', minLength: 1, maxLength: 80 }),
        fc.integer({ min: 2, max: 20 }),
        (text, columns) => {
          const parts = splitToWidth(text, columns);
          expect(bareText(parts.join(''))).toBe(bareText(text));
          // A grapheme cluster that is wider than the line cannot be split.
          const divisible = parts.filter((part) => graphemesOf(part).length > 1);
          for (const part of divisible) expect(displayWidth(part)).toBeLessThanOrEqual(columns);
        },
      ),
    );
    // An eighth note of three code points, of which string-width counts each.
    expect(splitToWidth('\u{1d158}\u{1d165}\u{1d16e} ', 2)).toEqual(['\u{1d158}\u{1d165}\u{1d16e}']);
    expect(splitToWidth('👩‍👩‍👧‍👦'.repeat(5), 4).every((part) => graphemesOf(part).length <= 2)).toBe(true);
    expect(splitToWidth('https://example.com/some/path', 20)).toEqual(['https://example.com/', 'some/path']);
  });
});
