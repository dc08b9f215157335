import { describe, expect, it } from 'vitest';
import { joinTexts, startsRtl } from '../../../electron/core/base/text.ts';

describe('joinTexts', () => {
  it.each([
    ['a space between words', [' One. ', 'Two.'], 'One. Two.'],
    ['no space in Chinese', ['你好。', '再见。'], '你好。再见。'],
    ['no space in Japanese', ['そうです', 'ね。'], 'そうですね。'],
    ['no space in Thai', ['สวัสดีครับ', 'ขอบคุณ'], 'สวัสดีครับขอบคุณ'],
    ['a space in Korean', ['안녕', '하세요'], '안녕 하세요'],
    ['a space between scripts', ['我叫', 'Maria', '。'], '我叫 Maria 。'],
    ['nothing for empty texts', ['', 'One.', '  ', 'Two.', ''], 'One. Two.'],
  ])('%s', (_, texts, joined) => {
    expect(joinTexts(texts)).toBe(joined);
  });
});

describe('startsRtl', () => {
  it('goes by the first letter', () => {
    expect(startsRtl('"שלום" he said')).toBe(true);
    expect(startsRtl('1. He said שלום')).toBe(false);
    expect(startsRtl('123')).toBe(false);
  });
});
