import type { openAiRoutes } from '../routes/openai.ts';
import type { whisperServerRoutes } from '../routes/whisper-servers.ts';
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

const SRT = `1\n00:00:00,240 --> 00:00:01,380\n${TEXT}\n`;
const VTT = `WEBVTT\n\n00:00:00.240 --> 00:00:01.380\n${TEXT}\n`;

export const whisperServerExamples: ExamplesOf<typeof whisperServerRoutes> = {
  serverHealth: { answers: { 200: { status: 'ok' as const } } },
  inference: {
    form: { response_format: 'json', temperature: '0.0' },
    answers: { 200: { text: TEXT, usage: VERBOSE.usage } },
    texts: { 'text/plain': `${TEXT}\n`, 'text/vtt': VTT, 'application/x-subrip': SRT },
  },
  asr: {
    query: { task: 'transcribe', language: 'en', output: 'json', encode: true },
    answers: { 200: VERBOSE },
    texts: {
      'text/plain': `${TEXT}\n`,
      'text/vtt': VTT,
      'application/x-subrip': SRT,
      'text/tab-separated-values': `start\tend\ttext\n240\t1380\t${TEXT}\n`,
    },
  },
  detectLanguage: {
    query: { encode: true },
    answers: { 200: { detected_language: 'english', language_code: 'en', confidence: 0.98 } },
  },
};
