import { join } from 'node:path';
import { type Finalize, LIVE_URL, type PcmEncoding } from '../../../contract/realtime.ts';
import type { CreateTranscript } from '../../../contract/transcript.ts';
import { type Clock, isoTime } from '../../base/clock.ts';
import { AppError } from '../../base/errors.ts';
import { newToken, sha256Hex } from '../../base/ids.ts';
import type { Logger } from '../../base/logger.ts';
import type { DataPaths } from '../../base/paths.ts';
import type { WhisperEngine } from '../../engines/whisper/engine.ts';
import type { JobEvents } from '../../jobs/events.ts';
import type { JobRunner } from '../../jobs/runner.ts';
import { firstCheckpoint } from '../../pipeline/checkpoint.ts';
import { creditRateOf, creditsAtCreation, reserveCredits } from '../../pipeline/credits.ts';
import type { PipelineModel } from '../../pipeline/deps.ts';
import { LIVE_FILE, LiveAudio } from '../../pipeline/live/live-audio.ts';
import { liveIdentity } from '../../pipeline/source/resolve.ts';
import type { Transcript, TranscriptChange } from '../../stores/codecs.ts';
import type { WritableDb } from '../../stores/database.ts';
import { lastQueueOrder, updateClaimed } from '../../stores/jobs.ts';
import { insertSegments, readSegment, type StoredSegment, updateSegment } from '../../stores/segments.ts';
import { findSummary, insertTranscript } from '../../stores/transcripts.ts';
import type { UserRecord } from '../../stores/users.ts';
import type { Caller } from '../accounts.ts';
import type { ModelService } from '../models/index.ts';
import { checkModel, newTranscript, withoutRegion } from '../transcripts/create.ts';
import type { TranscriptService } from '../transcripts/index.ts';
import { type EndReason, LiveSession } from './session.ts';

type Deps = {
  readonly db: WritableDb;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly paths: DataPaths;
  readonly models: ModelService;
  readonly engine: WhisperEngine;
  /** The path of the model that finds speech. */
  readonly speechModel: string;
  readonly beamSize: () => number;
  readonly maxSessions: () => number;
  readonly creditRate: (model: string) => number;
  readonly transcripts: TranscriptService;
  readonly jobs: JobRunner;
  readonly jobEvents: JobEvents;
  /** For those who cancel or delete a transcript. */
  readonly liveSessions: Map<string, () => Promise<void>>;
  /** Of this run of the program. */
  readonly lease: string;
};

export type StartOptions = {
  readonly body: Omit<CreateTranscript, 'audio_url'>;
  readonly sampleRate: number;
  readonly encoding: PcmEncoding;
  /** Seconds of silence that end a turn. */
  readonly pause: number;
  readonly finalize: Finalize;
};

type Token = { readonly caller: Caller; readonly expiresAt: number };

/** Nothing else waits while somebody speaks. */
const urgent = (
  engine: WhisperEngine,
): Pick<WhisperEngine, 'transcribe' | 'detectLanguage' | 'speechProbabilities'> => ({
  transcribe: (request) => engine.transcribe({ ...request, urgent: true }),
  detectLanguage: (request) => engine.detectLanguage({ ...request, urgent: true }),
  speechProbabilities: (request) => engine.speechProbabilities({ ...request, urgent: true }),
});

