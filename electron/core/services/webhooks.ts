import { Webhook } from 'standardwebhooks';
import { z } from 'zod';
import type { Transcription } from '../../contract/transcript.ts';
import { type RecentDelivery, WebhookDelivery } from '../../contract/webhooks.ts';
import { type Clock, isoTime } from '../base/clock.ts';
import { AppError, messageOf } from '../base/errors.ts';
import { newId } from '../base/ids.ts';
import type { Logger } from '../base/logger.ts';
import type { HttpClient } from '../engines/net/types.ts';
import type { JobEvents } from '../jobs/events.ts';
import type { WritableDb } from '../stores/database.ts';
import type { Transcript } from '../stores/transcript-record.ts';
import { findOwnTranscript, findTranscript } from '../stores/transcripts.ts';
import * as store from '../stores/webhooks.ts';

type Options = {
  readonly db: WritableDb;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly http: HttpClient;
  readonly jobEvents: JobEvents;
  /** Waits between the attempts, in seconds. */
  readonly retrySeconds: () => readonly number[];
  readonly present: (transcript: Transcript) => Transcription;
};

type Attempt = WebhookDelivery['attempts'][number];

const Attempts = WebhookDelivery.shape.attempts;
const Type = WebhookDelivery.shape.type;
const AT_ONCE = 4;
const STALL_SECONDS = 15;
const WHOLE_ATTEMPT_MS = 30_000;
/** More of an answer than this nobody reads. */
const MOST_ANSWER_BYTES = 64 * 1024;
/** The longest wait that a timer of Node's can hold. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
const AFTER_FAILURE_MS = 5000;

/**
 * A secret in the form of Standard Webhooks (`whsec_` and base64) stands for its bytes; any other text is
 * the key itself.
 */
const signerOf = (secret: string): Webhook => {
  const standard = z
    .base64()
    .min(1)
    .safeParse(/^whsec_(.+)$/s.exec(secret)?.[1]);
  return standard.success ? new Webhook(standard.data) : new Webhook(secret, { format: 'raw' });
};

const present = (row: store.StoredDelivery): WebhookDelivery => ({
  id: row.id,
  type: Type.parse(row.type),
  url: row.url,
  state: row.state,
  attempts: Attempts.parse(JSON.parse(row.attempts)),
  next_attempt_at: row.next_attempt_at === null ? null : isoTime(row.next_attempt_at),
  created_at: isoTime(row.created_at),
});

/**
 * Sends what became of transcriptions to their webhooks, in the form of Standard Webhooks, again and again
 * until it is answered with 2xx or the waits are used up. Deliveries are rows of the database, written by it
 * when a transcription ends: neither a crash nor a restart loses one.
 */
export class WebhookService {
  readonly #o: Options;
  /** Waiting deliveries and when they are due, by the monotonic clock: the wall clock may jump. */
  readonly #due = new Map<number, number>();
  readonly #sending = new Map<number, Promise<void>>();
  readonly #closing = new AbortController();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: Options) {
    this.#o = options;
    options.jobEvents.on('settled', () => this.#takeUp());
  }

