import type { WebSocket } from 'ws';
import {
  ClientMessage,
  type CloseReason,
  LIVE_URL,
  type ServerMessage,
  SILENT_CLIENT_SECONDS,
  type StartMessage,
} from '../../../contract/realtime.ts';
import { CreateTranscript } from '../../../contract/transcript.ts';
import type { Caller } from '../../services/accounts.ts';
import type { StartOptions } from '../../services/live/service.ts';
import { validate } from '../add-route.ts';
import { type RealtimeDeps, SessionClient } from './client.ts';
import { parseMessage, RealtimeConnection } from './connection.ts';

type Ended = Extract<ServerMessage, { type: 'session.ended' }>;

const ENDED: Readonly<Record<Ended['reason'], readonly [CloseReason, string]>> = {
  finished: ['finished', ''],
  silent: ['silent', `No audio came for ${SILENT_CLIENT_SECONDS} s. What was said until then is kept.`],
  disconnected: ['finished', ''],
  shutting_down: ['shutting_down', 'Earshot is shutting down. What was said until then is kept.'],
  cancelled: ['finished', 'The transcription was cancelled or deleted.'],
  too_long: ['policy', 'The session reached the longest time that is kept in one transcription.'],
};

const startOptionsOf = ({
  type: _,
  sample_rate,
  encoding,
  pause,
  finalize,
  ...fields
}: StartMessage): StartOptions => {
  // Fields together are checked as those of a file are.
  const { audio_url: _url, ...body } = validate(
    CreateTranscript,
    { ...fields, audio_url: LIVE_URL },
    'message',
  );
  return { body, sampleRate: sample_rate, encoding, pause, finalize };
};

/** Speaks Earshot's own messages on a connection. */
export const serveNative = (deps: RealtimeDeps, caller: Caller, socket: WebSocket): void => {
  const send = (message: ServerMessage) => connection.send(message);
  const connection: RealtimeConnection = new RealtimeConnection(socket, {
    onAudio: (bytes) => client.push(bytes),
    onText: (text) => handle(validate(ClientMessage, parseMessage(text), 'message')),
    onClose: () => client.leave(),
    sendError: ({ code, message }) => send({ type: 'error', code, message }),
  });
  const client = new SessionClient({
    ...deps,
    caller,
    connection,
    onMessage: (message) => {
      send(message);
      if (message.type === 'session.ended') connection.close(...ENDED[message.reason]);
    },
  });
  const handle = async (message: ClientMessage): Promise<void> => {
    switch (message.type) {
      case 'start':
        send((await client.start(startOptionsOf(message))).describe());
        return client.attach();
      case 'reconnect': {
        const { session_id, sample_rate, received } = client.find(message.session_id).describe();
        send({ type: 'session.reconnected', session_id, sample_rate, received });
        return client.attach(message.after);
      }
      case 'pause':
        return client.pause();
      case 'resume':
        return client.resume();
      case 'flush':
        // Not awaited: audio that follows is taken meanwhile.
        client.session.flush().catch((error: unknown) => connection.fail(error));
        return;
      case 'finish':
        await client.session.end('finished');
    }
  };
};
