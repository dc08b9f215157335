import { isDeepStrictEqual } from 'node:util';
import type { Speaker } from '../../../contract/transcript.ts';
import { joinTexts } from '../../base/text.ts';
import {
  type Analyzer,
  type Findings,
  findingsFields,
  hasAnalyses,
  MIN_LONG_TEXT,
  previewOf,
} from '../../pipeline/findings/analyze.ts';
import { withMovedTalk } from '../../pipeline/findings/speaker-words.ts';
import type { Transcript, TranscriptChange } from '../../stores/codecs.ts';
import type { ReadableDb } from '../../stores/database.ts';
import {
  differingSpan,
  inverseSpans,
  readSegments,
  type SegmentSpan,
  type SegmentText,
  type StoredSegment,
  withSpans,
} from '../../stores/segments.ts';
import { moveEntities, type Replacement } from './edited-segments.ts';

type Deps = { readonly db: ReadableDb; readonly analyze: Analyzer };

/** What an edit changes, computed but not yet written. */
export type PreparedEdit = {
  /** The segments to write, and those that undo it. */
  readonly spans: readonly SegmentSpan[];
  readonly inverse: readonly SegmentSpan[];
  readonly change: TranscriptChange;
  /** The speakers with their talk time; undefined if nothing changed hands. */
  readonly speakers: Record<string, Speaker> | undefined;
  /** Whether the analyses still have to follow the text. */
  readonly isAnalysisOutdated: boolean;
};

const ANALYSIS_TIMEOUT_MS = 120_000;

/** Analyzes segments as the transcript asks, but keeps a summary that a language model wrote or that is translated. */
export const analyzeAgain = (
  { analyze }: Pick<Deps, 'analyze'>,
  { language, options, analysis }: Transcript,
  segments: readonly StoredSegment[],
  signal: AbortSignal = AbortSignal.timeout(ANALYSIS_TIMEOUT_MS),
): Promise<Findings> => {
  const { summary } = analysis;
  const written = summary?.engine === 'local_llm' || (summary !== undefined && summary.language !== language);
  return analyze({
    language,
    segments,
    options: { ...options, summarization: options.summarization && !written },
    signal,
  });
};

const confidencesOf = ({ words }: StoredSegment): number =>
  words.reduce((sum, { confidence }) => sum + confidence, 0);

/** The number of words and their mean confidence, from those before the edit and those of the edited segments. */
const wordTotals = (
  transcript: Pick<Transcript, 'wordCount' | 'confidence'>,
  replacements: readonly Replacement[],
): Pick<Transcript, 'wordCount' | 'confidence'> => {
  let { wordCount } = transcript;
  let sum = (transcript.confidence ?? 0) * wordCount;
  const count = (segments: readonly StoredSegment[], sign: 1 | -1) => {
    for (const segment of segments) {
      wordCount += sign * segment.words.length;
      sum += sign * confidencesOf(segment);
    }
  };
  for (const { span, replaced } of replacements) {
    count(replaced, -1);
    count(span.segments, 1);
  }
  return { wordCount, confidence: wordCount === 0 ? null : Math.min(1, Math.max(0, sum / wordCount)) };
};

type Texts = { readonly text: string; readonly segments: readonly { readonly text: string }[] };

/** The texts before and after, with the same number of segments: those that are replaced together count as one. */
const textsOf = (
  transcript: Transcript,
  segments: readonly SegmentText[],
  replacements: readonly Replacement[],
): { before: Texts; after: Texts; isSame: boolean } => {
  const joined = (of: (replacement: Replacement) => readonly { readonly text: string }[]) =>
    withSpans<{ readonly text: string }>(
      segments,
      replacements.map((each) => ({
        ...each.span,
        segments: [{ text: joinTexts(of(each).map(({ text }) => text)) }],
      })),
    );
  const whole = (list: readonly { readonly text: string }[]) => joinTexts(list.map(({ text }) => text));
  const [before, after] = [joined(({ replaced }) => replaced), joined(({ span }) => span.segments)];
  const text = whole(after);
  return {
    before: { text: transcript.text, segments: before },
    after: { text, segments: after },
    isSame: whole(before) === text,
  };
};

