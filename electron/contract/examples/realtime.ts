import type { realtimeRoutes } from '../routes/realtime.ts';
import { COMPLETED, type ExamplesOf, TRANSCRIPT_ID } from './example.ts';

export const realtimeExamples: ExamplesOf<typeof realtimeRoutes> = {
  realtime: {},
  realtimeToken: {
    body: { expires_in_seconds: 60 },
    answers: {
      201: {
        success: true as const,
        data: { token: 'Jm9yLXRoaXMtaXMtYS1zaG9ydC1saXZlZC10b2tlbi4', expires_at: COMPLETED },
      },
    },
  },
  aaiStreaming: { query: { sample_rate: '16000', format_turns: 'true' } },
  aaiStreamingToken: {
    query: { expires_in_seconds: 60 },
    answers: { 200: { token: 'Jm9yLXRoaXMtaXMtYS1zaG9ydC1saXZlZC10b2tlbi4' } },
  },
  realtimeCaptions: {
    params: { id: TRANSCRIPT_ID },
    texts: {
      'text/vtt':
        'WEBVTT Kind: captions; Language: en\n\n1\n00:00:00.240 --> 00:00:01.380\nHello everyone.\n',
    },
  },
};
