import type { RecentDelivery, WebhookDelivery } from '../../contract/webhooks.ts';
import { type Clock, isoTime } from '../base/clock.ts';
import { AppError, messageOf } from '../base/errors.ts';
import { newId } from '../base/ids.ts';
import type { Logger } from '../base/logger.ts';
import { withoutLogin } from '../base/url-login.ts';
import { WAITS } from '../base/waits.ts';
import type { HttpClient } from '../engines/net/types.ts';
import type { JobEvents } from '../jobs/events.ts';
import type { Transcript } from '../stores/codecs.ts';
import type { WritableDb } from '../stores/database.ts';
import { findOwnTranscript, findTranscript } from '../stores/transcripts.ts';
import * as store from '../stores/webhooks.ts';
import { type WebhookMessage, type WebhookRequest, webhookRequest } from './webhook-request.ts';

type Deps = {
  readonly db: WritableDb;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly http: HttpClient;
  readonly jobEvents: JobEvents;
  /** Makes the request of a delivery in our own form. */
  readonly render: (transcript: Transcript, message: WebhookMessage) => Promise<WebhookRequest>;
};

const MAX_CONCURRENT = 4;
const STALL_SECONDS = 15;
const ATTEMPT_TIMEOUT_MS = 30_000;
/** A longer response body is cut off: only the status matters. */
const MAX_RESPONSE_BYTES = 64 * 1024;
/** The longest delay of a Node timer. */
const MAX_TIMER_MS = 2 ** 31 - 1;
/** Wait before a failed database write is tried again. */
const STORE_RETRY_MS = 5000;

const isSuccess = (status: number | null): boolean => status !== null && status >= 200 && status < 300;

const present = (delivery: store.Delivery): WebhookDelivery => ({
  id: delivery.id,
  type: delivery.type,
  url: withoutLogin(delivery.url),
  state: delivery.state,
  attempts: [...delivery.attempts],
  next_attempt_at: delivery.nextAttemptAt === null ? null : isoTime(delivery.nextAttemptAt),
  created_at: isoTime(delivery.createdAt),
});

/**
 * Delivers the results of transcripts to their webhooks in the form of Standard Webhooks, or as id and status if a request in
 * another service's form created them, and retries until a response is 2xx or the waits are used up. A trigger inserts the deliveries in the transaction that ends a transcript, so a
 * crash loses none.
 */
