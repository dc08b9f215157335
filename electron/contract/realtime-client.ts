import type { Client } from './client.ts';
import { type ClientMessageInput, ServerMessage } from './realtime.ts';

type Listeners = {
  /** Messages of types that this version does not know are left out. */
  readonly onMessage: (message: ServerMessage) => void;
  /** Called once, with the server's code and sentence. */
  readonly onClose: (code: number, reason: string) => void;
};

/** An open connection of `/v1/realtime`. */
export type RealtimeConnection = {
  send(message: ClientMessageInput): void;
  /** Samples in the encoding of `start`, of any length. */
  sendAudio(samples: ArrayBuffer | ArrayBufferView<ArrayBuffer>): void;
  /** Bytes that are not sent yet: a program that sends faster than they leave should wait. */
  readonly bufferedBytes: number;
  /** Leaves without ending the session, which waits a minute for `reconnect`. */
  close(): void;
};

const parse = (data: unknown): ServerMessage | undefined =>
  typeof data === 'string' ? ServerMessage.safeParse(JSON.parse(data)).data : undefined;

/**
 * Opens a live session's connection with a token of the client's key, in browsers and in Node. Send `start` or `reconnect` first.
 * `baseUrl` as of the client. Rejects where the server refuses the connection.
 */
export const openRealtime = async (
  client: Client,
  baseUrl: string,
  { onMessage, onClose }: Listeners,
): Promise<RealtimeConnection> => {
  const { data } = await client.call('realtimeToken', { body: {} });
  const socket = new WebSocket(`${baseUrl.replace(/^http/, 'ws')}/v1/realtime?token=${data.token}`);
  socket.addEventListener('message', (event) => {
    const message = parse(event.data);
    if (message !== undefined) onMessage(message);
  });
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener('open', () => resolve());
    socket.addEventListener('error', () => reject(new Error('The server did not take the live connection.')));
  });
  socket.addEventListener('close', ({ code, reason }) => onClose(code, reason));
  return {
    send: (message) => socket.send(JSON.stringify(message)),
    sendAudio: (samples) => socket.send(samples),
    get bufferedBytes() {
      return socket.bufferedAmount;
    },
    close: () => socket.close(),
  };
};
