import type { z } from 'zod';
import { AAI_CONSTANT, type AaiTranscript } from '../assemblyai.ts';
import type { assemblyAiRoutes } from '../routes/assemblyai.ts';
import { BASE_URL, CREATED, type ExamplesOf, FILE_KEY, PLACEHOLDERS, TRANSCRIPT_ID } from './example.ts';

const WORDS = [
  { text: 'Hello', start: 240, end: 660, confidence: 0.98, speaker: null },
  { text: 'everyone.', start: 710, end: 1380, confidence: 0.96, speaker: null },
];
const SPOKEN = { text: 'Hello everyone.', start: 240, end: 1380, confidence: 0.97 };

const queued: z.input<typeof AaiTranscript> = {
  ...AAI_CONSTANT,
  id: TRANSCRIPT_ID,
  audio_url: PLACEHOLDERS.url,
  status: 'queued',
  text: null,
  words: null,
  utterances: null,
  confidence: null,
  audio_duration: null,
  audio_start_from: null,
  audio_end_at: null,
  language_code: null,
  language_codes: null,
  language_detection: true,
  language_confidence: null,
  language_confidence_threshold: null,
  speech_threshold: null,
  speech_model: 'mini',
  speech_models: null,
  speech_model_used: null,
  webhook_auth: false,
  webhook_auth_header_name: null,
  webhook_url: null,
  custom_spelling: null,
  multichannel: false,
  speaker_labels: false,
  speakers_expected: null,
  auto_highlights: false,
  auto_highlights_result: null,
  iab_categories: false,
  iab_categories_result: null,
  content_safety: false,
  content_safety_labels: null,
  filter_profanity: false,
  entity_detection: false,
  entities: null,
  summarization: false,
  summary: null,
  summary_type: null,
  summary_model: null,
  redact_pii: false,
  redact_pii_audio: false,
  redact_pii_audio_quality: null,
  redact_pii_policies: null,
  redact_pii_sub: null,
};

const completed: z.input<typeof AaiTranscript> = {
  ...queued,
  status: 'completed',
  text: SPOKEN.text,
  words: WORDS,
  confidence: 0.97,
  audio_duration: 9,
  language_code: 'en',
  language_codes: ['en'],
  language_confidence: 0.998,
  language_confidence_threshold: null,
  speech_threshold: null,
  speech_model_used: 'base',
};

const params = { id: TRANSCRIPT_ID };
const read = { id: TRANSCRIPT_ID, confidence: 0.97, audio_duration: 9 };

export const assemblyAiExamples: ExamplesOf<typeof assemblyAiRoutes> = {
  aaiUpload: {
    answers: { 200: { upload_url: `${BASE_URL}/v1/storage/download${FILE_KEY}` } },
  },
  aaiCreate: {
    body: { audio_url: PLACEHOLDERS.url, language_detection: true, speech_model: 'universal' },
    answers: { 200: queued },
  },
  aaiList: {
    query: { limit: 10, status: 'completed' as const },
    answers: {
      200: {
        page_details: {
          limit: 10,
          result_count: 1,
          current_url: `${BASE_URL}/v2/transcript?limit=10&status=completed`,
          prev_url: null,
          next_url: null,
        },
        transcripts: [
          {
            id: TRANSCRIPT_ID,
            resource_url: `${BASE_URL}/v2/transcript/${TRANSCRIPT_ID}`,
            status: 'completed' as const,
            created: CREATED,
            completed: '2026-11-20T17:45:04.871Z',
            audio_url: PLACEHOLDERS.url,
            error: null,
          },
        ],
      },
    },
  },
  aaiGet: { params, answers: { 200: completed } },
  aaiDelete: {
    params,
    answers: {
      200: { ...completed, text: 'Deleted by user.', words: null, audio_url: 'http://deleted_by_user' },
    },
  },
  aaiSentences: {
    params,
    answers: { 200: { ...read, sentences: [{ ...SPOKEN, speaker: null, words: WORDS }] } },
  },
  aaiParagraphs: { params, answers: { 200: { ...read, paragraphs: [{ ...SPOKEN, words: WORDS }] } } },
  aaiSrt: {
    params,
    query: { chars_per_caption: 32 },
    texts: { 'text/plain': `1\n00:00:00,240 --> 00:00:01,380\n${SPOKEN.text}\n` },
  },
  aaiVtt: {
    params,
    query: { chars_per_caption: 32 },
    texts: { 'text/plain': `WEBVTT\n\n00:00:00.240 --> 00:00:01.380\n${SPOKEN.text}\n` },
  },
  aaiWordSearch: {
    params,
    query: { words: 'hello,budget for march' },
    answers: {
      200: {
        id: TRANSCRIPT_ID,
        total_count: 1,
        matches: [{ text: 'hello', count: 1, timestamps: [[240, 660] as [number, number]], indexes: [0] }],
      },
    },
  },
  aaiRedactedAudio: {
    params,
    answers: {
      200: {
        redacted_audio_url: `${BASE_URL}/v1/transcript/id/${TRANSCRIPT_ID}/audio`,
        status: 'redacted_audio_ready' as const,
      },
    },
  },
};
