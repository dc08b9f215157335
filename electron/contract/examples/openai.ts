import type { openAiRoutes } from '../routes/openai.ts';
import type { ExamplesOf } from './example.ts';

const TEXT = 'Hello everyone.';
export const VERBOSE = {
  task: 'transcribe' as const,
  language: 'english',
  duration: 1.5,
  text: TEXT,
  words: [
    { word: 'Hello', start: 0.24, end: 0.66 },
    { word: 'everyone.', start: 0.71, end: 1.38 },
  ],
  usage: { type: 'duration' as const, seconds: 2 },
};

export const openAiExamples: ExamplesOf<typeof openAiRoutes> = {
  openAiTranscribe: {
    form: { model: 'whisper-1', response_format: 'verbose_json', 'timestamp_granularities[]': 'word' },
    answers: {
      200: VERBOSE,
    },
    texts: {
      'application/x-subrip': `1\n00:00:00,240 --> 00:00:01,380\n${TEXT}\n`,
      'text/vtt': `WEBVTT\n\n00:00:00.240 --> 00:00:01.380\n${TEXT}\n`,
      'text/plain': `${TEXT}\n`,
      'text/event-stream': `event: transcript.text.delta\ndata: {"type":"transcript.text.delta","delta":"${TEXT}"}\n\n`,
    },
  },
  openAiTranslate: {
    form: { model: 'whisper-1', response_format: 'json' },
    answers: { 200: { text: TEXT, usage: { type: 'duration', seconds: 2 } } },
    texts: { 'text/plain': `${TEXT}\n` },
  },
};
