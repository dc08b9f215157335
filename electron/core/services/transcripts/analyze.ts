import { type PiiPolicyName, resolvePolicies } from '../../../contract/analysis.ts';
import type { AnalysisOptions, AnalyzeTranscript, PatchTranscript } from '../../../contract/transcript.ts';
import { AppError } from '../../base/errors.ts';
import type { Analyzer, Findings } from '../../pipeline/findings/analyze.ts';
import type { StoredAnalysis } from '../../stores/codecs.ts';
import type { ReadableDb } from '../../stores/database.ts';
import { readSegments, type StoredSegment } from '../../stores/segments.ts';
import type { Transcript } from '../../stores/transcript-record.ts';
import type { SpeakerService } from '../speakers.ts';
import { withParagraphs, withText } from './edit.ts';

const ANALYSIS_TIMEOUT_MS = 120_000;

/** Throws `conflict` where the text of a segment is no longer the one that the edit replaces. */
const refuseStale = (
  segments: readonly StoredSegment[],
  edits: NonNullable<PatchTranscript['segments']>,
): void => {
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

type SegmentEdit = NonNullable<PatchTranscript['segments']>[number];

const withEdit = async (segment: StoredSegment, edit: SegmentEdit): Promise<StoredSegment> => {
  const { text, paragraph_starts: starts } = edit;
  const corrected =
    text === undefined || text.trim() === segment.text.trim() ? segment : await withText(segment, text);
  return starts === undefined ? corrected : withParagraphs(corrected, starts);
};

/** Edits segments and analyzes the text again, but keeps a summary that a language model wrote or that is translated. */
export const analyzeEdited = async (
  { db, analyze }: { readonly db: ReadableDb; readonly analyze: Analyzer },
  transcript: Transcript,
  edits: NonNullable<PatchTranscript['segments']>,
): Promise<Findings> => {
  const segments = readSegments(db, transcript.id);
  refuseStale(segments, edits);
  const unknown = edits.find((edit) => segments[edit.id] === undefined);
  if (unknown !== undefined) {
    throw new AppError('invalid_request', `There is no segment ${unknown.id}.`, {
      details: [{ path: 'segments', message: `there is no segment ${unknown.id}` }],
    });
  }
  const editOf = new Map(edits.map((edit) => [edit.id, edit]));
  const edited: StoredSegment[] = [];
  for (const [index, segment] of segments.entries()) {
    const edit = editOf.get(index);
    edited.push(edit === undefined ? segment : await withEdit(segment, edit));
  }
  const { options, analysis } = transcript;
  const { summary } = analysis;
  const written =
    summary?.engine === 'local_llm' || (summary !== undefined && summary.language !== transcript.language);
  return analyze({
    language: transcript.language,
    segments: edited,
    options: { ...options, summarization: options.summarization && !written },
    signal: AbortSignal.timeout(ANALYSIS_TIMEOUT_MS),
  });
};

/**
 * The analysis with speakers named by a person. Remembers a speaker only where that is asked for; throws
 * `invalid_request` for a label that the transcript does not have.
 */
export const nameSpeakers = (
  { id, userId, analysis }: Pick<Transcript, 'id' | 'userId' | 'analysis'>,
  names: NonNullable<PatchTranscript['speakers']>,
  service: Pick<SpeakerService, 'remember'>,
): StoredAnalysis => {
  const speakers = { ...analysis.speakers };
  for (const [label, given] of Object.entries(names)) {
    const { name, remember } = typeof given === 'string' ? { name: given, remember: false } : given;
    const speaker = speakers[label];
    if (speaker === undefined) {
      throw new AppError('invalid_request', `There is no speaker ${label}.`, {
        details: [{ path: `speakers.${label}`, message: 'is not a speaker of this transcription' }],
      });
    }
    if (remember) service.remember({ id, userId }, label, name);
    speakers[label] = { ...speaker, name };
  }
  return { ...analysis, speakers };
};

const policiesOf = (
  before: AnalysisOptions,
  asked: AnalyzeTranscript,
): readonly PiiPolicyName[] | undefined => {
  if (!asked.redact_pii) return before.redact_pii_policies;
  const policies = resolvePolicies(asked.redact_pii_policies);
  return before.redact_pii
    ? [...new Set([...resolvePolicies(before.redact_pii_policies), ...policies])]
    : policies;
};

/**
 * The options of a transcript after another analysis: earlier analyses stay, requested ones are added or made again, and
 * redacted text stays redacted. Throws `invalid_request` where no analysis is requested.
 */
export const optionsAgain = (before: AnalysisOptions, asked: AnalyzeTranscript): AnalysisOptions => {
  const { diarize, entity_detection, topics, summarization, content_safety, redact_pii } = asked;
  if (!(diarize || entity_detection || topics || summarization || content_safety || redact_pii)) {
    throw new AppError('invalid_request', 'No analysis is asked for.', {
      details: [{ path: '', message: 'names no analysis to make' }],
    });
  }
  const policies = policiesOf(before, asked);
  return {
    ...before,
    diarize: before.diarize || diarize,
    entity_detection: before.entity_detection || entity_detection,
    topics: before.topics || topics,
    summarization: before.summarization || summarization,
    content_safety: before.content_safety || content_safety,
    redact_pii: before.redact_pii || redact_pii,
    redact_pii_audio: before.redact_pii_audio || (redact_pii && asked.redact_pii_audio),
    ...(diarize ? { speakers_expected: asked.speakers_expected } : {}),
    ...(entity_detection ? { entity_types: asked.entity_types } : {}),
    ...(summarization ? { summary_language: asked.summary_language, summary_type: asked.summary_type } : {}),
    // Only a redaction that asks for it deletes the source; redacting again after a later analysis does not.
    redact_source: redact_pii ? asked.redact_source : 'keep',
    ...(redact_pii ? { redact_pii_sub: asked.redact_pii_sub, redact_names: asked.redact_names } : {}),
    ...(policies === undefined ? {} : { redact_pii_policies: [...policies] }),
  };
};
