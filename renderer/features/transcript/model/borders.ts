import type { Subtitle } from '../../../../electron/contract/exports.ts';
import type { SubtitleTime } from '../../../../electron/contract/segments.ts';
import type { Transcription } from '../../../../electron/contract/transcript.ts';
import { MIN_WORD_SECONDS, type PatchTranscript } from '../../../../electron/contract/transcript-edits.ts';
import type { Doc, DocWord } from './document.ts';

export type Side = 'start' | 'end';
export type Range = { readonly from: number; readonly to: number };

/** A word or a subtitle whose borders are moved; seconds. */
export type Target = {
  readonly kind: 'word' | 'subtitle';
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** The words at its borders, by their indexes in the document. */
  readonly words: Readonly<Record<Side, number>>;
  /** Where each border may be moved. */
  readonly limits: Readonly<Record<Side, Range>>;
};

type Times = NonNullable<PatchTranscript['segments']>[number];
type Marks = Pick<SubtitleTime, Side>;
type Segments = Pick<Transcription, 'segments'>;

/** The first word of the segment that has a word. */
const segmentStart = (doc: Doc, word: number): number => {
  const segment = doc.words[word]?.segment;
  let first = word;
  while (first > 0 && doc.words[first - 1]?.segment === segment) first--;
  return first;
};

/** The index in the document of a segment's word. */
const wordIndex = (doc: Doc, { segment, word }: Subtitle['first']): number | undefined => {
  if (word === null) return undefined;
  const begin = doc.segments.slice(0, segment).reduce((sum, { words }) => sum + words.length, 0);
  return word < (doc.segments[segment]?.words.length ?? 0) ? begin + word : undefined;
};

/** The borders of subtitles that a person set at a word. */
export const marksOf = ({ segments }: Segments, doc: Doc, word: number): Marks => {
  const at = word - segmentStart(doc, word);
  const times = segments[doc.words[word]?.segment ?? -1]?.subtitle_times;
  return times?.find((each) => each.word === at) ?? {};
};

/** The next word in a direction, of the same channel. */
const neighborOf = ({ segments }: Segments, doc: Doc, word: number, by: 1 | -1): DocWord | undefined => {
  const channelOf = (each: DocWord | undefined) => segments[each?.segment ?? -1]?.channel;
  const own = channelOf(doc.words[word]);
  let at = word + by;
  while (doc.words[at] !== undefined && channelOf(doc.words[at]) !== own) at += by;
  return doc.words[at];
};

export const wordTarget = (
  transcript: Segments,
  doc: Doc,
  index: number,
  range: Range,
): Target | undefined => {
  const word = doc.words[index];
  if (word === undefined) return undefined;
  const before = neighborOf(transcript, doc, index, -1);
  const after = neighborOf(transcript, doc, index, 1);
  const first = before === undefined ? range.from : before.start + MIN_WORD_SECONDS;
  const last = after === undefined ? range.to : after.end - MIN_WORD_SECONDS;
  return {
    kind: 'word',
    text: word.text,
    start: word.start,
    end: word.end,
    words: { start: index, end: index },
    limits: {
      start: { from: Math.min(first, word.start), to: word.end - MIN_WORD_SECONDS },
      end: { from: word.start + MIN_WORD_SECONDS, to: Math.max(last, word.end) },
    },
  };
};

/** Undefined where the text has other words than the service knows times of. */
export const subtitleTarget = (
  transcript: Segments,
  doc: Doc,
  subtitle: Subtitle,
  range: Range,
): Target | undefined => {
  const [first, last] = [wordIndex(doc, subtitle.first), wordIndex(doc, subtitle.last)];
  const [begins, ends] = [doc.words[first ?? -1], doc.words[last ?? -1]];
  if (first === undefined || last === undefined || begins === undefined || ends === undefined)
    return undefined;
  const [before, after] = [doc.words[first - 1], doc.words[last + 1]];
  const earliest = before && (marksOf(transcript, doc, first - 1).end ?? before.start + MIN_WORD_SECONDS);
  const latest = after && (marksOf(transcript, doc, last + 1).start ?? after.start);
  const single = first === last ? marksOf(transcript, doc, first) : {};
  return {
    kind: 'subtitle',
    text: subtitle.lines.join(' '),
    start: subtitle.start,
    end: subtitle.end,
    words: { start: first, end: last },
    limits: {
      start: {
        from: Math.min(Math.max(range.from, earliest ?? range.from), subtitle.start),
        to: Math.min(begins.end, single.end ?? range.to) - MIN_WORD_SECONDS,
      },
      end: {
        from: Math.max(ends.start, single.start ?? 0) + MIN_WORD_SECONDS,
        to: Math.max(Math.min(range.to, latest ?? range.to), subtitle.end),
      },
    },
  };
};

/** The subtitle that shows a word. */
export const subtitleOf = (subtitles: readonly Subtitle[], doc: Doc, word: number): Subtitle | undefined => {
  const segment = doc.words[word]?.segment ?? -1;
  const at = word - segmentStart(doc, word);
  const distance = (place: Subtitle['first']) => place.segment - segment || (place.word ?? at) - at;
  return subtitles.find(({ first, last }) => distance(first) <= 0 && distance(last) >= 0);
};

/** The request that moves one border, or lets a subtitle's follow the words again (null). */
export const borderEdit = (
  transcript: Segments,
  doc: Doc,
  { kind, words }: Pick<Target, 'kind' | 'words'>,
  side: Side,
  value: number | null,
): Times => {
  const index = words[side];
  const own = doc.words[index];
  const id = doc.segments[own?.segment ?? -1]?.id ?? -1;
  const word = index - segmentStart(doc, index);
  if (kind === 'word' && value !== null) {
    const was = own?.[side];
    return {
      id,
      times: [side === 'start' ? { word, start: value, was_start: was } : { word, end: value, was_end: was }],
    };
  }
  const was = marksOf(transcript, doc, index)[side] ?? null;
  return {
    id,
    subtitle_times: [
      side === 'start' ? { word, start: value, was_start: was } : { word, end: value, was_end: was },
    ],
  };
};
