import type { whisperServerRoutes } from '../routes/whisper-servers.ts';
import type { ExamplesOf } from './example.ts';
import { VERBOSE } from './openai.ts';

const TEXT = VERBOSE.text;
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
