import {
  type Finalize,
  PCM_BYTES,
  type PcmEncoding,
  RECONNECT_SECONDS,
  type RealtimeWord,
  type ServerMessage,
} from '../../../contract/realtime.ts';
import { SAMPLE_RATE } from '../../base/audio.ts';
import type { Clock } from '../../base/clock.ts';
import { isAppError, messageOf } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { round, roundMs } from '../../base/numbers.ts';
import { Resampler } from '../../base/resample.ts';
import { joinTexts } from '../../base/text.ts';
import type { LiveWord } from '../../pipeline/live/agreement.ts';
import type { LiveAudio } from '../../pipeline/live/live-audio.ts';
import {
  type LiveConfiguration,
  type LiveEvent,
  LiveRecognizer,
  type LiveRecognizerOptions,
} from '../../pipeline/live/live-recognizer.ts';
import { LiveText } from '../../pipeline/live/live-text.ts';
import type { StoredSegment } from '../../stores/segments.ts';

export type EndReason = Extract<ServerMessage, { type: 'session.ended' }>['reason'];

/** Writes what a session has so far, in one transaction. False once the transcript is no longer the session's. */
type SaveText = (changed: readonly StoredSegment[], duration: number, language: string | null) => boolean;

export type LiveSessionOptions = {
  readonly id: string;
  readonly userId: string;
  readonly modelId: string;
  readonly createdAt: string;
  readonly sampleRate: number;
  readonly encoding: PcmEncoding;
  readonly finalize: Finalize;
  readonly audio: LiveAudio;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly recognizer: Omit<LiveRecognizerOptions, 'signal' | 'onEvent' | 'clock'>;
  readonly save: SaveText;
  /** Hands the transcript over to the queue, or deletes it where it has no audio. */
  readonly settle: (session: LiveSession, reason: EndReason) => Promise<void>;
};

type Listener = (message: ServerMessage) => void;
type Numbered = Extract<ServerMessage, { readonly seq: number }>;
/** A message with a number, before it has one. */
type Unnumbered = Numbered extends infer M ? (M extends Numbered ? Omit<M, 'seq'> : never) : never;

const SAVE_EVERY_MS = 500;
/** A WAV's header cannot declare more; seconds. */
const MAX_SECONDS = 12 * 3600;
/** Seconds of audio that may wait for the recognition before its sender has to wait, too. */
const MAX_AHEAD = 30;

const presentWord = ({ word, start, end, confidence, language }: LiveWord): RealtimeWord => ({
  word,
  start: roundMs(start),
  end: roundMs(end),
  confidence: round(confidence, 3),
  language: language ?? null,
});

/** The samples of a message; copied, for its memory is used again. */
const decodePcm = (bytes: Buffer, encoding: PcmEncoding): Float32Array => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const length = bytes.length / PCM_BYTES[encoding];
  return encoding === 'pcm_s16le'
    ? Float32Array.from({ length }, (_, index) => view.getInt16(2 * index, true) / 0x8000)
    : Float32Array.from({ length }, (_, index) => {
        const sample = view.getFloat32(4 * index, true);
        return Number.isFinite(sample) ? sample : 0;
      });
};

/**
 * Somebody who speaks: takes audio, recognizes it, and writes both to the disk twice a second. It belongs to no connection, so that it
 * outlives one.
 */
export class LiveSession {
  readonly #options: LiveSessionOptions;
  readonly #resampler: Resampler | undefined;
  readonly #recognizer: LiveRecognizer;
  readonly #controller = new AbortController();
  readonly #text = new LiveText();
  /** Numbered messages, for a client that comes back. */
  readonly #sent: Numbered[] = [];
  #listener: Listener | undefined;
  #onReplaced: (() => void) | undefined;
  /** Samples of the client. */
  #received = 0;
  /** The beginning of a sample that two messages share. */
  #rest: Buffer = Buffer.alloc(0);
  #turns = 0;
  #isPaused = false;
  #hasFailed = false;
  #saving: Promise<void> = Promise.resolve();
  #cancelTimer: (() => void) | undefined;
  /** Ends the session of a client that does not come back. */
  #cancelLeaving: (() => void) | undefined;
  #ending: Promise<void> | undefined;

