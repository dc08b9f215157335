import { type PiiPolicyName, resolvePolicies } from '../../../contract/analysis.ts';
import type { AnalysisOptions, AnalyzeTranscript } from '../../../contract/transcript.ts';
import type { PatchTranscript } from '../../../contract/transcript-edits.ts';
import { AppError, messageOf } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import type { JobEvents } from '../../jobs/events.ts';
import { type Analyzer, type Findings, findingsFields } from '../../pipeline/findings/analyze.ts';
import type { StoredAnalysis, Transcript } from '../../stores/codecs.ts';
import type { WritableDb } from '../../stores/database.ts';
import {
  clearOutdatedAnalysis,
  isAnalysisOutdated,
  markAnalysisOutdated,
  outdatedAnalyses,
} from '../../stores/edits.ts';
import { markForScrub } from '../../stores/scrub-mark.ts';
import { readSegments, type StoredSegment, updateSegment } from '../../stores/segments.ts';
import { findTranscript, updateTranscript } from '../../stores/transcripts.ts';
import type { SpeakerService } from '../speakers.ts';
import { analyzeAgain } from './prepare-edit.ts';

type NamedTranscript = Pick<Transcript, 'id' | 'userId'> & { readonly speakers: StoredAnalysis['speakers'] };

/**
 * The speakers with names and colors that a person gave. Remembers a speaker only if that is asked for; throws
 * `invalid_request` for a label that the transcript does not have.
 */
