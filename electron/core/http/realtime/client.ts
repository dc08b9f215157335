import { setTimeout as delay } from 'node:timers/promises';
import { type ServerMessage, SILENT_CLIENT_SECONDS } from '../../../contract/realtime.ts';
import type { Clock } from '../../base/clock.ts';
import { AppError } from '../../base/errors.ts';
import type { AccountService, Caller } from '../../services/accounts.ts';
import type { LiveService, StartOptions } from '../../services/live/service.ts';
import type { LiveSession } from '../../services/live/session.ts';
import type { RealtimeConnection } from './connection.ts';

const AHEAD_POLL_MS = 250;

export type RealtimeDeps = {
  readonly live: LiveService;
  readonly accounts: AccountService;
  readonly clock: Clock;
};

type Options = RealtimeDeps & {
  readonly caller: Caller;
  readonly connection: RealtimeConnection;
  readonly onMessage: (message: ServerMessage) => void;
};

const notStarted = () => new AppError('invalid_request', 'The first message has to open a session.');

/** A connection's part in a session: whatever form its messages have. */
export class SessionClient {
  readonly #options: Options;
  #session: LiveSession | undefined;
  #leave: (() => void) | undefined;
  #cancelSilence: (() => void) | undefined;
  readonly #unsubscribe: () => void;

  constructor(options: Options) {
    this.#options = options;
    const { accounts, caller, live, connection } = options;
    this.#unsubscribe = accounts.onKeyEnded(caller, () => {
      live.forgetTokensOf(caller);
      connection.fail(new AppError('unauthorized', 'The API key of this session was revoked.'));
    });
  }

  get hasSession(): boolean {
    return this.#session !== undefined;
  }

  /** Throws `invalid_request` before there is a session. */
  get session(): LiveSession {
    if (this.#session === undefined) throw notStarted();
    return this.#session;
  }

  async start(options: StartOptions): Promise<LiveSession> {
    const { live, caller } = this.#options;
    if (this.#session !== undefined)
      throw new AppError('invalid_request', 'This session has started already.');
    const session = await live.start(caller.user, options);
    this.#session = session;
    return session;
  }

  /** Finds a session whose connection was lost. */
  find(id: string): LiveSession {
    const { live, caller } = this.#options;
    if (this.#session !== undefined)
      throw new AppError('invalid_request', 'This session has started already.');
    this.#session = live.find(caller.user.id, id);
    return this.#session;
  }

  /** Begins to receive the session's messages. */
  attach(after = 0): void {
    const { connection, onMessage } = this.#options;
    this.#leave = this.session.attach(after, onMessage, () => {
      this.#leave = undefined;
      connection.close('replaced', 'Another connection took this session up.');
    });
    this.#watchSilence();
  }

  /** Takes audio, and returns once more may come. */
  async push(bytes: Buffer): Promise<void> {
    const { session } = this;
    session.push(bytes);
    this.#watchSilence();
    while (session.isAhead && !session.hasEnded && this.#leave !== undefined) await delay(AHEAD_POLL_MS);
  }

  pause(): void {
    this.session.pause();
    this.#watchSilence();
  }

  resume(): void {
    this.session.resume();
    this.#watchSilence();
  }

  /** The connection is gone: the session waits for another one. */
  leave(): void {
    this.#unsubscribe();
    this.#cancelSilence?.();
    this.#leave?.();
    this.#leave = undefined;
  }

  /** Ends the session of a client that sends nothing. */
  #watchSilence(): void {
    const { clock } = this.#options;
    this.#cancelSilence?.();
    this.#cancelSilence = undefined;
    const session = this.#session;
    if (session === undefined || session.isPaused || session.hasEnded) return;
    this.#cancelSilence = clock.schedule(SILENT_CLIENT_SECONDS * 1000, () => {
      session.end('silent').catch((error: unknown) => this.#options.connection.fail(error));
    });
  }
}