  constructor(options: LiveSessionOptions) {
    const { sampleRate, clock, recognizer } = options;
    this.#options = options;
    this.#resampler = sampleRate === SAMPLE_RATE ? undefined : new Resampler(sampleRate, SAMPLE_RATE);
    this.#recognizer = new LiveRecognizer({
      ...recognizer,
      clock,
      signal: this.#controller.signal,
      onEvent: (event) => this.#onEvent(event),
    });
    this.#scheduleSave();
  }

  get id(): string {
    return this.#options.id;
  }

  get userId(): string {
    return this.#options.userId;
  }

  get finalize(): Finalize {
    return this.#options.finalize;
  }

  /** Samples received, at the client's rate. */
  get received(): number {
    return this.#received;
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  get hasEnded(): boolean {
    return this.#ending !== undefined;
  }

  get isAttached(): boolean {
    return this.#listener !== undefined;
  }

  /** Whether its sender should wait: it sends faster than anybody speaks, and than this machine recognizes. */
  get isAhead(): boolean {
    return !this.#hasFailed && this.#recognizer.waiting > MAX_AHEAD;
  }

  /** Seconds of audio on the disk. */
  get seconds(): number {
    return this.#options.audio.seconds;
  }

  get segments(): readonly StoredSegment[] {
    return this.#text.segments;
  }

  get language(): string | null {
    return this.#recognizer.language;
  }

  /** What a client needs to send audio. */
  describe(): Extract<ServerMessage, { type: 'session.started' }> {
    const { id, modelId, createdAt, sampleRate } = this.#options;
    return {
      type: 'session.started',
      session_id: id,
      sample_rate: sampleRate,
      received: this.#received,
      model_id: modelId,
      created_at: createdAt,
    };
  }

  /**
   * Sends messages to a client, beginning with the numbered ones after `after`. A client before is replaced: `onReplaced` of it is
   * called. Returns a function that leaves.
   */
  attach(after: number, listener: Listener, onReplaced: () => void): () => void {
    this.#onReplaced?.();
    this.#listener = listener;
    this.#onReplaced = onReplaced;
    for (const message of this.#sent) if (message.seq > after) listener(message);
    this.#cancelLeaving?.();
    return () => {
      if (this.#listener !== listener) return;
      this.#listener = undefined;
      this.#onReplaced = undefined;
      this.#cancelLeaving = this.#options.clock.schedule(RECONNECT_SECONDS * 1000, () =>
        this.#endLater('disconnected'),
      );
    };
  }

  /** Applies to what is recognized from now on. */
  configure(change: LiveConfiguration): void {
    this.#recognizer.configure(change);
  }

  /** Takes audio in the encoding and at the rate of the session. */
  push(bytes: Buffer): void {
    if (this.hasEnded) return;
    const { encoding, audio } = this.#options;
    const all = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    const whole = all.length - (all.length % PCM_BYTES[encoding]);
    this.#rest = Buffer.from(all.subarray(whole));
    const samples = decodePcm(all.subarray(0, whole), encoding);
    this.#received += samples.length;
    this.#hear(this.#resampler?.push(samples) ?? samples);
    if (audio.seconds > MAX_SECONDS) this.#endLater('too_long');
  }

  pause(): void {
    this.#isPaused = true;
    this.flush().catch(() => {});
  }

  resume(): void {
    this.#isPaused = false;
  }

  /** Ends the turn here. Resolves once all audio until now is recognized. */
  async flush(): Promise<void> {
    if (this.#hasFailed || this.#controller.signal.aborted) return;
    try {
      await this.#recognizer.flush();
    } catch (error) {
      this.#onFailure(error);
    }
  }

  /** Ends the session: with `finished`, after the recognition of all audio. Resolves when the transcript is handed over. */
  end(reason: EndReason): Promise<void> {
    if (reason === 'cancelled' || reason === 'shutting_down') this.#controller.abort(reason);
    this.#ending ??= this.#end(reason);
    return this.#ending;
  }

  #endLater(reason: EndReason): void {
    this.end(reason).catch((error: unknown) => {
      const { logger, id } = this.#options;
      logger.error({ session: id, reason: messageOf(error) }, 'The end of a live session failed');
    });
  }

  async #end(reason: EndReason): Promise<void> {
    const { id, finalize, audio, settle } = this.#options;
    if (this.#resampler !== undefined) this.#hear(this.#resampler.flush());
    await this.flush();
    this.#cancelLeaving?.();
    this.#cancelTimer?.();
    await this.#saving;
    await this.#save();
    this.#controller.abort();
    await audio.close();
    await settle(this, reason);
    const kept = this.#received > 0 && reason !== 'cancelled';
    const duration = roundMs(audio.seconds);
    this.#number({ type: 'session.ended', session_id: id, duration, finalize, reason, kept });
  }

  #hear(pcm: Float32Array): void {
    if (pcm.length === 0) return;
    this.#options.audio.push(pcm);
    if (!this.#hasFailed) this.#recognizer.push(pcm);
  }

  #onEvent(event: LiveEvent): void {
    switch (event.type) {
      case 'speech':
        this.#number({ type: 'speech.started', start: roundMs(event.start) });
        break;
      case 'tentative':
        this.#listener?.({ type: 'words.tentative', words: event.words.map(presentWord) });
        break;
      case 'committed':
        this.#text.push(event.words);
        this.#number({ type: 'words.committed', words: event.words.map(presentWord) });
        break;
      case 'turn':
        this.#onTurn(event);
        break;
      case 'behind':
        this.#onSpeed(event.seconds);
        break;
      case 'skipped':
        this.#notice(
          'skipped',
          `What was said from ${event.start.toFixed(1)} to ${event.end.toFixed(1)} s has no live text. Its audio is kept.`,
        );
        break;
      case 'failed':
        this.#onFailure(event.error);
        break;
    }
  }

  #onTurn({ start, end, words }: Extract<LiveEvent, { type: 'turn' }>): void {
    this.#text.endTurn();
    this.#number({
      type: 'turn.ended',
      turn: this.#turns++,
      start: roundMs(start),
      end: roundMs(end),
      text: joinTexts(words.map(({ word }) => word)),
      language: words.at(-1)?.language ?? null,
      words: words.map(presentWord),
    });
  }

  #onSpeed(seconds: number): void {
    if (seconds === 0) this.#notice('caught_up', 'The live text has caught up.');
    else
      this.#notice(
        'behind',
        `This computer is slower than the speech: the live text is ${Math.round(seconds)} s behind. No audio is lost.`,
      );
  }

  /** The audio is kept on, and recognized at the end. */
  #onFailure(error: unknown): void {
    if (this.#hasFailed || this.#controller.signal.aborted) return;
    this.#hasFailed = true;
    const { logger, id } = this.#options;
    logger.error({ session: id, reason: messageOf(error) }, 'The live recognition failed');
    const reason = isAppError(error) ? error.message : 'Something went wrong inside Earshot.';
    this.#notice('recognition_failed', `There is no live text from here on: ${reason} The audio is kept.`);
  }

  #notice(code: Extract<ServerMessage, { type: 'notice' }>['code'], message: string): void {
    this.#listener?.({ type: 'notice', code, message });
  }

  #number(message: Unnumbered): void {
    const numbered: Numbered = { ...message, seq: this.#sent.length + 1 };
    this.#sent.push(numbered);
    this.#listener?.(numbered);
  }

  #scheduleSave(): void {
    this.#cancelTimer = this.#options.clock.schedule(SAVE_EVERY_MS, () => {
      const save = this.#saving.then(() => this.#save());
      this.#saving = save.catch((error: unknown) => {
        const { logger, id } = this.#options;
        // A full disk: what was not written is tried again the next time.
        logger.warn({ session: id, reason: messageOf(error) }, 'A live session could not be written');
      });
      this.#saving.then(() => {
        if (!this.#controller.signal.aborted) this.#scheduleSave();
      });
    });
  }

  async #save(): Promise<void> {
    const { audio, save } = this.#options;
    const received = this.#received;
    const before = audio.seconds;
    await audio.save();
    const { changed } = this.#text;
    if (changed.length > 0 && !save(changed, audio.seconds, this.language)) this.#endLater('cancelled');
    this.#text.markSaved();
    if (audio.seconds > before) this.#listener?.({ type: 'audio.saved', samples: received });
  }
}