export const nameSpeakers = (
  { id, userId, speakers: before }: NamedTranscript,
  given: NonNullable<PatchTranscript['speakers']>,
  service: Pick<SpeakerService, 'remember'>,
): NonNullable<StoredAnalysis['speakers']> => {
  const speakers = { ...before };
  for (const [label, change] of Object.entries(given)) {
    const speaker = speakers[label];
    if (speaker === undefined) {
      throw new AppError('invalid_request', `There is no speaker ${label}.`, {
        details: [{ path: `speakers.${label}`, message: 'is not a speaker of this transcription' }],
      });
    }
    const asked = typeof change === 'string' ? { name: change, remember: false } : change;
    const { name = speaker.name, remember } = asked;
    if (remember) service.remember({ id, userId }, label, name);
    const { color: earlier, ...rest } = speaker;
    const color = 'color' in asked && asked.color !== undefined ? asked.color : earlier;
    speakers[label] = { ...rest, name, ...(color == null ? {} : { color }) };
  }
  return speakers;
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
 * redacted text stays redacted. Throws `invalid_request` if no analysis is requested.
 */
export const optionsAgain = (before: AnalysisOptions, asked: AnalyzeTranscript): AnalysisOptions => {
  const { diarize, entity_detection, topics, summarization, content_safety, redact_pii } = asked;
  if (!(diarize || entity_detection || topics || summarization || content_safety || redact_pii)) {
    throw new AppError('invalid_request', 'No analysis is asked for.', {
      details: [{ path: '', message: 'names no analysis to make' }],
    });
  }
  if (diarize && before.multichannel) {
    throw new AppError('invalid_request', 'Each channel of this transcription is a speaker already.', {
      details: [{ path: 'diarize', message: 'does not go with multichannel' }],
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
    ...(diarize
      ? {
          speakers_expected: asked.speakers_expected,
          min_speakers: asked.min_speakers,
          max_speakers: asked.max_speakers,
          known_speakers: asked.known_speakers,
        }
      : {}),
    ...(entity_detection ? { entity_types: asked.entity_types } : {}),
    ...(summarization ? { summary_language: asked.summary_language, summary_type: asked.summary_type } : {}),
    // Only a redaction that asks for it deletes the source; redacting again after a later analysis does not.
    redact_source: redact_pii ? asked.redact_source : 'keep',
    ...(redact_pii ? { redact_pii_sub: asked.redact_pii_sub, redact_names: asked.redact_names } : {}),
    ...(policies === undefined ? {} : { redact_pii_policies: [...policies] }),
  };
};

/** How long a person pauses before the text is analyzed: not after each word, but before they look at the summary. */
const PAUSE_MS = 1500;

type Deps = {
  readonly db: WritableDb;
  readonly logger: Logger;
  readonly analyze: Analyzer;
  readonly jobEvents: JobEvents;
  /** Called after new findings were stored. */
  readonly onChange: (id: string) => void;
};

/** Whether the segments of a transcript are what they were: no one edited, redacted or masked them. */
export const isSameText = (a: Transcript, b: Transcript): boolean =>
  a.status === b.status && a.attempt === b.attempt && a.revision === b.revision && a.text === b.text;

/**
 * Makes the analyses of long texts follow their edits, one transcript at a time. What is due after an edit is marked in its
 * transaction, so that a later run of the program makes it up after a crash.
 */
export class FollowUpAnalyses {
  readonly #deps: Deps;
  readonly #timers = new Map<string, NodeJS.Timeout>();
  readonly #stopping = new AbortController();
  #current: { readonly id: string; readonly abort: AbortController } | undefined;
  #tail: Promise<void> = Promise.resolve();

  constructor(deps: Deps) {
    this.#deps = deps;
    // A job makes the analyses itself if it succeeds; an edit is refused until it ends.
    deps.jobEvents.on('settled', ({ id }) => {
      if (isAnalysisOutdated(deps.db, id)) this.#startTimer(id);
    });
  }

  /** Call it in the transaction of an edit: the mark survives a crash. */
  schedule(id: string): void {
    markAnalysisOutdated(this.#deps.db, id);
    // Its findings would be those of the text before.
    if (this.#current?.id === id) this.#current.abort.abort();
    this.#startTimer(id);
  }

  /** Schedules what an earlier run left. */
  start(): void {
    for (const id of outdatedAnalyses(this.#deps.db)) this.#startTimer(id);
  }

  /** Ends the running analysis. What is still due is made up by the next run of the program. */
  async close(): Promise<void> {
    this.#stopping.abort();
    this.#current?.abort.abort();
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
    await this.#tail;
  }

  #startTimer(id: string): void {
    if (this.#stopping.signal.aborted) return;
    clearTimeout(this.#timers.get(id));
    const begin = () => {
      this.#timers.delete(id);
      this.#tail = this.#tail.then(() => this.#run(id));
    };
    this.#timers.set(id, setTimeout(begin, PAUSE_MS).unref());
  }

  async #run(id: string): Promise<void> {
    if (this.#stopping.signal.aborted) return;
    const { db, logger } = this.#deps;
    const abort = new AbortController();
    this.#current = { id, abort };
    try {
      const transcript = findTranscript(db, id);
      if (transcript === undefined) clearOutdatedAnalysis(db, id);
      else if (transcript.status !== 'processing') await this.#analyze(transcript, abort.signal);
    } catch (error) {
      if (!abort.signal.aborted)
        logger.warn({ transcript: id, reason: messageOf(error) }, 'An edited text could not be analyzed');
    } finally {
      this.#current = undefined;
    }
  }

  async #analyze(transcript: Transcript, signal: AbortSignal): Promise<void> {
    const { db, onChange } = this.#deps;
    const segments = readSegments(db, transcript.id);
    const findings = await analyzeAgain(this.#deps, transcript, segments, signal);
    const isStored = db.transaction(() => this.#store(transcript, segments, findings));
    if (isStored) onChange(transcript.id);
    else if (isAnalysisOutdated(db, transcript.id)) this.#startTimer(transcript.id);
  }

  /** Stores the findings unless the transcript was changed, redacted or deleted meanwhile. */
  #store(analyzed: Transcript, segments: readonly StoredSegment[], findings: Findings): boolean {
    const { db } = this.#deps;
    const { id } = analyzed;
    const now = findTranscript(db, id);
    if (now === undefined || !isSameText(now, analyzed)) return false;
    // Without redaction the analyses keep the number of segments, and change those with masked words only.
    for (const [index, segment] of findings.segments.entries()) {
      if (segment.text !== segments[index]?.text) updateSegment(db, id, segment);
    }
    const change = findingsFields(now, findings, now.analysis);
    updateTranscript(db, id, { ...change, ...(change.text === now.text ? { text: undefined } : {}) });
    markForScrub(db, 'index');
    clearOutdatedAnalysis(db, id);
    return true;
  }
}
