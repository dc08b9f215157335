import { describe, expect, it } from 'vitest';
import { SUMMARY_TYPES, Summary } from '../../../electron/contract/analysis.ts';
import { analyze } from '../../../electron/core/analysis/analyze.ts';
import { splitSentences } from '../../../electron/core/analysis/sentences.ts';
import { cleanSentence } from '../../../electron/core/analysis/summary/clean-sentence.ts';
import { bulletCount } from '../../../electron/core/analysis/summary/extractive.ts';
import type { AnalysisOptions, AnalysisTranscript } from '../../../electron/core/analysis/types.ts';
import { sentencesOf } from '../../support/sentences-of.ts';
import { readTexts } from './support/corpus.ts';
import { rouge } from './support/rouge.ts';
import { transcriptOf } from './support/transcripts.ts';

const texts = readTexts('texts.txt');
const spoken = (text: string) => transcriptOf(text.split(/(?<=[.!?]) /));

const summaryOf = async (transcript: AnalysisTranscript, options: AnalysisOptions = {}) => {
  const result = await analyze(transcript, { summarization: true, ...options }, { secret: 'x' });
  return { summary: Summary.parse(result.summary), warnings: result.warnings };
};

describe('extractive summary', () => {
  it('scores a higher ROUGE than the first sentences', async () => {
    let own = 0;
    let lead = 0;
    for (const text of texts) {
      const { summary } = await summaryOf(spoken(text.text));
      own += rouge(summary.text, text.summary, 2) / texts.length;
      const first = text.text.split(/(?<=[.!?]) /).slice(0, summary.bullets?.length);
      lead += rouge(first.join(' '), text.summary, 2) / texts.length;
    }
    expect(own).toBeGreaterThan(0.28);
    expect(own).toBeGreaterThan(lead);
  });

  it('gives each bullet its source sentences and times', async () => {
    const transcript = spoken(texts[0]?.text ?? '');
    const sentences = new Map(splitSentences(transcript.segments).map((sentence) => [sentence.id, sentence]));
    const { summary } = await summaryOf(transcript);
    for (const { text, source } of summary.bullets ?? []) {
      const own = source.sentence_ids.map((id) => sentences.get(id));
      const said = own.map((sentence) => sentence?.text ?? '').join(' ');
      expect(rouge(said, text, 1)).toBe(1);
      expect(source.start).toBeCloseTo(own[0]?.start ?? -1, 3);
      expect(source.end).toBeCloseTo(own.at(-1)?.end ?? -1, 3);
    }
    expect((summary.bullets ?? []).map((bullet) => bullet.source.start)).toEqual(
      (summary.bullets ?? []).map((bullet) => bullet.source.start).toSorted((a, b) => a - b),
    );
  });

  it.each(SUMMARY_TYPES)('has the format of %s', async (summary_type) => {
    const { summary } = await summaryOf(spoken(texts[0]?.text ?? ''), { summary_type });
    const lines = summary.text.split('\n');
    if (summary_type === 'bullets') for (const line of lines) expect(line).toMatch(/^• \p{Lu}.*[.?!]$/u);
    if (summary_type === 'paragraphs') expect(summary.text).not.toMatch(/^[•#-]/m);
    if (summary_type === 'markdown') expect(summary.text).toMatch(/^## Summary\n\n- /);
    expect(summary).toMatchObject({ type: summary_type, language: 'en', engine: 'extractive' });
  });

  it('grows with the logarithm of the length, and covers all of the text', async () => {
    expect([1, 3, 12, 70, 2250].map(bulletCount)).toEqual([1, 2, 4, 7, 12]);
    const all = texts.flatMap((text) => text.text.split(/(?<=[.!?]) /));
    const transcript = transcriptOf(all);
    const { summary } = await summaryOf(transcript);
    const end = transcript.segments.at(-1)?.end ?? 0;
    const quarters = (summary.bullets ?? []).map((bullet) => Math.floor((4 * bullet.source.start) / end));
    expect(new Set(quarters).size).toBeGreaterThanOrEqual(3);
    expect(new Set((summary.bullets ?? []).map((bullet) => bullet.text)).size).toBe(summary.bullets?.length);
  });

  it('contains no duplicates', async () => {
    const repeated = [
      'The budget was raised by five thousand dollars.',
      'We raised the budget by five thousand dollars.',
      'The budget was raised by five thousand dollars.',
      'Maria writes the roadmap until Monday.',
      'The supplier delivers the missing parts next week.',
    ];
    const { summary } = await summaryOf(transcriptOf(repeated));
    expect(summary.text.match(/budget/g)).toHaveLength(1);
  });

  it.each([[[]], [['Hello.']], [['Yes.', 'No.']]])('accepts %j', async (parts) => {
    const { summary } = await summaryOf(transcriptOf(parts));
    expect(summary.bullets?.length ?? 0).toBeLessThanOrEqual(parts.length);
  });

  it('summarizes unspaced scripts', async () => {
    const { summary } = await summaryOf(
      transcriptOf(
        ['今日は会議で予算について話しました。', '予算は五千ドル増えます。', '次の会議は月曜日です。'],
        'ja',
      ),
    );
    expect(summary.text).toMatch(/^• .*。/);
  });
});

describe('the language of a summary', () => {
  const german = transcriptOf(
    ['Wir haben das Budget um fünftausend Euro erhöht.', 'Maria schreibt den neuen Plan bis Montag.'],
    'de',
  );
  const english = transcriptOf([
    'We raised the budget by five thousand euros.',
    'Maria Lopez writes the new plan by Monday.',
  ]);

  it("stays the transcript's, with a warning, if nothing can translate", async () => {
    const { summary, warnings } = await summaryOf(german, { summary_language: 'fr' });
    expect(summary.language).toBe('de');
    expect(sentencesOf(warnings).join()).toContain("stays in the transcript's language");
  });

  it('is English with a translation, which is redacted like the transcript', async () => {
    const result = await analyze(
      german,
      { summarization: true, summary_language: 'en', redact_pii: true },
      { secret: 'x', translation: english },
    );
    expect(result.summary?.language).toBe('en');
    expect(result.summary?.text).toContain('budget');
    expect(result.summary?.text).not.toMatch(/Maria|Lopez/);
    expect(result.summary?.bullets?.[0]?.source.sentence_ids).toEqual([1]);
  });
});

describe('cleanSentence', () => {
  it.each([
    ['um, so, we we decided to, you know, raise the budget', 'en', 'We decided to, raise the budget.'],
    ['And I was going, I was going to say that it works.', 'en', 'I was going to say that it works.'],
    ['Okay, well, the the first go- the first item is done', 'en', 'The first item is done.'],
    ['I think that that is fine.', 'en', 'I think that that is fine.'],
    ['Call five five five now.', 'en', 'Call five five five now.'],
    ['No budget was left.', 'en', 'No budget was left.'],
    ['Ähm, also, wir wir machen das morgen.', 'de', 'Wir machen das morgen.'],
    ['Euh, donc, on a décidé de partir.', 'fr', 'On a décidé de partir.'],
    ['Pues, eh, vamos a empezar el proyecto.', 'es', 'Vamos a empezar el proyecto.'],
    ['um', 'en', ''],
  ])('%s', (text, language, clean) => {
    expect(cleanSentence(text, language)).toBe(clean);
  });
});
