import { z } from 'zod';
import * as openai from '../openai.ts';
import { JOB_ERRORS, route, UPLOAD_ERRORS } from '../route.ts';

/** The audio endpoints of OpenAI's API. */
export const openAiRoutes = {
  openAiTranscribe: route({
    method: 'POST',
    path: '/v1/audio/transcriptions',
    tag: 'OpenAI',
    summary: 'Transcribe an uploaded file, in the form of OpenAI’s API',
    description:
      'For clients of OpenAI: set their base URL to this server’s `/v1`. The upload is deleted after the answer; ' +
      'the transcription stays in the library. The fields are those of OpenAI.',
    access: 'key',
    bodyType: 'multipart',
    form: openai.OpenAiTranscriptionForm,
    limit: 'requests',
    errorForm: 'openai',
    keyless: true,
    responses: { 200: z.union([openai.OpenAiVerbose, openai.OpenAiDiarized, openai.OpenAiText]) },
    raw: { 200: ['text/plain', 'text/vtt', 'application/x-subrip', 'text/event-stream'] },
    errors: [...UPLOAD_ERRORS, ...JOB_ERRORS, 'conflict'],
  }),
  openAiTranslate: route({
    method: 'POST',
    path: '/v1/audio/translations',
    tag: 'OpenAI',
    summary: 'Transcribe an uploaded file into English, in the form of OpenAI’s API',
    access: 'key',
    bodyType: 'multipart',
    form: openai.OpenAiTranslationForm,
    limit: 'requests',
    errorForm: 'openai',
    keyless: true,
    responses: { 200: z.union([openai.OpenAiVerbose, openai.OpenAiText]) },
    raw: { 200: ['text/plain', 'text/vtt', 'application/x-subrip'] },
    errors: [...UPLOAD_ERRORS, ...JOB_ERRORS, 'conflict'],
  }),
} as const;
