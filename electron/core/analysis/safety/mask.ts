import { locateSegments, locateWords } from '../offsets.ts';
import type { AnalysisTranscript } from '../types.ts';

/** Masks all letters and digits but the first: "damn" becomes "d***". */
export const maskWord = (value: string): string =>
  value.replace(/(?<=[\p{L}\p{N}])[\p{L}\p{N}]/gu, (sign) => '*'.repeat(sign.length));

/** Masks spans in text, segments and words; offsets stay valid. */
export const maskSpans = (
  transcript: AnalysisTranscript,
  spans: readonly { from: number; to: number }[],
): AnalysisTranscript => {
  if (spans.length === 0) return transcript;
  const text = maskText(transcript.text, spans);
  const ranges = locateSegments(transcript.text, transcript.segments);
  const located = locateWords(transcript.text, transcript.segments);
  let next = 0;
  const segments = transcript.segments.map((segment, index) => {
    const range = ranges[index] ?? { from: 0, to: 0 };
    const words = segment.words.map((word) => {
      const locatedWord = located[next];
      next += 1;
      if (!locatedWord || !spans.some((span) => span.from < locatedWord.to && locatedWord.from < span.to))
        return word;
      return { ...word, word: text.slice(locatedWord.from, locatedWord.to) };
    });
    if (segment.words.length === 0) while (located[next]?.segment === index) next += 1;
    return { ...segment, text: text.slice(range.from, range.to), words };
  });
  return { ...transcript, text, segments };
};

/** Masks profanity in the other readings of words; undefined where there is none. */
export const maskAlternatives = (
  transcript: AnalysisTranscript,
  profanityIn: (text: string) => readonly { from: number; to: number }[],
): AnalysisTranscript | undefined => {
  const readings = transcript.segments.flatMap(({ words }) =>
    words.flatMap(({ alternatives = [] }) => alternatives.map(({ text }) => text)),
  );
  const text = readings.map((reading) => `${reading}\n`).join('');
  const spans = profanityIn(text);
  if (spans.length === 0) return undefined;
  // A mask is as long as what it covers.
  const masked = maskText(text, spans).split('\n')[Symbol.iterator]();
  const segments = transcript.segments.map((segment) => ({
    ...segment,
    words: segment.words.map((word) =>
      word.alternatives === undefined
        ? word
        : {
            ...word,
            alternatives: word.alternatives.map((other) => ({ ...other, text: masked.next().value ?? '' })),
          },
    ),
  }));
  return { ...transcript, segments };
};

const maskText = (text: string, spans: readonly { from: number; to: number }[]): string => {
  let out = '';
  let at = 0;
  for (const span of [...spans].sort((a, b) => a.from - b.from)) {
    if (span.to <= at) continue;
    const from = Math.max(at, span.from);
    out += text.slice(at, from) + maskWord(text.slice(from, span.to));
    at = span.to;
  }
  return out + text.slice(at);
};
