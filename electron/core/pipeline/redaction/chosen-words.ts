import { HIDDEN_WORD } from '../../../contract/analysis.ts';
import { locateSegmentWords } from '../../analysis/offsets.ts';
import { AppError } from '../../base/errors.ts';
import { joinTexts } from '../../base/text.ts';
import type { Span } from '../../engines/ffmpeg/types.ts';
import type { ReanalysisCheckpoint } from '../../stores/codecs.ts';
import type { StoredSegment, StoredWord } from '../../stores/segments.ts';
import type { JobContext, PipelineDeps, PipelineModel } from '../deps.ts';
import { recognizeAgain } from '../recognition/recognizer.ts';

type Chosen = NonNullable<ReanalysisCheckpoint['chosen']>['segments'];

const ALL = [0, Number.POSITIVE_INFINITY] as const;

/** Marks the chosen words as private; the analysis hides them. */
export const markPrivate = (segments: readonly StoredSegment[], chosen: Chosen): StoredSegment[] => {
  const marked = [...segments];
  for (const { id, words: [first, last] = ALL } of chosen) {
    const segment = marked[id];
    if (segment === undefined) continue;
    const words = segment.words.map((word, index) =>
      index >= first && index <= last ? { ...word, isPrivate: true } : word,
    );
    marked[id] = { ...segment, words };
  }
  return marked;
};

/** The token or mask in a word. */
const hiddenIn = (word: string): string | undefined => HIDDEN_WORD.exec(word)?.[0];

export const isHiddenWord = ({ word }: Pick<StoredWord, 'word'>): boolean => hiddenIn(word) !== undefined;

/** The runs of hidden words among those that were chosen: first and last, from the last run to the first. */
const hiddenRuns = ({ words }: StoredSegment, [first, last]: readonly [number, number]) => {
  const runs: { first: number; last: number }[] = [];
  for (const [index, word] of words.entries()) {
    if (index < first || index > last || !isHiddenWord(word)) continue;
    const run = runs.at(-1);
    if (run?.last === index - 1) run.last = index;
    else runs.push({ first: index, last: index });
  }
  return runs.reverse();
};

/** Context for the recognizer; seconds. */
const CONTEXT = 3;
/** How far from a hidden word the middle of what it hides may be recognized; seconds. */
const TOLERANCE = 0.25;

const plain = (word: string | undefined): string =>
  (word ?? '').toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');

/** What is said between two neighbors: the recognized words that lie there, without the neighbors themselves. */
const wordsBetween = (
  heard: readonly StoredWord[],
  { start, end }: Span,
  before: StoredWord | undefined,
  after: StoredWord | undefined,
): StoredWord[] => {
  const found = heard.filter((word) => {
    const middle = (word.start + word.end) / 2;
    return middle >= start - TOLERANCE && middle <= end + TOLERANCE;
  });
  if (plain(found[0]?.word) === plain(before?.word)) found.shift();
  if (plain(found.at(-1)?.word) === plain(after?.word)) found.pop();
  return found;
};

/** The segment with recognized words in the place of hidden ones; signs around those stay. */
const withWords = (
  segment: StoredSegment,
  { first, last }: { readonly first: number; readonly last: number },
  found: readonly StoredWord[],
): StoredSegment => {
  const range = { from: 0, to: segment.text.length };
  const located = locateSegmentWords(segment.text, range, segment, 0);
  const [begin, end] = [located[first], located[last]];
  const [opening, closing] = [segment.words[first], segment.words[last]];
  if (!begin || !end || !opening || !closing) return segment;
  const prefix = opening.word.trim().split(hiddenIn(opening.word) ?? '')[0] ?? '';
  const suffix =
    closing.word
      .trim()
      .split(hiddenIn(closing.word) ?? '')
      .at(-1) ?? '';
  const words = found.map(({ word, ...times }, index) => ({
    ...times,
    start: Math.max(times.start, segment.words[first - 1]?.end ?? 0),
    speaker_id: opening.speaker_id,
    isPrivate: false,
    word: `${index === 0 ? prefix : ''}${word.trim().replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '')}${index === found.length - 1 ? suffix : ''}`,
  }));
  return {
    ...segment,
    text:
      segment.text.slice(0, begin.from) +
      joinTexts(words.map(({ word }) => word)) +
      segment.text.slice(end.to),
    words: segment.words.toSpliced(first, last - first + 1, ...words),
  };
};

export type ShownSpan = Span & { readonly policy: string };

type ShownWords = {
  readonly segments: readonly StoredSegment[];
  /** Where they are said, in seconds on the transcript's timeline, and as what they were hidden: empty where a mask does not say. */
  readonly spans: readonly ShownSpan[];
  /** Hidden words in whose place nothing was recognized: they stay hidden. */
  readonly missed: number;
};

/** The policy that a token names. */
const policyOf = (word: string): string =>
  (/^\[([A-Z_]+?)(?:_[0-9a-f]{8})?\]$/.exec(hiddenIn(word) ?? '')?.[1] ?? '').toLowerCase();

type Original = {
  readonly path: string;
  readonly model: PipelineModel;
};

/** Recognizes what is said in the place of chosen hidden words, and puts it there. */
export const showWords = async (
  deps: PipelineDeps,
  { transcript, signal }: JobContext,
  { path, model }: Original,
  stored: readonly StoredSegment[],
  chosen: Chosen,
): Promise<ShownWords> => {
  const segments = [...stored];
  const spans: ShownSpan[] = [];
  let missed = 0;
  const recognize = async ({ start, end }: Span): Promise<StoredWord[]> => {
    const heard: StoredWord[] = [];
    const range = { start: Math.max(0, start - CONTEXT), end: end + CONTEXT };
    const { translate } = transcript.options;
    const language = transcript.language ?? 'en';
    const options = { model, language, range, signal, translate };
    for await (const parts of recognizeAgain(deps, { kind: 'file', path }, options))
      heard.push(...parts.flatMap(({ words }) => words.map((word) => ({ ...word, speaker_id: null }))));
    return heard;
  };
  // From the end on, so that the words before keep their numbers.
  for (const { id, words = ALL } of chosen.toReversed()) {
    for (const run of hiddenRuns(segments[id] ?? missing(), words)) {
      const segment = segments[id] ?? missing();
      const said = segment.words.slice(run.first, run.last + 1);
      const span = { start: said[0]?.start ?? 0, end: said.at(-1)?.end ?? 0 };
      const [before, after] = [segment.words[run.first - 1], segment.words[run.last + 1]];
      const found = wordsBetween(await recognize(span), span, before, after);
      if (found.length === 0) missed += 1;
      else {
        segments[id] = withWords(segment, run, found);
        spans.push({ ...span, policy: policyOf(said[0]?.word ?? '') });
      }
    }
  }
  return { segments, spans, missed };
};

const missing = (): never => {
  throw new AppError('internal_error', 'A chosen segment is not there any more.');
};
