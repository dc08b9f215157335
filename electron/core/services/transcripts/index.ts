import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type {
  AnalyzeTranscript,
  CreateTranscript,
  PatchTranscript,
  SentenceData,
  Transcription,
} from '../../../contract/transcript.ts';
import type { RecentItem, UserListQuery } from '../../../contract/transcript-list.ts';
import type { Clock } from '../../base/clock.ts';
import { AppError } from '../../base/errors.ts';
import { sha256Hex } from '../../base/ids.ts';
import { KeyedLock } from '../../base/keyed-lock.ts';
import type { DataPaths } from '../../base/paths.ts';
import type { JobRunner } from '../../jobs/runner.ts';
import type { PipelineDeps } from '../../pipeline/deps.ts';
import { type Analyser, analysedFields } from '../../pipeline/findings/analyze.ts';
import { asBefore, isReanalysis, queuedAgain } from '../../pipeline/findings/reanalyze.ts';
import { dropUnredacted } from '../../pipeline/redaction/partial.ts';
import { nameFromAudioUrl, parseAudioUrl } from '../../pipeline/source/audio-url.ts';
import { findIdempotent, rememberIdempotent } from '../../stores/idempotency.ts';
import * as queue from '../../stores/jobs.ts';
import type { UserRow } from '../../stores/schema.ts';
import { markForScrub, runPendingScrub } from '../../stores/scrub.ts';
import { readSegments, replaceSegments, type StoredSegment } from '../../stores/segments.ts';
import type { Transcript, TranscriptChange } from '../../stores/transcript-record.ts';
import * as store from '../../stores/transcripts.ts';
import type { EventHub } from '../events.ts';
import type { ModelService } from '../models/index.ts';
import type { SettingsService } from '../settings.ts';
import type { UsageService } from '../usage.ts';
import type { VoiceService } from '../voices.ts';
import { analyseEdited, nameSpeakers, optionsAgain } from './analyze.ts';
import { checkModel } from './check-model.ts';
import { listOf, recentOf } from './list.ts';
import { newTranscript } from './new-transcript.ts';
import { presentSegments, presentSentences, presentTranscript } from './present.ts';

/** What the file service offers to transcripts. */
export type OwnFiles = {
  /** The key of the caller's own file that a URL names, or undefined when it names none. */
  resolveUrl(userId: string, url: string): string | undefined;
  ownFile(userId: string, key: string): { id: string; originalName: string } | undefined;
};

export type TranscriptOptions = {
  readonly db: PipelineDeps['db'];
  readonly clock: Clock;
  readonly paths: DataPaths;
  readonly settings: SettingsService;
  readonly models: ModelService;
  readonly usage: UsageService;
  readonly events: EventHub;
  readonly files: OwnFiles;
  readonly jobs: JobRunner;
  readonly voices: VoiceService;
  readonly analyse: Analyser;
  readonly baseUrl: () => string;
};

const notFound = () => new AppError('transcript_not_found', 'There is no such transcription.');

/** The id of what a user keeps: created, read, changed, deleted; the work itself is the job runner's. */
export class TranscriptService {
  readonly #o: TranscriptOptions;
  /** Changes by persons, one after the other for each transcript. */
  readonly #changes = new KeyedLock();

  constructor(options: TranscriptOptions) {
    this.#o = options;
  }

