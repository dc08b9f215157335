import type { AaiParagraphs, AaiUtterance, AaiWord, AaiWordSearch } from '../../../contract/assemblyai.ts';
import type { Transcription } from '../../../contract/transcript.ts';
import { locateSentences } from '../../analysis/sentences.ts';
import type { AnalysisSegment } from '../../analysis/types.ts';
import { mean, round } from '../../base/numbers.ts';
import { joinTexts } from '../../base/text.ts';
import { tokenize } from '../../search/tokens.ts';

/** Whole milliseconds of a position in seconds. */
export const toMs = (seconds: number): number => Math.round(seconds * 1000);

/** Segments in the form of the analyses, which need `words` on each. */
export const wordedSegments = (transcript: Transcription): AnalysisSegment[] =>
  transcript.segments.map(({ language: _, words = [], ...segment }) => ({ ...segment, words }));

/** `1` is the left channel, `2` the right one. */
const channelOf = (channel: number | undefined): Pick<AaiWord, 'channel'> =>
  channel === undefined ? {} : { channel: String(channel + 1) };

export const aaiWords = (transcript: Transcription): AaiWord[] =>
  transcript.segments.flatMap((segment) =>
    (segment.words ?? []).map((word) => ({
      text: word.word.trim(),
      start: toMs(word.start),
      end: toMs(word.end),
      confidence: word.confidence,
      speaker: word.speaker_id ?? segment.speaker_id,
      ...channelOf(segment.channel),
    })),
  );

const group = (words: readonly AaiWord[]): Omit<AaiUtterance, 'speaker'> => ({
  text: joinTexts(words.map((word) => word.text)),
  start: words[0]?.start ?? 0,
  end: words.at(-1)?.end ?? 0,
  confidence: round(mean(words.map((word) => word.confidence)), 3),
  ...(words[0]?.channel === undefined ? {} : { channel: words[0].channel }),
  words: [...words],
});

/** Groups words by consecutive speaker, who stays in one channel. */
export const aaiUtterances = (words: readonly AaiWord[]): AaiUtterance[] => {
  const turns: { speaker: string; words: AaiWord[] }[] = [];
  for (const word of words) {
    const turn = turns.at(-1);
    const speaker = word.speaker ?? turn?.speaker ?? 'A';
    const isSame = turn?.speaker === speaker && turn.words[0]?.channel === word.channel;
    if (isSame) turn.words.push(word);
    else turns.push({ speaker, words: [word] });
  }
  return turns.map((turn) => ({ ...group(turn.words), speaker: turn.speaker }));
};

export type AaiSentence = AaiUtterance | (Omit<AaiUtterance, 'speaker'> & { speaker: string | null });

export const aaiSentences = (transcript: Transcription): AaiSentence[] => {
  const segments = wordedSegments(transcript);
  const sentences = locateSentences(joinTexts(segments.map((segment) => segment.text)), segments);
  return sentences.map((sentence) => ({
    text: sentence.text,
    start: toMs(sentence.start),
    end: toMs(sentence.end),
    confidence: round(sentence.confidence, 3),
    speaker: sentence.speaker_id,
    ...channelOf(segments[sentence.segment]?.channel),
    words: sentence.words.map((word) => ({
      text: word.word.trim(),
      start: toMs(word.start),
      end: toMs(word.end),
      confidence: round(word.confidence, 3),
      speaker: sentence.speaker_id,
      ...channelOf(segments[sentence.segment]?.channel),
    })),
  }));
};

const PARAGRAPH_PAUSE_MS = 1500;
const PARAGRAPH_LENGTH = 600;

/** Joins sentences until the speaker changes, a pause follows, or the paragraph is long enough. */
export const aaiParagraphs = (transcript: Transcription): AaiParagraphs['paragraphs'] => {
  const paragraphs: AaiSentence[][] = [];
  let length = 0;
  for (const sentence of aaiSentences(transcript)) {
    const paragraph = paragraphs.at(-1);
    const before = paragraph?.at(-1);
    const goesOn =
      before !== undefined &&
      before.speaker === sentence.speaker &&
      sentence.start - before.end < PARAGRAPH_PAUSE_MS &&
      length < PARAGRAPH_LENGTH;
    if (goesOn) paragraph?.push(sentence);
    else paragraphs.push([sentence]);
    length = goesOn ? length + sentence.text.length : sentence.text.length;
  }
  return paragraphs.map((sentences) => ({
    ...group(sentences.flatMap((sentence) => sentence.words)),
    text: joinTexts(sentences.map((sentence) => sentence.text)),
  }));
};

const keyOf = (text: string): string =>
  tokenize(text)
    .map((token) => token.folded)
    .join(' ');

/** Where each key occurs among the words, by index. A text has far fewer different words than words. */
const placesOf = (words: readonly AaiWord[]): { keys: string[]; places: Map<string, number[]> } => {
  const known = new Map<string, string>();
  const places = new Map<string, number[]>();
  const keys = words.map(({ text }, index) => {
    const key = known.get(text) ?? keyOf(text);
    known.set(text, key);
    const indexes = places.get(key);
    if (indexes === undefined) places.set(key, [index]);
    else indexes.push(index);
    return key;
  });
  return { keys, places };
};

/** Finds each distinct phrase among the words, ignoring case, accents and punctuation. */
export const aaiWordSearch = (
  words: readonly AaiWord[],
  phrases: readonly string[],
): AaiWordSearch['matches'] => {
  const { keys, places } = placesOf(words);
  const searched = new Set<string>();
  return phrases.flatMap((phrase) => {
    const [first, ...others] = phrase
      .split(/\s+/u)
      .map(keyOf)
      .filter((key) => key !== '');
    if (first === undefined) return [];
    const wantedKey = [first, ...others].join(' ');
    // A phrase that is repeated would repeat all of its matches.
    if (searched.has(wantedKey)) return [];
    searched.add(wantedKey);
    const indexes = (places.get(first) ?? []).filter((at) =>
      others.every((key, offset) => keys[at + 1 + offset] === key),
    );
    if (indexes.length === 0) return [];
    const timestamps = indexes.map((at): [number, number] => [
      words[at]?.start ?? 0,
      words[at + others.length]?.end ?? 0,
    ]);
    return [{ text: phrase.trim(), count: indexes.length, timestamps, indexes }];
  });
};
