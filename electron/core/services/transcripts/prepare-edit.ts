import type { PatchTranscript } from '../../../contract/transcript.ts';
import { AppError } from '../../base/errors.ts';
import { createYielder } from '../../base/event-loop.ts';
import { joinTexts } from '../../base/text.ts';
import {
  type Analyzer,
  type Findings,
  findingsFields,
  hasAnalyses,
  MIN_LONG_TEXT,
} from '../../pipeline/findings/analyze.ts';
import { previewOf } from '../../pipeline/findings/totals.ts';
import type { ReadableDb, WritableDb } from '../../stores/database.ts';
import {
  readSegment,
  readSegments,
  readSegmentTexts,
  replaceSegments,
  type SegmentText,
  type StoredSegment,
  updateSegment,
} from '../../stores/segments.ts';
import type { Transcript, TranscriptChange } from '../../stores/transcript-record.ts';
import { withParagraphs, withText } from './edit.ts';
import { moveEntities } from './moved-entities.ts';

type Edits = NonNullable<PatchTranscript['segments']>;
type Deps = { readonly db: ReadableDb; readonly analyze: Analyzer };

/** What an edit changes, computed but not yet written. */
export type PreparedEdit = {
  /** Writes the segments. Call it in the transaction that writes `change`. */
  readonly writeSegments: (db: WritableDb) => void;
  readonly change: TranscriptChange;
  /** Whether the analyses still have to follow the text. */
  readonly isAnalysisOutdated: boolean;
};

const ANALYSIS_TIMEOUT_MS = 120_000;

/** Throws `conflict` where the text of a segment is no longer the one that the edit replaces. */
const refuseStale = (segments: readonly SegmentText[], edits: Edits): void => {
  const stale = edits.filter(({ id, text, was }) => {
    const now = segments[id]?.text.trim();
    return was !== undefined && now !== was.trim() && now !== text?.trim();
  });
  if (stale.length === 0) return;
  throw new AppError('conflict', 'The text was changed elsewhere in the meantime.', {
    details: stale.map(({ id }) => ({
      path: `segments.${id}`,
      message: `segment ${id} has another text now`,
    })),
  });
};

const refuseUnknown = (segments: readonly SegmentText[], edits: Edits): void => {
  const unknown = edits.find((edit) => segments[edit.id] === undefined);
  if (unknown === undefined) return;
  throw new AppError('invalid_request', `There is no segment ${unknown.id}.`, {
    details: [{ path: 'segments', message: `there is no segment ${unknown.id}` }],
  });
};

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

type Edited = { readonly before: StoredSegment; readonly after: StoredSegment };

const withEdit = async (segment: StoredSegment, edit: Edits[number]): Promise<StoredSegment> => {
  const { text, paragraph_starts: starts } = edit;
  const corrected =
    text === undefined || text.trim() === segment.text.trim() ? segment : await withText(segment, text);
  return starts === undefined ? corrected : withParagraphs(corrected, starts);
};

/** The edited segments with their words, by their place in the transcript. */
const editSegments = async (
  { db }: Pick<Deps, 'db'>,
  id: string,
  segments: readonly SegmentText[],
  edits: Edits,
): Promise<Map<number, Edited>> => {
  const edited = new Map<number, Edited>();
  const yieldIfDue = createYielder();
  for (const [place, edit] of new Map(edits.map((each) => [each.id, each]))) {
    const before = readSegment(db, id, segments[place]?.id ?? place);
    if (before === undefined) continue;
    edited.set(place, { before, after: await withEdit(before, edit) });
    await yieldIfDue();
  }
  return edited;
};

const confidencesOf = ({ words }: StoredSegment): number =>
  words.reduce((sum, { confidence }) => sum + confidence, 0);

/** The number of words and their mean confidence, from those before the edit and those of the edited segments. */
const wordTotals = (
  transcript: Pick<Transcript, 'wordCount' | 'confidence'>,
  edited: readonly Edited[],
): Pick<Transcript, 'wordCount' | 'confidence'> => {
  let { wordCount } = transcript;
  let sum = (transcript.confidence ?? 0) * wordCount;
  for (const { before, after } of edited) {
    wordCount += after.words.length - before.words.length;
    sum += confidencesOf(after) - confidencesOf(before);
  }
  return { wordCount, confidence: wordCount === 0 ? null : Math.min(1, Math.max(0, sum / wordCount)) };
};

/** Changes only what the edit touches: the analyses of the whole text are left to be made later. */
const prepareQuickly = (
  transcript: Transcript,
  segments: readonly SegmentText[],
  edited: ReadonlyMap<number, Edited>,
): PreparedEdit => {
  const after = segments.map(({ text }, place) => ({ text: edited.get(place)?.after.text ?? text }));
  const text = joinTexts(after.map((segment) => segment.text));
  const { entities, ...analysis } = transcript.analysis;
  const changes = [...edited.values()];
  return {
    writeSegments: (db) => {
      for (const change of changes) updateSegment(db, transcript.id, change.after);
    },
    change: {
      ...(text === transcript.text ? {} : { text, preview: previewOf(text) }),
      ...wordTotals(transcript, changes),
      ...(entities === undefined
        ? {}
        : {
            analysis: {
              ...analysis,
              entities: moveEntities(
                entities,
                { text: transcript.text, segments },
                { text, segments: after },
              ),
            },
          }),
    },
    isAnalysisOutdated: text !== transcript.text && hasAnalyses(transcript.options),
  };
};

/** Whether the analyses of an edited text can follow later. Private data is redacted before the text is stored. */
const canFollowLater = ({ options, text }: Transcript): boolean =>
  !options.redact_pii && (!hasAnalyses(options) || text.length > MIN_LONG_TEXT);

/**
 * Computes what a person's corrections change. Where the text is short or redacted, it is analyzed again at once;
 * otherwise entities move with the text, and the rest is left for later. Throws `conflict` and `invalid_request`.
 */
export const prepareEdit = async (
  deps: Deps,
  transcript: Transcript,
  edits: Edits,
): Promise<PreparedEdit> => {
  const segments = readSegmentTexts(deps.db, transcript.id);
  refuseStale(segments, edits);
  refuseUnknown(segments, edits);
  const edited = await editSegments(deps, transcript.id, segments, edits);
  const isTextSame = [...edited.values()].every(({ before, after }) => before.text === after.text);
  if (isTextSame || canFollowLater(transcript)) return prepareQuickly(transcript, segments, edited);
  const all = readSegments(deps.db, transcript.id).map(
    (segment, place) => edited.get(place)?.after ?? segment,
  );
  const findings = await analyzeAgain(deps, transcript, all);
  return {
    writeSegments: (db) => replaceSegments(db, transcript.id, findings.segments),
    change: findingsFields(transcript, findings, transcript.analysis),
    isAnalysisOutdated: false,
  };
};
