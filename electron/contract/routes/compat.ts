import { z } from 'zod';
import * as aai from '../compat/assemblyai.ts';
import * as openai from '../compat/openai.ts';
import type { ErrorCode } from '../errors.ts';
import { route } from '../route.ts';

const byId = z.strictObject({ id: z.string().max(100) });

const UPLOAD_ERRORS = [
  'file_too_large',
  'unsupported_file_type',
  'infected_file',
  'content_mismatch',
  'scanner_unavailable',
  'storage_limit_exceeded',
  'disk_full',
] as const satisfies ErrorCode[];
const JOB_ERRORS = ['budget_exceeded', 'engine_unavailable'] as const satisfies ErrorCode[];

const openAiRoutes = {
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
    responses: { 200: z.union([openai.OpenAiVerbose, openai.OpenAiDiarized, openai.OpenAiText]) },
    raw: { 200: ['text/plain', 'text/vtt', 'application/x-subrip', 'text/event-stream'] },
    errors: [...UPLOAD_ERRORS, ...JOB_ERRORS],
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
    responses: { 200: z.union([openai.OpenAiVerbose, openai.OpenAiText]) },
    raw: { 200: ['text/plain', 'text/vtt', 'application/x-subrip'] },
    errors: [...UPLOAD_ERRORS, ...JOB_ERRORS],
  }),
} as const;

const tag = 'AssemblyAI' as const;
const access = 'key' as const;
/** AssemblyAI's clients send the key without the word Bearer. */
const bareKey = true as const;

const assemblyAiRoutes = {
  aaiUpload: route({
    method: 'POST',
    path: '/v2/upload',
    tag,
    summary: 'Upload audio, in the form of AssemblyAI’s API',
    access,
    bareKey,
    bodyType: 'binary',
    limit: 'uploads',
    responses: { 200: aai.AaiUpload },
    errors: UPLOAD_ERRORS,
  }),
  aaiCreate: route({
    method: 'POST',
    path: '/v2/transcript',
    tag,
    summary: 'Transcribe, in the form of AssemblyAI’s API',
    description: 'Unsupported requests are rejected with the reason.',
    access,
    bareKey,
    body: aai.AaiCreate,
    responses: { 200: aai.AaiTranscript },
    errors: [...JOB_ERRORS, 'file_not_found'],
  }),
  aaiList: route({
    method: 'GET',
    path: '/v2/transcript',
    tag,
    summary: 'List transcripts, newest first',
    access,
    bareKey,
    query: aai.AaiListQuery,
    responses: { 200: aai.AaiList },
    errors: [],
  }),
  aaiGet: route({
    method: 'GET',
    path: '/v2/transcript/{id}',
    tag,
    summary: 'Get a transcript',
    access,
    bareKey,
    params: byId,
    responses: { 200: aai.AaiTranscript },
    errors: ['transcript_not_found'],
  }),
  aaiDelete: route({
    method: 'DELETE',
    path: '/v2/transcript/{id}',
    tag,
    summary: 'Delete a transcript and everything made for it',
    access,
    bareKey,
    params: byId,
    responses: { 200: aai.AaiTranscript },
    errors: ['transcript_not_found'],
  }),
  aaiSentences: route({
    method: 'GET',
    path: '/v2/transcript/{id}/sentences',
    tag,
    summary: 'Sentences with their words',
    access,
    bareKey,
    params: byId,
    responses: { 200: aai.AaiSentences },
    errors: ['transcript_not_found', 'transcript_not_ready'],
  }),
  aaiParagraphs: route({
    method: 'GET',
    path: '/v2/transcript/{id}/paragraphs',
    tag,
    summary: 'Paragraphs with their words',
    access,
    bareKey,
    params: byId,
    responses: { 200: aai.AaiParagraphs },
    errors: ['transcript_not_found', 'transcript_not_ready'],
  }),
  aaiSrt: route({
    method: 'GET',
    path: '/v2/transcript/{id}/srt',
    tag,
    summary: 'Subtitles as SRT',
    access,
    bareKey,
    params: byId,
    query: aai.AaiSubtitlesQuery,
    responses: {},
    raw: { 200: ['text/plain'] },
    errors: ['transcript_not_found', 'transcript_not_ready'],
  }),
  aaiVtt: route({
    method: 'GET',
    path: '/v2/transcript/{id}/vtt',
    tag,
    summary: 'Subtitles as WebVTT',
    access,
    bareKey,
    params: byId,
    query: aai.AaiSubtitlesQuery,
    responses: {},
    raw: { 200: ['text/plain'] },
    errors: ['transcript_not_found', 'transcript_not_ready'],
  }),
  aaiWordSearch: route({
    method: 'GET',
    path: '/v2/transcript/{id}/word-search',
    tag,
    summary: 'Where words and phrases of up to five words are spoken',
    access,
    bareKey,
    params: byId,
    query: aai.AaiWordSearchQuery,
    responses: { 200: aai.AaiWordSearch },
    errors: ['transcript_not_found', 'transcript_not_ready'],
  }),
  aaiRedactedAudio: route({
    method: 'GET',
    path: '/v2/transcript/{id}/redacted-audio',
    tag,
    summary: 'A link to the audio with the redacted words bleeped',
    access,
    bareKey,
    params: byId,
    responses: { 200: aai.AaiRedactedAudio },
    errors: ['transcript_not_found', 'transcript_not_ready', 'not_available'],
  }),
} as const;

/** The APIs of OpenAI and AssemblyAI, as far as this service covers them. */
export const compatRoutes = { ...openAiRoutes, ...assemblyAiRoutes } as const;
