import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { displayWidth } from '../../../electron/core/exports/text.ts';

describe('displayWidth', () => {
  it.each([
    ['Latin', 'Grüße', 5],
    ['combining marks', 'e\u0301', 1],
    ['Han', '你好', 4],
    ['half-width katakana', 'ｱｲ', 2],
    ['an emoji of several code points', '👩‍👩‍👧', 2],
    ['a character with an emoji variation', '❤️', 2],
    ['a keycap', '1️⃣', 2],
    ['a circled ideograph', '㊙', 2],
    ['a Yi syllable', 'ꀀ', 2],
    ['half-width katakana with a voicing mark', 'ｶﾞ', 2],
    ['a soft hyphen', 'Laut\u00adschrift', 11],
    ['what looks like a terminal’s escape sequence', '\u001b[31mred', 7],
  ])('counts columns: %s', (_, text, columns) => {
    expect(displayWidth(text)).toBe(columns);
  });

  it('agrees with string-width about any text, also where it takes a shortcut', () => {
    const ranges = [
      [0x20, 0x052f],
      [0x0590, 0x06ff],
      [0x0900, 0x0eff],
      [0x1e00, 0x206f],
      [0x3000, 0x30ff],
      [0xac00, 0xac1f],
      [0xff00, 0xff7f],
      [0x1f1e6, 0x1f469],
    ];
    const codePoint = fc.oneof(
      ...ranges.map(([min, max]) => fc.integer({ min, max })),
      fc.constantFrom(0x200d, 0xfe0e, 0xfe0f, 0x20e3, 0x31),
    );
    const texts = fc.oneof(
      ...ranges.map(([min, max]) => fc.array(fc.integer({ min, max }), { minLength: 1, maxLength: 6 })),
      fc.array(codePoint, { minLength: 1, maxLength: 8 }),
    );
    fc.assert(
      fc.property(texts, (codePoints) => {
        const text = String.fromCodePoint(...codePoints);
        expect(displayWidth(text)).toBe(stringWidth(text, { countAnsiEscapeCodes: true }));
      }),
      { numRuns: 20_000 },
    );
  });
});