  /** Accepts a job and answers at once. A repeated `idempotencyKey` answers with the first record. */
  create(user: UserRow, body: CreateTranscript, idempotencyKey: string | undefined): Transcript {
    checkModel(this.#o.models, body);
    const source = this.#source(user.id, body.audio_url);
    const hash = sha256Hex(JSON.stringify(body));
    const { db, clock } = this.#o;
    const created = db.transaction(() => {
      const earlier = this.#earlier(user.id, idempotencyKey, hash);
      if (earlier !== undefined) return { transcript: earlier, isNew: false };
      this.#o.usage.refuseOverBudget(user);
      const made = newTranscript(body, {
        userId: user.id,
        source,
        queueOrder: queue.lastQueueOrder(db) + 1,
        now: clock.now(),
      });
      store.insertTranscript(db, made);
      if (idempotencyKey !== undefined) {
        const entry = { user_id: user.id, key: idempotencyKey, body_hash: hash, transcript_id: made.id };
        rememberIdempotent(db, { ...entry, created_at: clock.now() });
      }
      return { transcript: made, isNew: true };
    });
    if (created.isNew) {
      this.#o.events.publish(user.id, {
        type: 'transcript.created',
        transcript: this.present(created.transcript),
      });
      this.#o.jobs.wake();
    }
    return created.transcript;
  }

  get(userId: string, id: string): Transcription {
    return this.#o.voices.withSuggestions(userId, this.present(this.#own(userId, id)));
  }

  /** Waits until a transcript has ended, or the signal fires. */
  async wait(userId: string, id: string, signal: AbortSignal): Promise<Transcription> {
    await this.#o.jobs.waitFor(id, signal);
    return this.get(userId, id);
  }

  list(userId: string, query: UserListQuery) {
    return listOf(this.#o, userId, query);
  }

  recent(userId: string, limit: number): RecentItem[] {
    return recentOf(this.#o, userId, limit);
  }

  sentences(userId: string, id: string): SentenceData['data'] {
    const transcript = this.#finished(userId, id);
    return presentSentences(transcript, readSegments(this.#o.db, transcript.id));
  }

  /**
   * Applies a person's corrections (name, text of segments, names of speakers) and analyzes the text again. Other
   * requests get a turn between the steps: each takes up to 50 ms with 50,000 words.
   */
  change(userId: string, id: string, patch: PatchTranscript): Promise<Transcription> {
    return this.#changes.run(id, async () => {
      const transcript = patch.segments === undefined ? this.#own(userId, id) : this.#finished(userId, id);
      const analysed =
        patch.segments === undefined ? undefined : await analyseEdited(this.#o, transcript, patch.segments);
      await nextTurn();
      this.#o.db.transaction(() => {
        const now = analysed === undefined ? this.#own(userId, id) : this.#finished(userId, id);
        const change: TranscriptChange = {};
        if (patch.name !== undefined) Object.assign(change, { name: patch.name, isNameGiven: true });
        if (analysed !== undefined) {
          replaceSegments(this.#o.db, id, analysed.segments);
          Object.assign(change, analysedFields(now, analysed, now.analysis));
        }
        if (patch.speakers !== undefined) {
          Object.assign(change, nameSpeakers({ ...now, ...change }, patch.speakers, this.#o.voices));
        }
        store.updateTranscript(this.#o.db, id, change);
      });
      await nextTurn();
      const changed = this.#changed(userId, id);
      await nextTurn();
      return changed;
    });
  }

  /** Puts a finished transcription into the queue for further analyses of its stored words. */
  analyze(userId: string, id: string, asked: AnalyzeTranscript): void {
    const transcript = this.#finished(userId, id);
    if (transcript.status !== 'completed') {
      throw new AppError('transcript_not_ready', 'This transcription failed: try it again first.');
    }
    store.updateTranscript(this.#o.db, id, {
      ...queuedAgain(transcript, optionsAgain(transcript.options, asked), asked.diarize),
      queueOrder: queue.lastQueueOrder(this.#o.db) + 1,
    });
    this.#changed(userId, id);
    this.#o.jobs.wake();
  }

  /** Ends a waiting or running transcription as failed/`cancelled`. */
  async cancel(userId: string, id: string): Promise<Transcription> {
    const transcript = this.#own(userId, id);
    if (transcript.status !== 'processing')
      throw new AppError('not_cancellable', `This transcription is ${transcript.status} already.`);
    if (this.#o.jobs.isRunning(id)) await this.#o.jobs.stop(id, 'cancelled');
    else this.#endWaiting(transcript);
    return this.get(userId, id);
  }

  /** Puts a failed transcription back into the queue; it goes on from where it came to. */
  retry(userId: string, id: string): Transcription {
    const transcript = this.#own(userId, id);
    if (transcript.status !== 'failed')
      throw new AppError(
        'not_retryable',
        `This transcription is ${transcript.status}: only a failed one can be tried again.`,
      );
    store.updateTranscript(this.#o.db, id, {
      status: 'processing',
      stage: 'queued',
      lease: null,
      error: null,
      completedAt: null,
      queueOrder: queue.lastQueueOrder(this.#o.db) + 1,
    });
    this.#o.jobs.wake();
    return this.#changed(userId, id);
  }

  /** Deletes a transcription, its words and made files; a running job is stopped first. */
  async remove(userId: string, id: string): Promise<void> {
    this.#own(userId, id);
    // Re-check synchronously right before deleting, so the queue cannot claim the job in between.
    while (this.#o.jobs.isRunning(id)) await this.#o.jobs.stop(id, 'deleted');
    this.#o.db.transaction(() => {
      if (this.#o.voices.isKnown(id)) markForScrub(this.#o.db, 'log');
      if (!store.deleteTranscript(this.#o.db, userId, id)) throw notFound();
    });
    runPendingScrub(this.#o.db);
    this.#o.jobs.announceEnd(id);
    for (const folder of [join(this.#o.paths.transcripts, id), join(this.#o.paths.temporary, id)]) {
      await rm(folder, { recursive: true, force: true });
    }
    this.#o.events.publish(userId, { type: 'transcript.deleted', id });
    this.#o.jobs.wake();
  }

  async removeAllOf(userId: string): Promise<void> {
    for (const id of store.transcriptIdsOf(this.#o.db, userId)) await this.remove(userId, id);
  }

  /** The stored transcript of a user. */
  playable(userId: string, id: string): Transcript {
    return this.#own(userId, id);
  }

  present(transcript: Transcript): Transcription {
    const live = this.#o.jobs.live(transcript.id);
    const audioUrl = `${this.#o.baseUrl()}/v1/transcript/id/${transcript.id}/audio`;
    // What is still to be redacted is shown to nobody.
    const hidden = transcript.status === 'processing' && transcript.options.redact_pii;
    return hidden
      ? presentTranscript({ ...transcript, text: '', analysis: {} }, [], live)
      : presentTranscript(transcript, readSegments(this.#o.db, transcript.id), live, audioUrl);
  }

  #own(userId: string, id: string): Transcript {
    const transcript = store.findOwnTranscript(this.#o.db, userId, id);
    if (transcript === undefined) throw notFound();
    return transcript;
  }

  #finished(userId: string, id: string): Transcript {
    const transcript = this.#own(userId, id);
    if (transcript.status === 'processing') {
      throw new AppError('transcript_not_ready', 'This transcription is still being worked on.');
    }
    return transcript;
  }

  #changed(userId: string, id: string): Transcription {
    const transcript = this.#own(userId, id);
    const answer = this.#o.voices.withSuggestions(userId, this.present(transcript));
    this.#o.events.publish(userId, { type: 'transcript.changed', transcript: answer });
    return answer;
  }

  #source(userId: string, audioUrl: string): { name: string; fileId: string | null } {
    const key = this.#o.files.resolveUrl(userId, audioUrl);
    if (key === undefined) return { name: nameFromAudioUrl(parseAudioUrl(audioUrl)), fileId: null };
    const file = this.#o.files.ownFile(userId, key);
    if (file === undefined) throw new AppError('file_not_found', 'There is no such stored file.');
    return { name: file.originalName, fileId: file.id };
  }

  #earlier(userId: string, key: string | undefined, hash: string): Transcript | undefined {
    if (key === undefined) return undefined;
    const known = findIdempotent(this.#o.db, userId, key, this.#o.clock.now());
    if (known === undefined) return undefined;
    if (known.body_hash !== hash) {
      throw new AppError('idempotency_mismatch', 'This Idempotency-Key was used for another request.');
    }
    return store.findOwnTranscript(this.#o.db, userId, known.transcript_id);
  }

  #endWaiting(transcript: Transcript): void {
    if (isReanalysis(transcript)) {
      store.updateTranscript(
        this.#o.db,
        transcript.id,
        asBefore(transcript, 'The last analysis was not made: it was cancelled.'),
      );
      this.#o.jobs.announceEnd(transcript.id);
      this.#changed(transcript.userId, transcript.id);
      return;
    }
    this.#o.db.transaction(() => {
      if (transcript.options.redact_pii) dropUnredacted(this.#o.db, transcript.id);
      store.updateTranscript(this.#o.db, transcript.id, {
        status: 'failed',
        lease: null,
        error: { code: 'cancelled', message: 'Cancelled before it began.', stage: 'queued' },
        completedAt: this.#o.clock.now(),
      });
    });
    runPendingScrub(this.#o.db);
    this.#o.jobs.announceEnd(transcript.id);
    this.#o.events.publish(transcript.userId, {
      type: 'transcript.failed',
      transcript: this.get(transcript.userId, transcript.id),
    });
  }

  /** Everything of the user's that waits or runs. */
  processing(userId: string): Transcription[] {
    return store.findProcessing(this.#o.db, userId).map((transcript) => this.present(transcript));
  }

  /** The transcription with its words, whatever its `timestamp_style`. */
  forExport(userId: string, id: string): Transcription {
    const transcript = this.#finished(userId, id);
    return this.present({ ...transcript, timestampStyle: 'word' });
  }

  exists(id: string): boolean {
    return store.findTranscript(this.#o.db, id) !== undefined;
  }

  /** Tells the owner's listeners how far a job is, and what was recognised since. */
  announceProgress(transcript: Transcript, segments: readonly StoredSegment[], from: number): void {
    const { progress } = presentTranscript(transcript, [], this.#o.jobs.live(transcript.id));
    if (progress === undefined) return;
    this.#o.events.publish(transcript.userId, {
      type: 'transcript.progress',
      id: transcript.id,
      progress,
      segments_from: from,
      segments: transcript.options.redact_pii ? [] : presentSegments(segments, true, from),
    });
  }

  announceEnd(transcript: Transcript): void {
    // Events of an earlier analysis may carry the text from before its redaction.
    if (transcript.options.redact_pii) this.#o.events.forget(transcript.userId, transcript.id);
    const type = transcript.status === 'completed' ? 'transcript.completed' : 'transcript.failed';
    this.#o.events.publish(transcript.userId, {
      type,
      transcript: this.get(transcript.userId, transcript.id),
    });
  }
}
