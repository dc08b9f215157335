import { describe, expect, it } from 'vitest';
import { ContentSafety } from '../../../electron/contract/analysis.ts';
import { analyze } from '../../../electron/core/analysis/analyze.ts';
import { maskWord } from '../../../electron/core/analysis/safety/mask.ts';
import { readLines } from './support/corpus.ts';
import { transcriptOf } from './support/transcripts.ts';

const safety = async (...parts: string[]) => {
  const result = await analyze(transcriptOf(parts), { content_safety: true }, { secret: 'x' });
  return { ...result, report: ContentSafety.parse(result.content_safety) };
};

describe('content safety', () => {
  it.each(readLines('safety.txt').map((line) => line.split(' | ')))(
    '%s: %s',
    async (label = '', sentence = '') => {
      const { report } = await safety(sentence);
      expect(report.labels.map((one) => one.label)).toEqual(label === '-' ? [] : [label]);
      expect(report.flagged).toBe(label !== '-');
    },
  );

  it('lists the segments, and confidence grows with the number of words', async () => {
    const { report } = await safety('It is raining.', 'He bought a gun.', 'And more guns, and a rifle.');
    const [weapons] = report.labels;
    expect(weapons).toMatchObject({ label: 'weapons', severity: 'medium' });
    expect(weapons?.segments.map((segment) => segment.id)).toEqual([1, 2]);
    const once = (await safety('He bought a gun.')).report.labels[0];
    expect(weapons?.confidence ?? 0).toBeGreaterThan(once?.confidence ?? 1);
  });

  it('masks profanity in text, segments, words and derived results', async () => {
    const transcript = transcriptOf([
      'Damn it, this fucking budget report of Maria Lopez is late again.',
      'Fine.',
    ]);
    const result = await analyze(
      transcript,
      { content_safety: true, entity_detection: true, summarization: true, topics: true },
      { secret: 'x' },
    );
    expect(result.redacted?.text).toBe(
      'D*** it, this f****** budget report of Maria Lopez is late again. Fine.',
    );
    expect(result.redacted?.segments[0]?.words[0]?.word).toBe('D***');
    expect(result.redacted?.redacted_words).toEqual([]);
    expect(JSON.stringify(result)).not.toMatch(/damn|fucking/i);
    expect(result.entities?.map((entity) => entity.text)).toEqual(['Maria Lopez']);
  });

  it('does not change a transcript with nothing to mask', async () => {
    expect((await safety('He bought a gun.')).redacted).toBeUndefined();
  });

  it.each([
    ['damn', 'd***'],
    ['Fucking', 'F******'],
    ['ass-hole', 'a**-h***'],
  ])('masks %s', (word, masked) => {
    expect(maskWord(word)).toBe(masked);
  });
});
