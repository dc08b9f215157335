import { describe, expect, it } from 'vitest';
import { sentenceStatistics, splitSentences } from '../../../electron/core/analysis/sentences.ts';
import type { AnalysisSegment } from '../../../electron/core/analysis/types.ts';

const segment = (text: string, id = 0, start = 0, speaker: string | null = null): AnalysisSegment => {
  const tokens = text.split(/\s+/).filter(Boolean);
  const step = 5 / Math.max(1, tokens.length);
  const words = tokens.map((word, index) => ({
    word,
    start: start + index * step,
    end: start + (index + 1) * step,
    confidence: 0.9,
  }));
  return { id, text, start, end: start + 5, speaker_id: speaker, words };
};

const textsOf = (...parts: string[]) =>
  splitSentences(parts.map((part, index) => segment(part, index, index * 5))).map(
    (sentence) => sentence.text,
  );

describe('splitSentences', () => {
  it.each([
    ['Dr. Smith arrived at 5 p.m. He was late.', ['Dr. Smith arrived at 5 p.m.', 'He was late.']],
    ['Was it 3.5 or 4? "Really?" she asked.', ['Was it 3.5 or 4?', '"Really?" she asked.']],
    ['J. K. Rowling wrote it. It is, e.g. good.', ['J. K. Rowling wrote it.', 'It is, e.g. good.']],
    [
      'The U.S. Army left. I live in the U.S. We like it.',
      ['The U.S. Army left.', 'I live in the U.S.', 'We like it.'],
    ],
    ['Wait... what? Hmm... Okay.', ['Wait... what?', 'Hmm...', 'Okay.']],
    ['Am 3. Mai kommt Dr. Müller. Das ist z. B. gut.', ['Am 3. Mai kommt Dr. Müller.', 'Das ist z. B. gut.']],
    ['M. Dupont est là. Il arrive.', ['M. Dupont est là.', 'Il arrive.']],
    ['La Sra. García vive aquí. ¿Dónde está? ¡Ahí!', ['La Sra. García vive aquí.', '¿Dónde está?', '¡Ahí!']],
    ['هل انت هنا؟ نعم.', ['هل انت هنا؟', 'نعم.']],
    ['यह अच्छा है। हाँ।', ['यह अच्छा है।', 'हाँ।']],
    ['今日は晴れ。 明日は雨！ 本当？', ['今日は晴れ。', '明日は雨！', '本当？']],
    ['He lives on Main St. Then we left St. Louis.', ['He lives on Main St.', 'Then we left St. Louis.']],
  ])('%s', (text, expected) => {
    expect(textsOf(text)).toEqual(expected);
  });

  it('joins segments', () => {
    expect(textsOf('my number is 555', '014 2367. Okay', 'fine.')).toEqual([
      'my number is 555 014 2367.',
      'Okay fine.',
    ]);
  });

  it('splits unspaced text without words', () => {
    const sentences = splitSentences([{ ...segment('今日は晴れ。明日は雨！'), words: [] }]);
    expect(sentences.map((sentence) => sentence.text)).toEqual(['今日は晴れ。', '明日は雨！']);
  });

  it('ends a sentence at a change of speaker and at a long pause', () => {
    const spoken = splitSentences([segment('and so we', 0, 0, 'A'), segment('yes we did', 1, 5, 'B')]);
    expect(spoken.map((sentence) => sentence.text)).toEqual(['and so we', 'yes we did']);
    const paused = splitSentences([segment('and so we', 0, 0), segment('went on', 1, 9)]);
    expect(paused).toHaveLength(2);
  });

  it('splits long runs without punctuation at pauses, and keeps each word once', () => {
    const parts = Array.from({ length: 12 }, (_, index) =>
      segment(`${'word '.repeat(11)}end${index}`, index, index * 5.5),
    );
    const sentences = splitSentences(parts);
    expect(sentences.length).toBeGreaterThan(3);
    expect(sentences.flatMap((sentence) => sentence.words)).toHaveLength(144);
    for (const sentence of sentences) expect(sentence.words.length).toBeLessThanOrEqual(40);
  });

  it('numbers sentences from 1, with the times and confidence of their words', () => {
    const [first] = splitSentences([segment('Hello there. Bye.')]);
    expect(first).toMatchObject({ id: 1, text: 'Hello there.', start: 0, confidence: 0.9 });
    expect(first?.words.map((word) => word.word)).toEqual(['Hello', 'there.']);
  });

  it('returns no sentences for silence', () => {
    expect(splitSentences([])).toEqual([]);
    expect(splitSentences([{ ...segment(''), words: [] }])).toEqual([]);
  });
});

describe('sentenceStatistics', () => {
  it.each([
    [8, 'slow'],
    [12, 'normal'],
    [20, 'fast'],
  ])('%i words in 5 s are %s', (count, rate) => {
    const statistics = sentenceStatistics([segment('word '.repeat(count))]);
    expect(statistics).toEqual({
      average_confidence: 0.9,
      words_per_minute: count * 12,
      speaking_rate: rate,
    });
  });

  it('is zero for silence', () => {
    expect(sentenceStatistics([])).toEqual({
      average_confidence: 0,
      words_per_minute: 0,
      speaking_rate: 'slow',
    });
  });
});
