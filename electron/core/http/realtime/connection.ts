import type { WebSocket } from 'ws';
import { CLOSE_CODES, type CloseReason, MAX_MESSAGE_BYTES } from '../../../contract/realtime.ts';
import { AppError } from '../../base/errors.ts';
import { toAppError } from '../errors.ts';

/** A dead connection is found out by a ping without an answer; milliseconds. */
const PING_EVERY_MS = 20_000;
/** Unread bytes of a client that does not read. */
const MAX_BUFFERED_BYTES = 8 * 1024 * 1024;
/** The protocol leaves so many bytes for the reason of a close. */
const MAX_REASON_BYTES = 120;

type Handlers = {
  /** Text messages and audio, one after another: the next waits for the promise. */
  readonly onText: (text: string) => Promise<void> | void;
  readonly onAudio: (bytes: Buffer) => Promise<void> | void;
  /** Called once, when the connection is gone. */
  readonly onClose: () => void;
  /** Sends an error in the client's form; the connection is closed after it. */
  readonly sendError: (error: AppError, reason: CloseReason) => void;
  /** Codes of another API. */
  readonly closeCodes?: Partial<Readonly<Record<CloseReason, number>>>;
};

const reasonOf = ({ code }: AppError): CloseReason => {
  if (code === 'unauthorized') return 'unauthorized';
  if (code === 'transcript_not_found') return 'not_found';
  if (code === 'rate_limited') return 'too_many';
  if (code === 'shutting_down') return 'shutting_down';
  if (code === 'request_too_large') return 'too_large';
  return code === 'internal_error' ? 'internal_error' : 'invalid_message';
};

/** The reason that a close can carry. */
const shorten = (text: string): string => {
  let short = text;
  while (Buffer.byteLength(short) > MAX_REASON_BYTES) short = short.slice(0, -1);
  return short;
};

const bytesOf = (data: Buffer | ArrayBuffer | Buffer[]): Buffer => {
  if (Buffer.isBuffer(data)) return data;
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);
};

/** A WebSocket whose messages are handled in order, and which closes with a sentence. */
export class RealtimeConnection {
  readonly #socket: WebSocket;
  readonly #handlers: Handlers;
  #last: Promise<void> = Promise.resolve();
  #waiting = 0;
  #isAlive = true;

  constructor(socket: WebSocket, handlers: Handlers) {
    this.#socket = socket;
    this.#handlers = handlers;
    socket.on('message', (data, isBinary) => this.#enqueue(bytesOf(data), isBinary));
    socket.on('pong', () => {
      this.#isAlive = true;
    });
    const ping = setInterval(() => {
      if (!this.#isAlive) return socket.terminate();
      this.#isAlive = false;
      socket.ping();
    }, PING_EVERY_MS);
    socket.once('close', () => {
      clearInterval(ping);
      handlers.onClose();
    });
  }

  send(message: object): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    if (this.#socket.bufferedAmount > MAX_BUFFERED_BYTES) {
      this.#socket.terminate();
      return;
    }
    this.#socket.send(JSON.stringify(message));
  }

  close(reason: CloseReason, sentence = ''): void {
    this.#socket.close(this.#handlers.closeCodes?.[reason] ?? CLOSE_CODES[reason], shorten(sentence));
  }

  /** Says what is wrong and closes. */
  fail(thrown: unknown, reason?: CloseReason): void {
    const error = toAppError(thrown);
    const why = reason ?? reasonOf(error);
    this.#handlers.sendError(error, why);
    this.close(why, error.message);
  }

  /** Stops reading while messages wait, so that memory stays bounded. */
  #enqueue(bytes: Buffer, isBinary: boolean): void {
    if (this.#waiting++ === 0) this.#socket.pause();
    this.#last = this.#last
      .then(async () => {
        if (this.#socket.readyState !== this.#socket.OPEN) return;
        if (bytes.length > MAX_MESSAGE_BYTES)
          throw new AppError(
            'request_too_large',
            `A message has at most ${MAX_MESSAGE_BYTES} bytes. Send the audio in smaller parts.`,
          );
        await (isBinary ? this.#handlers.onAudio(bytes) : this.#handlers.onText(bytes.toString('utf8')));
      })
      .catch((error: unknown) => this.fail(error))
      .finally(() => {
        if (--this.#waiting === 0) this.#socket.resume();
      });
  }
}

/** Parses a text message. Throws `invalid_request`. */
export const parseMessage = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw new AppError('invalid_request', 'A text message has to be JSON; audio is sent as binary messages.');
  }
};
