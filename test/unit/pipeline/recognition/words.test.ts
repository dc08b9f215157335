import { describe, expect, it } from 'vitest';
import type { WhisperSegment } from '../../../../electron/core/engines/whisper/types.ts';
import { keepWords, toSegment } from '../../../../electron/core/pipeline/recognition/words.ts';

/** A segment whose tokens follow each other, half a second each. */
const segmentOf = (texts: string[], overrides: Partial<WhisperSegment> = {}): WhisperSegment => ({
  start: 1,
  end: 1 + texts.length / 2,
  text: texts.join(''),
  noSpeechProbability: 0.01,
  averageLogprob: -0.1,
  tokens: texts.map((text, index) => ({
    id: index,
    text,
    probability: 0.9,
    start: 1 + index / 2,
    end: 1.5 + index / 2,
    special: false,
  })),
  aligned: false,
  ...overrides,
});

const wordsIn = (texts: string[], language = 'en'): string[] =>
  toSegment(segmentOf(texts), language)?.words.map(({ word }) => word) ?? [];

describe('toSegment: words', () => {
  it('are tokens joined, with punctuation attached', () => {
    expect(wordsIn([' Good', ' morn', 'ing', ',', ' my', ' name', ' is', ' D', 'avid', '.'])).toEqual([
      'Good',
      'morning,',
      'my',
      'name',
      'is',
      'David.',
    ]);
    expect(wordsIn([' "', 'Yes', ',"', ' he', ' said', '.', ' It', "'s", ' 3', '.', '5', '%', '.'])).toEqual([
      '"Yes,"',
      'he',
      'said.',
      "It's",
      '3.5%.',
    ]);
  });

  it('keep standalone punctuation with a neighboring word', () => {
    expect(wordsIn([' Bonjour', ' !', ' «', ' Oui', ' »', ' dit', '-il'])).toEqual([
      'Bonjour !',
      '« Oui »',
      'dit-il',
    ]);
    expect(wordsIn([' ¿', 'Qué', '?', ' Well', ' -', ' yes'])).toEqual(['¿Qué?', 'Well -', 'yes']);
    expect(wordsIn([' a', ' &', ' b', ' 5', ' $'])).toEqual(['a', '&', 'b', '5', '$']);
    expect(wordsIn([' yes', ' ('])).toEqual(['yes (']);
  });

  it('of scripts without spaces are split by a dictionary and joined without spaces', () => {
    const japanese = toSegment(segmentOf(['今日', 'は', '天気が', 'いい', 'です', '。']), 'ja');
    expect(japanese?.text).toBe('今日は天気がいいです。');
    expect(japanese?.words.length).toBeGreaterThan(3);
    expect(japanese?.words.at(-1)?.word).toMatch(/。$/);
    expect(toSegment(segmentOf(['สวัสดี', 'ครับ']), 'th')?.words.map(({ word }) => word)).toEqual([
      'สวัสดี',
      'ครับ',
    ]);
    const mixed = toSegment(segmentOf([' We', ' say', ' 你好', '世界', ' here', '.']), 'zh');
    expect(mixed?.text).toBe('We say 你好世界 here.');
    expect(mixed?.words.map(({ word }) => word)).toEqual(['We', 'say', '你好', '世界', 'here.']);
  });

  it('share the time of a token that spans several of them', () => {
    const words = toSegment(segmentOf(['你好世界']), 'zh')?.words ?? [];
    expect(words.map(({ start, end }) => [start, end])).toEqual([
      [1, 1.25],
      [1.25, 1.5],
    ]);
  });

  it("have the geometric mean of their tokens' probabilities, each once", () => {
    const segment = segmentOf([' abc', 'd', ' e']);
    for (const [index, probability] of [0.4, 0.9, 0].entries()) {
      const token = segment.tokens[index];
      if (token) token.probability = probability;
    }
    const words = toSegment(segment, 'en')?.words ?? [];
    expect(words[0]?.confidence).toBeCloseTo(Math.sqrt(0.4 * 0.9), 6);
    expect(words[1]?.confidence).toBeGreaterThan(0);
    expect(words[1]?.confidence).toBeLessThan(0.001);
  });

  it('leave special tokens out', () => {
    const segment = segmentOf([' yes', '[_TT_50]', ' no']);
    const mark = segment.tokens[1];
    if (mark) mark.special = true;
    expect(toSegment(segment, 'en')?.text).toBe('yes no');
  });

  it('have ascending times inside the segment, without overlap', () => {
    const segment = segmentOf([' one', ' two', ' three', ' four', ' five'], { start: 10, end: 12 });
    const times: [number | null, number | null][] = [
      [9, 9.5],
      [11, 10.5],
      [10.2, 10.9],
      [null, null],
      [11.5, 30],
    ];
    for (const [index, [start, end]] of times.entries()) {
      const token = segment.tokens[index];
      if (token) Object.assign(token, { start, end });
    }
    const words = toSegment(segment, 'en')?.words ?? [];
    expect(words).toHaveLength(5);
    let earliest = 10;
    for (const { start, end } of words) {
      expect(start).toBeGreaterThanOrEqual(earliest);
      expect(end).toBeGreaterThanOrEqual(start);
      expect(end).toBeLessThanOrEqual(12);
      earliest = end;
    }
  });

  it('leave out tags for sounds', () => {
    for (const tag of [
      '[BLANK_AUDIO]',
      '[ Silence ]',
      '(music)',
      '(upbeat music)',
      '♪♪',
      '*applause*',
      '（拍手）',
      ' .',
    ]) {
      expect(toSegment(segmentOf([` ${tag}`]), 'en'), tag).toBeUndefined();
    }
    expect(wordsIn([' [', 'MUSIC', '] ', ' Hello', ' (', 'laughs', ')', ' there', '.'])).toEqual([
      'Hello',
      'there.',
    ]);
    expect(wordsIn([' ♪', ' La', ' la', ' ♪'])).toEqual(['La', 'la']);
    expect(wordsIn([' The', ' plan', ' (', 'for', ' now', ')', ' stands'])).toEqual([
      'The',
      'plan',
      '(for',
      'now)',
      'stands',
    ]);
    expect(toSegment(segmentOf([]), 'en')).toBeUndefined();
  });

  it('make the text of the segment when joined', () => {
    const segment = toSegment(segmentOf([' Yes', ',', ' [', 'noise', ']', ' I', ' do', '.']), 'en');
    expect(segment?.text).toBe('Yes, I do.');
    expect(segment?.words.map(({ word }) => word).join(' ')).toBe(segment?.text);
  });
});

describe('keepWords', () => {
  const kept = (texts: string[], language: string, isKept: (word: string) => boolean) => {
    const segment = toSegment(segmentOf(texts), language);
    return segment && keepWords(segment, ({ word }) => isKept(word));
  };

  it('returns the same segment if every word is kept, and nothing if none is', () => {
    const segment = toSegment(segmentOf([' One', ' two', '.']), 'en');
    expect(segment && keepWords(segment, () => true)).toBe(segment);
    expect(segment && keepWords(segment, () => false)).toBeUndefined();
  });

  it('rebuilds the text with the spaces that were written, and ends with the last word kept', () => {
    expect(
      kept([' One', ' two', ' three', ' four'], 'en', (word) => word !== 'two' && word !== 'four'),
    ).toEqual(expect.objectContaining({ text: 'One three', start: 1, end: 2.5 }));
    expect(kept([' We', ' say', ' 你好', '世界', ' here', '.'], 'zh', (word) => word !== '你好')?.text).toBe(
      'We say世界 here.',
    );
    expect(kept([' We', ' say', ' 你好', '世界'], 'zh', (word) => word !== 'say')?.text).toBe('We 你好世界');
  });
});