export class WebhookService {
  readonly #deps: Deps;
  /** When waiting deliveries are due, by number and on the monotonic clock, because the wall clock may jump. */
  readonly #due = new Map<number, number>();
  readonly #sending = new Map<number, Promise<void>>();
  readonly #closing = new AbortController();
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: Deps) {
    this.#deps = deps;
    deps.jobEvents.on('settled', () => this.#adopt());
  }

  /** Resumes the deliveries of an earlier run of the program. */
  start(): void {
    const { db, clock } = this.#deps;
    store.adoptDeliveries(db, () => newId('whk'));
    const now = clock.now();
    const longestWait = Math.max(0, ...WAITS.webhookRetrySeconds) * 1000;
    for (const { number, nextAttemptAt } of store.pendingDeliveries(db)) {
      this.#schedule(number, Math.min(longestWait, Math.max(0, (nextAttemptAt ?? now) - now)));
    }
    this.#sendDue();
  }

  /** A transcript's deliveries, the latest first. */
  list(userId: string, id: string): WebhookDelivery[] {
    this.#own(userId, id);
    return store.deliveriesOf(this.#deps.db, id).map(present);
  }

  /** The deliveries of all of a user's transcripts, the latest first. */
  recent(userId: string, limit: number): RecentDelivery[] {
    return store.recentDeliveries(this.#deps.db, userId, limit).map((delivery) => ({
      ...present(delivery),
      transcript_id: delivery.transcriptId,
      transcript_name: delivery.transcriptName,
    }));
  }

  /** Sends a test to a transcript's webhook, once. */
  async test(userId: string, id: string): Promise<WebhookDelivery> {
    const { db, clock } = this.#deps;
    const transcript = this.#own(userId, id);
    if (transcript.webhookUrl === null) {
      throw new AppError('invalid_request', 'This transcription was created without a webhook_url.');
    }
    const delivery = store.insertDelivery(db, {
      id: newId('whk'),
      transcriptId: id,
      type: 'transcript.test',
      url: transcript.webhookUrl,
      // Not `pending`, so that a crash in between does not make it more than one attempt.
      state: 'failed',
      attempts: [],
      nextAttemptAt: null,
      createdAt: clock.now(),
    });
    const attempt = await this.#attempt(delivery, transcript);
    this.#persistAttempt(delivery, attempt, []);
    return present(store.findDelivery(db, delivery.number) ?? delivery);
  }

  /** Aborts running attempts, which are made again after the next start. */
  async close(): Promise<void> {
    this.#closing.abort(new AppError('interrupted', 'The program closed.'));
    clearTimeout(this.#timer);
    await Promise.allSettled(this.#sending.values());
  }

  #own(userId: string, id: string): Transcript {
    const transcript = findOwnTranscript(this.#deps.db, userId, id);
    if (transcript === undefined) {
      throw new AppError('transcript_not_found', 'There is no such transcription.');
    }
    return transcript;
  }

  /** Takes up the deliveries that a trigger inserted when a transcript ended. */
  #adopt(): void {
    const { db, logger } = this.#deps;
    if (this.#closing.signal.aborted) return;
    try {
      if (store.adoptDeliveries(db, () => newId('whk')) === 0) return;
      for (const { number } of store.pendingDeliveries(db)) {
        if (!this.#due.has(number) && !this.#sending.has(number)) this.#schedule(number, 0);
      }
      this.#sendDue();
    } catch (error) {
      logger.warn({ reason: messageOf(error) }, 'Webhook deliveries could not be read; trying again');
      setTimeout(() => this.#adopt(), STORE_RETRY_MS).unref();
    }
  }

  #schedule(number: number, milliseconds: number): void {
    this.#due.set(number, this.#deps.clock.monotonic() + milliseconds);
  }

  /** Sends the deliveries that are due, and sets the timer for the next one. */
  #sendDue(): void {
    clearTimeout(this.#timer);
    if (this.#closing.signal.aborted) return;
    const now = this.#deps.clock.monotonic();
    for (const [number, at] of [...this.#due].toSorted(([, a], [, b]) => a - b)) {
      if (this.#sending.size >= MAX_CONCURRENT) return;
      if (at > now) {
        this.#timer = setTimeout(() => this.#sendDue(), Math.min(MAX_TIMER_MS, Math.ceil(at - now)));
        return;
      }
      this.#due.delete(number);
      this.#sending.set(
        number,
        this.#send(number).finally(() => {
          this.#sending.delete(number);
          this.#sendDue();
        }),
      );
    }
  }

  async #send(number: number): Promise<void> {
    const { db, logger } = this.#deps;
    try {
      const delivery = store.findDelivery(db, number);
      const transcript = delivery && findTranscript(db, delivery.transcriptId);
      if (delivery?.state !== 'pending' || transcript === undefined) return;
      const attempt = await this.#attempt(delivery, transcript);
      // Aborted by `close`: not the receiver's failure.
      if (this.#closing.signal.aborted && attempt.status === null) return;
      this.#persistAttempt(delivery, attempt, WAITS.webhookRetrySeconds);
    } catch (error) {
      logger.warn({ reason: messageOf(error) }, 'A webhook attempt could not be stored; sending it again');
      this.#schedule(number, STORE_RETRY_MS);
    }
  }

  #persistAttempt(delivery: store.Delivery, attempt: store.DeliveryAttempt, waits: readonly number[]): void {
    const { logger, clock, db } = this.#deps;
    const { id, number, transcriptId } = delivery;
    const attempts = [...delivery.attempts, attempt];
    const wait = isSuccess(attempt.status) ? undefined : waits[attempts.length - 1];
    const finalState = isSuccess(attempt.status) ? 'delivered' : 'failed';
    const state = wait === undefined ? finalState : 'pending';
    logger.info({ delivery: id, transcript: transcriptId, status: attempt.status, state }, 'Webhook sent');
    const nextAttemptAt = wait === undefined ? null : clock.now() + wait * 1000;
    store.updateDelivery(db, { number, state, attempts, nextAttemptAt });
    if (wait !== undefined) this.#schedule(number, wait * 1000);
  }

  async #attempt(delivery: store.Delivery, transcript: Transcript): Promise<store.DeliveryAttempt> {
    const { clock } = this.#deps;
    const startedAt = clock.monotonic();
    const at = isoTime(clock.now());
    const attempt = (status: number | null, error: string | null): store.DeliveryAttempt => ({
      at,
      status,
      error,
      milliseconds: Math.round(clock.monotonic() - startedAt),
    });
    try {
      const status = await this.#post(delivery, transcript);
      return attempt(status, isSuccess(status) ? null : `The receiver answered ${status}.`);
    } catch (error) {
      return attempt(null, error instanceof AppError ? error.message : 'The webhook could not be sent.');
    }
  }

  async #post(delivery: store.Delivery, transcript: Transcript): Promise<number> {
    const { http, clock, render } = this.#deps;
    const { id, type, createdAt, url } = delivery;
    const message = { id, type, createdAt, sentAt: clock.now(), secret: transcript.webhookSecret };
    const form = transcript.options.foreign?.webhook;
    const status = transcript.status === 'failed' ? 'error' : 'completed';
    const { headers, body } =
      form === undefined
        ? await render(transcript, message)
        : webhookRequest(message, { transcript_id: transcript.id, status });
    const { header } = form ?? {};
    const response = await http.open({
      url,
      purpose: 'webhook',
      method: 'POST',
      body,
      headers: { ...(header === undefined ? {} : { [header.name.toLowerCase()]: header.value }), ...headers },
      // A redirect is a failed delivery, like anything else but 2xx.
      maxRedirects: 0,
      stallSeconds: STALL_SECONDS,
      signal: AbortSignal.any([this.#closing.signal, AbortSignal.timeout(ATTEMPT_TIMEOUT_MS)]),
    });
    let bytes = 0;
    response.body.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MAX_RESPONSE_BYTES) response.body.destroy();
    });
    // The status is known; how the body ends does not matter.
    response.body.on('error', () => {});
    await new Promise((resolve) => response.body.once('close', resolve));
    return response.status;
  }
}
