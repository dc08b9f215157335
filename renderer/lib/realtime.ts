import {
  CLOSE_CODES,
  type ClientMessageInput,
  RECONNECT_SECONDS,
  ServerMessage,
} from '../../electron/contract/realtime.ts';

type Start = Extract<ClientMessageInput, { type: 'start' }>;

type RealtimeOptions = {
  /** The address, with a fresh token. */
  readonly address: () => Promise<string>;
  /** A new session, or the id of one that another page of this window had. */
  readonly begin: Start | { readonly session: string };
  readonly onMessage: (message: ServerMessage) => void;
  readonly onConnection: (isOpen: boolean) => void;
  /** The session cannot be reached any more; what it has is kept. */
  readonly onLost: (reason: Lost | undefined) => void;
};

/** What the service said; undefined if it could not be reached. */
type Lost = { readonly code: string; readonly message: string };

/** What waits to be sent, in its order. */
type Waiting =
  | { readonly kind: 'samples'; readonly at: number; readonly samples: Int16Array<ArrayBuffer> }
  | { readonly kind: 'message'; readonly message: ClientMessageInput };

/** The connection can be opened again after these. */
const isTemporary = (code: number): boolean => code === 1006 || code === CLOSE_CODES.internal_error;

const MIN_RETRY_MS = 250;
const MAX_RETRY_MS = 4000;

/**
 * The window's side of a live session. Audio is kept until the service has it on the disk, so that a connection that was lost goes on
 * where it broke off, without a word lost or doubled.
 */
export const createRealtime = (options: RealtimeOptions) => {
  let socket: WebSocket | undefined;
  let session = 'session' in options.begin ? options.begin.session : undefined;
  /** The session's samples before those of this page; undefined until the service has said. */
  let before = session === undefined ? 0 : undefined;
  let seq = 0;
  /** Samples of this page, and how many of them are sent. */
  let spoken = 0;
  let waiting: Waiting[] = [];
  let isReady = false;
  let isClosed = false;
  let lostAt: number | undefined;
  let retryMs = MIN_RETRY_MS;
  let reason: Lost | undefined;

  const say = (message: ClientMessageInput): void => socket?.send(JSON.stringify(message));
  const send = (each: Waiting): void => {
    if (each.kind === 'message') say(each.message);
    else socket?.send(each.samples);
  };
  const add = (each: Waiting): void => {
    waiting.push(each);
    if (isReady) send(each);
  };
  /** Sends what the service lacks. Of messages it may have had the last ones, which say the same again. */
  const sendFrom = (received: number): void => {
    before ??= received;
    for (const each of waiting) {
      if (each.kind === 'message') say(each.message);
      else {
        const known = received - before - each.at;
        if (known < each.samples.length) socket?.send(each.samples.slice(Math.max(0, known)));
      }
    }
    isReady = true;
  };
  const forgetUntil = (saved: number): void => {
    const own = saved - (before ?? saved);
    const index = waiting.findIndex((each) => each.kind === 'samples' && each.at + each.samples.length > own);
    waiting = index < 0 ? waiting.filter(({ kind }) => kind === 'message') : waiting.slice(index);
  };
  const take = (message: ServerMessage): void => {
    if ('seq' in message) seq = message.seq;
    if (message.type === 'session.started' || message.type === 'session.reconnected') {
      session = message.session_id;
      [lostAt, retryMs] = [undefined, MIN_RETRY_MS];
      sendFrom(message.received);
      options.onConnection(true);
    } else if (message.type === 'audio.saved') forgetUntil(message.samples);
    else if (message.type === 'error') reason = message;
    else if (message.type === 'session.ended') isClosed = true;
    options.onMessage(message);
  };
  const retry = (): void => {
    isReady = false;
    if (lostAt === undefined) options.onConnection(false);
    lostAt ??= performance.now();
    if (performance.now() - lostAt > RECONNECT_SECONDS * 1000) {
      end();
      return;
    }
    setTimeout(() => void open(), retryMs);
    retryMs = Math.min(MAX_RETRY_MS, 2 * retryMs);
  };
  const end = (): void => {
    isClosed = true;
    options.onLost(reason);
  };
  const open = async (): Promise<void> => {
    try {
      const address = await options.address();
      if (isClosed) return;
      socket = new WebSocket(address);
    } catch {
      if (!isClosed) retry();
      return;
    }
    socket.addEventListener('open', () => {
      if (session !== undefined) say({ type: 'reconnect', session_id: session, after: seq });
      else if ('type' in options.begin) say(options.begin);
    });
    socket.addEventListener('message', ({ data }) => {
      const message = ServerMessage.safeParse(JSON.parse(String(data)));
      // A later version of the service may have more types.
      if (message.success) take(message.data);
    });
    socket.addEventListener('close', ({ code }) => {
      if (isClosed) return;
      if (isTemporary(code)) retry();
      else end();
    });
  };
  void open();

  return {
    push: (samples: Int16Array<ArrayBuffer>): void => {
      add({ kind: 'samples', at: spoken, samples });
      spoken += samples.length;
    },
    say: (message: ClientMessageInput): void => add({ kind: 'message', message }),
    close: (): void => {
      isClosed = true;
      socket?.close();
    },
  };
};
export type Realtime = ReturnType<typeof createRealtime>;
