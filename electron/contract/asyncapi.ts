import { z } from 'zod';
import { CLOSE_CODES, ClientMessage, ServerMessage } from './realtime.ts';

type Json = Record<string, unknown>;
type Message = { readonly name: string; readonly payload: z.ZodType; readonly io: 'input' | 'output' };

const messagesOf = (schema: typeof ClientMessage | typeof ServerMessage, io: Message['io']): Message[] =>
  schema.options.map((payload) => ({ name: payload.shape.type.value, payload, io }));

const FROM_CLIENT = messagesOf(ClientMessage, 'input');
const FROM_SERVER = messagesOf(ServerMessage, 'output');
const AUDIO = 'audio';

const presentMessage = ({ name, payload, io }: Message): Json => {
  const { title: _, description, ...schema } = z.toJSONSchema(payload, { io, reused: 'inline' });
  return { name, contentType: 'application/json', summary: description, payload: schema };
};

const audioMessage: Json = {
  name: AUDIO,
  contentType: 'application/octet-stream',
  summary:
    'A binary message: samples of one channel, in the encoding and at the rate of `start`; of any length.',
  payload: { type: 'string', format: 'binary' },
};

const referencesTo = (place: string, names: readonly string[]): Json[] =>
  names.map((name) => ({ $ref: `${place}/${name}` }));

/** The AsyncAPI 3.0 document of the messages of `/v1/realtime`. */
export const asyncApiDocument = (version: string): Json => {
  const names = {
    client: [...FROM_CLIENT.map(({ name }) => name), AUDIO],
    server: FROM_SERVER.map(({ name }) => name),
  };
  const operation = (action: 'send' | 'receive', summary: string, messages: readonly string[]): Json => ({
    action,
    channel: { $ref: '#/channels/realtime' },
    summary,
    messages: referencesTo('#/channels/realtime/messages', messages),
  });
  const all = [...FROM_CLIENT, ...FROM_SERVER].map(
    (message) => [message.name, presentMessage(message)] as const,
  );
  const closes = Object.entries(CLOSE_CODES).map(([reason, code]) => `${code} ${reason}`);
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Earshot: live sessions',
      version,
      description: `Text while somebody speaks. Connect to \`/v1/realtime\` with the header \`Authorization: Bearer <key>\`, or with \`?token=\`. The server closes a connection with a sentence, and a code: ${closes.join(', ')}.`,
      license: { name: 'MIT' },
    },
    defaultContentType: 'application/json',
    channels: {
      realtime: {
        address: '/v1/realtime',
        messages: Object.fromEntries(
          [...names.client, ...names.server].map((name) => [name, { $ref: `#/components/messages/${name}` }]),
        ),
      },
    },
    operations: {
      speak: operation('send', 'What a client sends.', names.client),
      read: operation('receive', 'What the server sends.', names.server),
    },
    components: { messages: Object.fromEntries([...all, [AUDIO, audioMessage]]) },
  };
};
