import { locateWords } from '../offsets.ts';
import { cutOut, type DetectedSpan, hiddenSpan } from '../spans.ts';
import type { AnalysisTranscript } from '../types.ts';

type Range = { readonly from: number; readonly to: number };

/** Above every detector's. */
const SCORE = 100;
const TEXT = /[\p{L}\p{N}\p{M}]/u;
const SIGNS_AT_END = /[^\p{L}\p{N}\p{M}]+$/u;

/** The runs of words that a person decided to hide, or to let stay. */
const decidedRuns = ({ text, segments }: AnalysisTranscript, isPrivate: boolean): Range[] => {
  const runs: { from: number; to: number }[] = [];
  if (!segments.some(({ words }) => words.some((word) => word.isPrivate === isPrivate))) return runs;
  let isRun = false;
  for (const word of locateWords(text, segments)) {
    const last = runs.at(-1);
    if (word.isPrivate !== isPrivate) isRun = false;
    else if (isRun && last !== undefined) last.to = word.to;
    else {
      runs.push({ from: word.from, to: word.to });
      isRun = true;
    }
  }
  return runs;
};

/** The words that a person decided to hide, without the signs around them. */
export const chosenSpans = (transcript: AnalysisTranscript): DetectedSpan[] =>
  decidedRuns(transcript, true).flatMap((run) => {
    const text = transcript.text.slice(run.from, run.to);
    const from = text.search(TEXT);
    const to = text.length - (SIGNS_AT_END.exec(text)?.[0].length ?? 0);
    return from < 0 ? [] : [hiddenSpan('redacted', run.from + from, run.from + to, SCORE)];
  });

/** What is left of spans beside the words that a person decided about; `decisions`: only these count. */
export const withoutDecided = <Span extends Range>(
  spans: readonly Span[],
  transcript: AnalysisTranscript,
  decisions: readonly boolean[] = [true, false],
): Span[] => {
  const decided = decisions.flatMap((isPrivate) => decidedRuns(transcript, isPrivate));
  if (decided.length === 0) return [...spans];
  decided.sort((a, b) => a.from - b.from);
  return spans
    .flatMap((span) => cutOut(span, decided))
    .filter(({ from, to }) => TEXT.test(transcript.text.slice(from, to)));
};