/** Sessions in which somebody speaks: opens them, keeps what is said, and hands it over to the queue at the end. */
export class LiveService {
  readonly #deps: Deps;
  readonly #sessions = new Map<string, LiveSession>();
  readonly #tokens = new Map<string, Token>();
  /** Sessions that are being opened. */
  #opening = 0;
  #isClosing = false;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Throws `rate_limited`, `invalid_request`, `model_not_installed`, `budget_exceeded`, `shutting_down`. */
  async start(user: UserRecord, options: StartOptions): Promise<LiveSession> {
    const { maxSessions } = this.#deps;
    if (this.#isClosing) throw new AppError('shutting_down', 'Earshot is shutting down.');
    if (this.#sessions.size + this.#opening >= maxSessions()) {
      throw new AppError(
        'rate_limited',
        `At most ${maxSessions()} live sessions run at once. End one, or raise the setting limits.liveSessions.`,
      );
    }
    this.#opening++;
    try {
      return await this.#open(user, options);
    } finally {
      this.#opening--;
    }
  }

  /** Throws `transcript_not_found` if the user has no such session that is still open. */
  find(userId: string, id: string): LiveSession {
    const session = this.#sessions.get(id);
    if (session?.userId === userId && !session.hasEnded) return session;
    throw new AppError(
      'transcript_not_found',
      'This live session is over, or never was. What was said in it is kept as a transcription.',
    );
  }

  /** A token with which a browser, which cannot send the key, opens a connection. */
  newToken(caller: Caller, seconds: number): { token: string; expires_at: string } {
    const now = this.#deps.clock.now();
    for (const [hash, { expiresAt }] of this.#tokens) if (expiresAt < now) this.#tokens.delete(hash);
    const token = newToken();
    const expiresAt = now + seconds * 1000;
    this.#tokens.set(sha256Hex(token), { caller, expiresAt });
    return { token, expires_at: isoTime(expiresAt) };
  }

  /** Whose token it is; undefined if it has expired, or never was one. */
  callerOf(token: string): Caller | undefined {
    const known = this.#tokens.get(sha256Hex(token));
    return known !== undefined && known.expiresAt >= this.#deps.clock.now() ? known.caller : undefined;
  }

  /** Forgets the tokens of keys that have ended. */
  forgetTokensOf({ keyHash }: Caller): void {
    for (const [hash, { caller }] of this.#tokens) if (caller.keyHash === keyHash) this.#tokens.delete(hash);
  }

  /** Ends all sessions. The next start of the program finishes their transcripts. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await Promise.all([...this.#sessions.values()].map((session) => session.end('shutting_down')));
  }

  async #open(user: UserRecord, options: StartOptions): Promise<LiveSession> {
    const { db, clock, paths, models, creditRate, transcripts } = this.#deps;
    const body = withoutRegion({ ...options.body, audio_url: LIVE_URL });
    checkModel(models, body);
    const model = await models.prepare(body.model, {
      signal: AbortSignal.timeout(600_000),
      onDownload: () => {},
    });
    const now = clock.now();
    const vocabulary = transcripts.vocabularyOf(user.id, body);
    const transcript: Transcript = {
      ...newTranscript(
        { ...body, vocabulary },
        {
          userId: user.id,
          source: { name: `Live ${isoTime(now).slice(0, 16).replace('T', ' ')}`, fileId: null },
          queueOrder: lastQueueOrder(db) + 1,
          now,
        },
      ),
      ...{ stage: 'listening', lease: this.#deps.lease, attempt: 1, startedAt: now },
      ...{ modelId: model.id, audioFile: LIVE_FILE, fileFormat: 'wav' },
    };
    const audio = await LiveAudio.create(join(paths.transcripts, transcript.id));
    try {
      db.transaction(() => {
        insertTranscript(db, transcript);
        reserveCredits(db, transcript, creditsAtCreation(transcript, creditRateOf(transcript, creditRate)));
      });
    } catch (error) {
      await audio.close();
      throw error;
    }
    const session = this.#session(transcript, model, audio, options);
    this.#sessions.set(transcript.id, session);
    this.#deps.liveSessions.set(transcript.id, () => session.end('cancelled'));
    transcripts.publish('transcript.created', transcript.id);
    return session;
  }

  #session(
    transcript: Transcript,
    model: PipelineModel,
    audio: LiveAudio,
    { sampleRate, encoding, pause, finalize }: StartOptions,
  ): LiveSession {
    const { clock, logger, engine, speechModel, beamSize } = this.#deps;
    const { id, userId, languageAsked, options } = transcript;
    return new LiveSession({
      ...{ id, userId, sampleRate, encoding, finalize, audio, clock, logger },
      modelId: model.id,
      createdAt: isoTime(transcript.createdAt),
      recognizer: {
        engine: urgent(engine),
        model,
        speechModel,
        pause,
        recognition: {
          language: languageAsked === 'auto' ? (model.capabilities.onlyLanguage ?? 'auto') : languageAsked,
          expected: options.expected_languages,
          translate: options.translate,
          prompt: options.prompt,
          vocabulary: options.vocabulary,
          wordTimes: options.word_times,
          spelling: options.custom_spelling,
          chineseScript: options.chinese_script,
          beamSize,
        },
      },
      save: (changed, duration, language) => this.#save(transcript, changed, { duration, language }),
      settle: (session, reason) => this.#settle(session, model, reason),
    });
  }

  #save(
    { id, attempt }: Transcript,
    changed: readonly StoredSegment[],
    { duration, language }: Pick<Transcript, 'duration' | 'language'>,
  ): boolean {
    const { db, jobEvents } = this.#deps;
    const isMine = db.transaction(() => {
      if (!updateClaimed(db, id, attempt, { duration, language })) return false;
      for (const segment of changed) {
        if (readSegment(db, id, segment.id) === undefined) insertSegments(db, id, 0, [segment]);
        else updateSegment(db, id, segment);
      }
      return true;
    });
    const summary = findSummary(db, id);
    const [first] = changed;
    if (isMine && summary !== undefined && first !== undefined)
      jobEvents.emit('progress', { transcript: summary, segments: changed, from: first.id });
    return isMine;
  }

  /** The pass for files takes the transcript over: it hears the audio again, or only analyzes the live text. */
  async #settle(session: LiveSession, model: PipelineModel, reason: EndReason): Promise<void> {
    const { jobs, transcripts, db, logger } = this.#deps;
    const { id, userId } = session;
    this.#sessions.delete(id);
    this.#deps.liveSessions.delete(id);
    logger.info({ session: id, reason, seconds: Math.round(session.seconds) }, 'A live session ended');
    if (reason === 'cancelled') return;
    if (session.received === 0) {
      await transcripts.remove(userId, id);
      return;
    }
    const isComplete = session.finalize === 'none' && reason !== 'shutting_down';
    const change: TranscriptChange = {
      stage: 'queued',
      lease: null,
      duration: session.seconds,
      ...(isComplete ? { checkpoint: completeCheckpoint(session, model) } : {}),
    };
    updateClaimed(db, id, 1, change);
    transcripts.publish('transcript.changed', id);
    if (reason !== 'shutting_down') jobs.wake();
  }
}

/** Says that all audio is recognized, so that the live text stays. */
const completeCheckpoint = (session: LiveSession, model: PipelineModel) => {
  const { id, seconds, segments, language } = session;
  const recognized = { source: liveIdentity(id), model: model.id, streams: 1 };
  return {
    ...firstCheckpoint(0, recognized),
    streams: [{ chunk: 1, at: seconds, crashes: {} }],
    segments: segments.length,
    language,
  };
};
