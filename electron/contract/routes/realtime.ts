import { z } from 'zod';
import { success } from '../common.ts';
import { CreateRealtimeToken, RealtimeToken } from '../realtime.ts';
import { route } from '../route.ts';

const tag = 'Live' as const;
const token = z.string().max(200).optional().describe('Of `POST /v1/realtime/token`, in place of a key.');

/** AssemblyAI's own parameters: those without an effect here are let be, as the service itself does. */
const AssemblyAiStreamingQuery = z.looseObject({ token: z.string().max(200).optional() });
export type AssemblyAiStreamingQuery = z.output<typeof AssemblyAiStreamingQuery>;

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
  aaiStreaming: route({
    method: 'GET',
    path: '/v3/ws',
    tag: 'AssemblyAI',
    summary: 'Text while somebody speaks, in the form of Universal Streaming',
    description:
      'A WebSocket for AssemblyAI’s clients, which ask for `wss://`: put a server with a certificate before this one. The transcription is kept.',
    access: 'own',
    bareKey: true,
    query: AssemblyAiStreamingQuery,
    websocket: true,
    responses: {},
    raw: { 101: [] },
    errors: ['unauthorized'],
  }),
  aaiStreamingToken: route({
    method: 'GET',
    path: '/v3/token',
    tag: 'AssemblyAI',
    summary: 'A short-lived token for a live session',
    access: 'key',
    bareKey: true,
    query: z.strictObject({
      expires_in_seconds: z.coerce.number().int().min(1).max(600).default(60),
      max_session_duration_seconds: z.coerce.number().int().min(60).max(10_800).optional(),
    }),
    responses: { 200: z.object({ token: z.string() }) },
    errors: [],
  }),
} as const;