  /** Takes up what an earlier run of the program left. */
  start(): void {
    store.adoptDeliveries(this.#o.db, () => newId('whk'));
    const now = this.#o.clock.now();
    const longest = Math.max(0, ...this.#o.retrySeconds()) * 1000;
    for (const { number, next_attempt_at } of store.pendingDeliveries(this.#o.db)) {
      this.#wait(number, Math.min(longest, Math.max(0, (next_attempt_at ?? now) - now)));
    }
    this.#next();
  }

  /** Takes up the deliveries of a job that settled; the database wrote them when the transcript ended. */
  #takeUp(): void {
    if (this.#closing.signal.aborted) return;
    try {
      if (store.adoptDeliveries(this.#o.db, () => newId('whk')) === 0) return;
      for (const { number } of store.pendingDeliveries(this.#o.db)) {
        if (!this.#due.has(number) && !this.#sending.has(number)) this.#wait(number, 0);
      }
      this.#next();
    } catch (error) {
      this.#o.logger.warn({ reason: messageOf(error) }, 'Webhooks could not be taken up; trying again');
      setTimeout(() => this.#takeUp(), AFTER_FAILURE_MS).unref();
    }
  }

  /** What was sent for a transcription of the user's, the latest first. */
  list(userId: string, id: string): WebhookDelivery[] {
    this.#own(userId, id);
    return store.deliveriesOf(this.#o.db, id).map(present);
  }

  /** What was sent for all transcriptions of the user's, the latest first. */
  recent(userId: string, limit: number): RecentDelivery[] {
    return store.recentDeliveries(this.#o.db, userId, limit).map((row) => ({
      ...present(row),
      transcript_id: row.transcript_id,
      transcript_name: row.transcript_name,
    }));
  }

  /** Sends a test to a transcription's webhook, once. */
  async test(userId: string, id: string): Promise<WebhookDelivery> {
    const transcript = this.#own(userId, id);
    if (transcript.webhookUrl === null) {
      throw new AppError('invalid_request', 'This transcription was created without a webhook_url.');
    }
    const now = this.#o.clock.now();
    const delivery = store.insertDelivery(this.#o.db, {
      id: newId('whk'),
      transcript_id: id,
      type: 'transcript.test',
      url: transcript.webhookUrl,
      // One attempt alone: a crash in between must not make it more.
      state: 'failed',
      attempts: '[]',
      next_attempt_at: null,
      created_at: now,
    });
    const attempt = await this.#attempt(delivery, transcript);
    this.#note(delivery, attempt, []);
    return present(store.findDelivery(this.#o.db, delivery.number) ?? delivery);
  }

  /** Breaks off what is being sent: it is sent again at the next start. */
  async close(): Promise<void> {
    this.#closing.abort(new AppError('interrupted', 'The program closed.'));
    clearTimeout(this.#timer);
    await Promise.allSettled(this.#sending.values());
  }

  #own(userId: string, id: string): Transcript {
    const transcript = findOwnTranscript(this.#o.db, userId, id);
    if (transcript === undefined) {
      throw new AppError('transcript_not_found', 'There is no such transcription.');
    }
    return transcript;
  }

  #wait(number: number, milliseconds: number): void {
    this.#due.set(number, this.#o.clock.monotonic() + milliseconds);
  }

  /** Sends what is due, and sets the timer for what is not. */
  #next(): void {
    clearTimeout(this.#timer);
    if (this.#closing.signal.aborted) return;
    const now = this.#o.clock.monotonic();
    for (const [number, at] of [...this.#due].toSorted(([, a], [, b]) => a - b)) {
      if (this.#sending.size >= AT_ONCE) return;
      if (at > now) {
        this.#timer = setTimeout(() => this.#next(), Math.min(LONGEST_TIMER_MS, Math.ceil(at - now)));
        return;
      }
      this.#due.delete(number);
      this.#sending.set(
        number,
        this.#send(number).finally(() => {
          this.#sending.delete(number);
          this.#next();
        }),
      );
    }
  }

  async #send(number: number): Promise<void> {
    try {
      const delivery = store.findDelivery(this.#o.db, number);
      const transcript = delivery && findTranscript(this.#o.db, delivery.transcript_id);
      if (delivery?.state !== 'pending' || transcript === undefined) return;
      const attempt = await this.#attempt(delivery, transcript);
      // Broken off by the end of the program: not the receiver's failure.
      if (this.#closing.signal.aborted && attempt.status === null) return;
      this.#note(delivery, attempt, this.#o.retrySeconds());
    } catch (error) {
      this.#o.logger.warn({ reason: messageOf(error) }, 'A webhook could not be noted; it is sent again');
      this.#wait(number, AFTER_FAILURE_MS);
    }
  }

  #note(delivery: store.StoredDelivery, attempt: Attempt, waits: readonly number[]): void {
    const attempts = [...Attempts.parse(JSON.parse(delivery.attempts)), attempt];
    const delivered = attempt.status !== null && attempt.status >= 200 && attempt.status < 300;
    const wait = delivered ? undefined : waits[attempts.length - 1];
    const state = delivered ? 'delivered' : wait === undefined ? 'failed' : 'pending';
    const { logger, clock, db } = this.#o;
    logger.info(
      { delivery: delivery.id, transcript: delivery.transcript_id, status: attempt.status, state },
      'Webhook sent',
    );
    store.updateDelivery(db, delivery.number, {
      state,
      attempts: JSON.stringify(attempts),
      next_attempt_at: wait === undefined ? null : clock.now() + wait * 1000,
    });
    if (wait !== undefined) this.#wait(delivery.number, wait * 1000);
  }

  async #attempt(delivery: store.StoredDelivery, transcript: Transcript): Promise<Attempt> {
    const { clock } = this.#o;
    const started = clock.monotonic();
    const at = isoTime(clock.now());
    const done = (status: number | null, error: string | null): Attempt => ({
      at,
      status,
      error,
      milliseconds: Math.round(clock.monotonic() - started),
    });
    try {
      const status = await this.#post(delivery, transcript);
      return done(status, status >= 200 && status < 300 ? null : `The receiver answered ${status}.`);
    } catch (error) {
      return done(null, error instanceof AppError ? error.message : 'The webhook could not be sent.');
    }
  }

  async #post(delivery: store.StoredDelivery, transcript: Transcript): Promise<number> {
    const { http, clock } = this.#o;
    const body = JSON.stringify({
      type: delivery.type,
      timestamp: isoTime(delivery.created_at),
      data: this.#o.present(transcript),
    });
    const sent = new Date(clock.now());
    const signature =
      transcript.webhookSecret === null
        ? undefined
        : signerOf(transcript.webhookSecret).sign(delivery.id, sent, body);
    const response = await http.open({
      url: delivery.url,
      purpose: 'webhook',
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/json',
        'webhook-id': delivery.id,
        'webhook-timestamp': String(Math.floor(sent.getTime() / 1000)),
        ...(signature === undefined ? {} : { 'webhook-signature': signature }),
      },
      // Anything but 2xx is no delivery, a redirect included.
      maxRedirects: 0,
      stallSeconds: STALL_SECONDS,
      signal: AbortSignal.any([this.#closing.signal, AbortSignal.timeout(WHOLE_ATTEMPT_MS)]),
    });
    let bytes = 0;
    response.body.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MOST_ANSWER_BYTES) response.body.destroy();
    });
    // The status was the answer; how its body ends does not matter.
    response.body.on('error', () => {});
    await new Promise((resolve) => response.body.once('close', resolve));
    return response.status;
  }
}
