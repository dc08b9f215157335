import { z } from 'zod';
import { success } from '../common.ts';
import { CreateRealtimeToken, RealtimeToken } from '../realtime.ts';
import { route } from '../route.ts';

const tag = 'Live' as const;
const token = z.string().max(200).optional().describe('Of `POST /v1/realtime/token`, in place of a key.');

export const realtimeRoutes = {
  realtime: route({
    method: 'GET',
    path: '/v1/realtime',
    tag,
    summary: 'Text while somebody speaks',
    description:
      'A WebSocket. The first message is `start` with the options, audio follows as binary messages, and events come back: ' +
      '`/asyncapi.json` describes all messages. The id of the session is that of the transcription, which is kept from the ' +
      'first second on. With `intent=transcription` it takes the messages of OpenAI’s realtime transcription.',
    access: 'own',
    query: z.strictObject({
      token,
      intent: z.literal('transcription').optional().describe('The messages are OpenAI’s.'),
      model: z.string().max(200).optional().describe('Of OpenAI’s clients; the session names its own.'),
    }),
    websocket: true,
    responses: {},
    raw: { 101: [] },
    errors: ['unauthorized'],
  }),
  realtimeToken: route({
    method: 'POST',
    path: '/v1/realtime/token',
    tag,
    summary: 'A short-lived token for a live session',
    description:
      'Browsers cannot send a key with a WebSocket: a server that has one asks for a token, and the browser connects with `?token=`.',
    access: 'key',
    body: CreateRealtimeToken,
    responses: { 201: success(RealtimeToken) },
    errors: [],
  }),
  realtimeCaptions: route({
    method: 'GET',
    path: '/v1/realtime/{id}/captions.vtt',
    tag,
    summary: 'The subtitles so far',
    description:
      'WebVTT of what is committed, which grows at least once a second while somebody speaks. A program that cannot send a key uses `?token=`.',
    access: 'own',
    params: z.strictObject({ id: z.string().max(100) }),
    query: z.strictObject({ token }),
    responses: {},
    raw: { 200: ['text/vtt'] },
    errors: ['unauthorized', 'transcript_not_found'],
  }),
} as const;