/** The fields that change with the segments, without another analysis. */
const quickChange = (
  transcript: Transcript,
  { before, after, isSame }: ReturnType<typeof textsOf>,
  replacements: readonly Replacement[],
): TranscriptChange => {
  if (isSame) return wordTotals(transcript, replacements);
  const { entities, ...analysis } = transcript.analysis;
  return {
    text: after.text,
    preview: previewOf(after.text),
    ...wordTotals(transcript, replacements),
    ...(entities === undefined
      ? {}
      : { analysis: { ...analysis, entities: moveEntities(entities, before, after) } }),
  };
};

/** Whether the analyses of an edited text can follow later. Private data is redacted before the text is stored. */
const canFollowLater = ({ options, text }: Transcript): boolean =>
  !options.redact_pii && (!hasAnalyses(options) || text.length > MIN_LONG_TEXT);

const isChanging = ({ span, replaced }: Replacement): boolean =>
  !isDeepStrictEqual(
    span.segments.map(({ id: _, ...segment }) => segment),
    replaced.map(({ id: _, ...segment }) => segment),
  );

const haveSameTimes = (a: readonly StoredSegment[], b: readonly StoredSegment[]): boolean => {
  const others = b.flatMap(({ words }) => words);
  return a
    .flatMap(({ words }) => words)
    .every(({ start, end }, index) => start === others[index]?.start && end === others[index].end);
};

/** Whether the times that analyses name may have changed. Redacted texts are not analyzed again for that. */
const isRetimed = ({ options }: Transcript, replacements: readonly Replacement[]): boolean =>
  !options.redact_pii && replacements.some(({ span, replaced }) => !haveSameTimes(span.segments, replaced));

const movedSpeakers = (
  { analysis }: Transcript,
  segments: readonly SegmentText[],
  replacements: readonly Replacement[],
): Record<string, Speaker> | undefined => {
  const labels = (list: readonly SegmentText[]) => list.map(({ speaker_id }) => speaker_id);
  const isMoved = replacements.some(
    ({ span, replaced }) => !isDeepStrictEqual(labels(span.segments), labels(replaced)),
  );
  if (!isMoved) return undefined;
  const after = withSpans<SegmentText>(
    segments,
    replacements.map(({ span }) => span),
  );
  return withMovedTalk(analysis.speakers ?? {}, segments, after);
};

/**
 * Computes what replaced segments change. If the text is short or redacted, it is analyzed again at once; otherwise
 * entities move with the text, and the rest is left for later.
 */
export const prepareEdit = async (
  deps: Deps,
  transcript: Transcript,
  segments: readonly SegmentText[],
  asked: readonly Replacement[],
): Promise<PreparedEdit> => {
  const replacements = asked.filter(isChanging);
  // A new name leaves a text of ten hours unread.
  if (replacements.length === 0) {
    return { spans: [], inverse: [], change: {}, speakers: undefined, isAnalysisOutdated: false };
  }
  const spans = replacements.map(({ span }) => span);
  const texts = textsOf(transcript, segments, replacements);
  const speakers = movedSpeakers(transcript, segments, replacements);
  if (texts.isSame || canFollowLater(transcript)) {
    return {
      spans,
      inverse: inverseSpans(
        spans,
        replacements.map(({ replaced }) => replaced),
      ),
      change: quickChange(transcript, texts, replacements),
      speakers,
      isAnalysisOutdated:
        hasAnalyses(transcript.options) && (texts.isSame ? isRetimed(transcript, replacements) : true),
    };
  }
  const before = readSegments(deps.db, transcript.id);
  const findings = await analyzeAgain(deps, transcript, withSpans(before, spans));
  // The analysis may have redacted or masked words of other segments.
  const whole = differingSpan(before, findings.segments);
  return {
    spans: whole,
    inverse: inverseSpans(
      whole,
      whole.map(({ at, count }) => before.slice(at, at + count)),
    ),
    change: findingsFields(transcript, findings, transcript.analysis),
    speakers,
    isAnalysisOutdated: false,
  };
};
