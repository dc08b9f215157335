import { z } from 'zod';
import { OpenAiText, OpenAiVerbose } from '../openai.ts';
import { JOB_ERRORS, route, UPLOAD_ERRORS } from '../route.ts';
import * as servers from '../whisper-servers.ts';

const tag = 'Whisper servers';
const errors = [...UPLOAD_ERRORS, ...JOB_ERRORS, 'conflict'] as const;
const shared = { tag, access: 'key', keyless: true, bodyType: 'multipart', limit: 'requests' } as const;

/** What whisper.cpp's server and whisper-asr-webservice answer to. */
export const whisperServerRoutes = {
  serverHealth: route({
    method: 'GET',
    path: '/health',
    tag,
    summary: 'Whether the server answers, as whisper.cpp’s says it',
    access: 'none',
    responses: { 200: servers.ServerHealth },
    errors: [],
  }),
  inference: route({
    ...shared,
    method: 'POST',
    path: '/inference',
    summary: 'Transcribe an uploaded file, in the form of whisper.cpp’s server',
    description:
      'The file is the field `file`. The upload is deleted after the answer; the transcription stays in the library.',
    form: servers.InferenceForm,
    responses: { 200: z.union([OpenAiVerbose, OpenAiText]) },
    raw: { 200: ['text/plain', 'text/vtt', 'application/x-subrip'] },
    errors,
  }),
  asr: route({
    ...shared,
    method: 'POST',
    path: '/asr',
    summary: 'Transcribe an uploaded file, in the form of whisper-asr-webservice',
    description:
      'The file is the field `audio_file`. The upload is deleted after the answer; the transcription stays in the library.',
    query: servers.AsrQuery,
    form: servers.AsrForm,
    fileField: 'audio_file',
    responses: { 200: OpenAiVerbose },
    raw: { 200: ['text/plain', 'text/vtt', 'application/x-subrip', 'text/tab-separated-values'] },
    errors,
  }),
  detectLanguage: route({
    ...shared,
    method: 'POST',
    path: '/detect-language',
    summary: 'The language of an uploaded file, in the form of whisper-asr-webservice',
    description: 'The file is the field `audio_file`. Nothing of it is kept.',
    query: servers.DetectLanguageQuery,
    form: servers.AsrForm,
    fileField: 'audio_file',
    responses: { 200: servers.DetectedLanguage },
    errors,
  }),
} as const;
