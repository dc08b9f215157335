import { describe, expect, it } from 'vitest';
import { PII_POLICIES } from '../../../electron/contract/analysis.ts';
import { AaiTranscript } from '../../../electron/contract/assemblyai.ts';
import { AAI_PII_POLICIES, AaiCreate } from '../../../electron/contract/assemblyai-create.ts';
import { transcription } from '../../../electron/contract/examples/transcripts.ts';
import { OpenAiDiarized, OpenAiVerbose } from '../../../electron/contract/openai.ts';
import { openApiDocument } from '../../../electron/contract/openapi.ts';
import { routes } from '../../../electron/contract/routes.ts';
import type { Word } from '../../../electron/contract/segments.ts';
import {
  AnalysisOptions,
  CreateTranscript,
  type Transcription,
} from '../../../electron/contract/transcript.ts';
import { AppError } from '../../../electron/core/base/errors.ts';
import { requestOf } from '../../../electron/core/http/assemblyai/create.ts';
import { aaiSubtitles } from '../../../electron/core/http/assemblyai/subtitles.ts';
import { aaiDeleted, aaiStatus, aaiTranscript } from '../../../electron/core/http/assemblyai/transcript.ts';
import {
  aaiParagraphs,
  aaiSentences,
  aaiUtterances,
  aaiWordSearch,
  aaiWords,
} from '../../../electron/core/http/assemblyai/words.ts';
import { errorOfJob, openAiErrorBody } from '../../../electron/core/http/openai/errors.ts';
import { openAiDiarized, openAiVerbose } from '../../../electron/core/http/openai/responses.ts';
import { TextDeltas } from '../../../electron/core/http/openai/stream.ts';
import { parseSrt } from '../../support/srt.ts';

const spoken = (text: string, start: number, speaker: string): Word[] =>
  text.split(' ').map((word, index) => ({
    word,
    start: start + index * 0.5,
    end: start + index * 0.5 + 0.4,
    confidence: 0.9,
    speaker_id: speaker,
  }));

const LINES = [
  ['A', 0, 'Maria Lopez lives in Berlin.'],
  ['A', 3, 'Her budget is small.'],
  ['B', 6, 'Really? Tell me about the budget.'],
] as const;

/** The documented example with speakers and findings, so that a new field of the contract has a value here. */
const TALK: Transcription = {
  ...transcription,
  id: 'tr_01JZZZZZZZZZZZZZZZZZZZZZZZ',
  audio_url: 'https://example.com/talk.mp3',
  status: 'completed',
  text: LINES.map(([, , text]) => text).join(' '),
  duration: 9.2,
  segments: LINES.map(([speaker, start, text], id) => ({
    id,
    text,
    start,
    end: start + text.split(' ').length * 0.5,
    speaker_id: speaker,
    language: 'en',
    words: spoken(text, start, speaker),
  })),
  topics: ['Finance', 'Personal Life'],
  key_phrases: ['budget', 'maria lopez'],
  summary: { text: '• Her budget is small.', type: 'bullets', language: 'en', engine: 'extractive' },
  entities: [
    { type: 'person', text: 'Maria Lopez', startIndex: 0, endIndex: 11 },
    { type: 'location', text: 'Berlin', startIndex: 21, endIndex: 27 },
  ],
  content_safety: {
    flagged: true,
    labels: [
      { label: 'violence', confidence: 0.7, severity: 'medium', segments: [{ id: 1, start: 3, end: 5 }] },
    ],
  },
  name: 'talk.mp3',
  model: 'mini',
  model_id: 'base',
  language: 'en',
  language_confidence: 0.99,
  confidence: 0.9,
  word_count: 15,
  timestamp_style: 'word',
  warnings: [],
  warning_details: [],
  created_at: '2026-11-20T17:45:00.123Z',
  completed_at: '2026-11-20T17:45:09.123Z',
  credits_used: 0.16,
  file_info: null,
  audio_start_from: 0,
  audio_end_at: 0,
  audio_offset: 0,
  bytes_fetched: 0,
};

const context = (options: object = {}) => ({
  options: AnalysisOptions.parse(options),
  languageAsked: 'auto',
  webhookUrl: null,
});

/** Installed are nano and mini. */
const MODELS = {
  isKnown: (name: string) => ['nano', 'mini', 'pro', 'base.en'].includes(name),
  languagesOf: (name: string) => (name === 'nano' || name === 'base.en' ? ['en'] : ('multilingual' as const)),
  isAvailable: (name: string) => name === 'nano' || name === 'mini',
};

describe('a request in AssemblyAI’s form', () => {
  const create = (fields: object) =>
    CreateTranscript.parse(
      requestOf(AaiCreate.parse({ audio_url: 'https://example.com/a.mp3', ...fields }), MODELS),
    );

  it('is converted to ours', () => {
    expect(create({})).toMatchObject({
      model: 'mini',
      language: 'en',
      timestamp_style: 'word',
      diarize: false,
    });
    expect(
      create({
        language_code: 'es',
        speaker_labels: true,
        speakers_expected: 3,
        audio_start_from: 1500,
        audio_end_at: 90_000,
        entity_detection: true,
        iab_categories: true,
        summarization: true,
        summary_type: 'paragraph',
        filter_profanity: true,
      }),
    ).toMatchObject({
      language: 'es',
      diarize: true,
      speakers_expected: 3,
      audio_start_from: 1.5,
      audio_end_at: 90,
      entity_detection: true,
      topics: true,
      summarization: true,
      summary_type: 'paragraphs',
      summary_language: 'es',
      content_safety: true,
    });
  });

  it('asks for a language and a share of speech as certain', () => {
    const body = create({
      language_detection: true,
      language_confidence_threshold: 0.7,
      language_detection_options: { on_low_language_confidence: 'fallback', fallback_language: 'es' },
      speech_threshold: 0.25,
    });
    expect(body).toMatchObject({
      language: 'auto',
      language_confidence_threshold: 0.7,
      on_low_language_confidence: 'fallback',
      fallback_language: 'es',
      speech_threshold: 0.25,
    });
    const { language_confidence_threshold, speech_threshold } = body;
    const shown = aaiTranscript(TALK, context({ language_confidence_threshold, speech_threshold }));
    expect(shown).toMatchObject({ language_confidence_threshold: 0.7, speech_threshold: 0.25 });
    expect(aaiTranscript(TALK, context())).toMatchObject({
      language_confidence_threshold: null,
      speech_threshold: null,
    });
  });

  it.each([
    [{ speech_model: 'best' }, 'pro'],
    [{ speech_model: 'universal' }, 'pro'],
    [{ speech_model: 'universal-3-5-pro' }, 'pro'],
    [{ speech_model: 'universal-2' }, 'pro'],
    [{ speech_models: ['slam-1', 'best'] }, 'pro'],
    [{ speech_models: ['universal-3-5-pro', 'nano'] }, 'nano'],
    [{ speech_models: ['universal-3-5-pro', 'nano'], language_code: 'de' }, 'mini'],
    [{ speech_models: ['whisper-99', 'base.en', 'universal-2', 'mini'], language_code: 'fr' }, 'mini'],
    [{ speech_models: ['base.en', 'universal-2'], language_code: 'fr' }, 'pro'],
    [{ speech_models: [] }, 'mini'],
    [{ speech_model: 'nano' }, 'nano'],
    [{ speech_model: 'nano', language_detection: true }, 'mini'],
    [{ speech_model: 'large-v3' }, 'large-v3'],
    [{ speech_model: null }, 'mini'],
  ])('with %j uses the model %s', (fields, model) => {
    expect(create(fields).model).toBe(model);
  });

  it('needs one model that is known and knows the language', () => {
    const fields = { speech_models: ['whisper-99', 'base.en'], language_code: 'fr' };
    expect(() => create(fields)).toThrow(/speech_models names no model/);
  });

  it('maps every policy that it accepts', () => {
    for (const policy of AAI_PII_POLICIES) {
      const { redact_pii_policies } = create({ redact_pii: true, redact_pii_policies: [policy] });
      expect(redact_pii_policies?.length, policy).toBeGreaterThan(0);
    }
    expect(create({ redact_pii: true, redact_pii_sub: 'entity_name' }).redact_pii_sub).toBe('entity_name');
    expect(create({ redact_pii: true, redact_pii_sub: 'hash' }).redact_pii_sub).toBe('mask');
    expect(create({ redact_pii: true }).redact_pii_policies).toBeUndefined();
    expect(PII_POLICIES.length).toBeGreaterThan(20);
  });
});

describe('a transcript in AssemblyAI’s form', () => {
  it('has every field, with times in milliseconds', () => {
    const shown = aaiTranscript(TALK, context({ diarize: true, entity_detection: true, topics: true }));
    expect(AaiTranscript.parse(shown)).toEqual(shown);
    expect(shown.words?.[1]).toEqual({ text: 'Lopez', start: 500, end: 900, confidence: 0.9, speaker: 'A' });
    expect(shown.utterances?.map(({ speaker, text }) => `${speaker}: ${text}`)).toEqual([
      'A: Maria Lopez lives in Berlin. Her budget is small.',
      'B: Really? Tell me about the budget.',
    ]);
    expect(shown.entities).toEqual([
      { entity_type: 'person_name', text: 'Maria Lopez', start: 0, end: 900 },
      { entity_type: 'location', text: 'Berlin', start: 2000, end: 2400 },
    ]);
    expect(shown.auto_highlights_result?.results[0]).toEqual({
      text: 'budget',
      count: 2,
      rank: 1,
      timestamps: [
        { start: 3500, end: 3900 },
        { start: 8500, end: 8900 },
      ],
    });
    expect(shown.iab_categories_result?.summary).toEqual({ Finance: 1, 'Personal Life': 0.5 });
    expect(shown.content_safety_labels).toMatchObject({
      summary: { crime_violence: 0.7 },
      results: [{ text: 'Her budget is small.', timestamp: { start: 3000, end: 5000 } }],
    });
    expect(shown).toMatchObject({ speech_model_used: 'base', language_detection: true, audio_duration: 9 });
  });

  it('has the status, and the error of a failed job', () => {
    const progress = { percent: 0, queue_position: 1, eta_seconds: null, speed: null };
    expect(aaiStatus({ status: 'processing', progress: { ...progress, stage: 'queued' } })).toBe('queued');
    expect(aaiStatus({ status: 'processing', progress: { ...progress, stage: 'decoding' } })).toBe(
      'processing',
    );
    const failed = aaiTranscript(
      {
        ...TALK,
        status: 'failed',
        error: { code: 'not_media', message: 'This is a web page.', stage: 'decoding' },
      },
      context(),
    );
    expect(failed).toMatchObject({ status: 'error', error: 'This is a web page.', text: null, words: null });
    expect(aaiDeleted(aaiTranscript(TALK, context()))).toMatchObject({
      words: null,
      text: 'Deleted by user.',
    });
  });

  it('is split into utterances, sentences and paragraphs with every word', () => {
    const words = aaiWords(TALK).map((word) => word.text);
    for (const parts of [aaiUtterances(aaiWords(TALK)), aaiSentences(TALK), aaiParagraphs(TALK)]) {
      expect(parts.flatMap((part) => part.words.map((word) => word.text))).toEqual(words);
      expect(parts.map((part) => part.text).join(' ')).toBe(TALK.text);
    }
    expect(aaiSentences(TALK).map((sentence) => sentence.speaker)).toEqual(['A', 'A', 'B', 'B']);
  });

  it('is searched for words and phrases, ignoring case and punctuation', () => {
    expect(aaiWordSearch(aaiWords(TALK), ['BUDGET', 'maria lopez', 'nothing', '', '!'])).toEqual([
      {
        text: 'BUDGET',
        count: 2,
        timestamps: [
          [3500, 3900],
          [8500, 8900],
        ],
        indexes: [6, 14],
      },
      { text: 'maria lopez', count: 1, timestamps: [[0, 900]], indexes: [0] },
    ]);
  });

  it('is searched once for a phrase that is asked for again', () => {
    const matches = aaiWordSearch(aaiWords(TALK), ['budget', 'Budget!', 'budget']);
    expect(matches.map(({ text, count }) => [text, count])).toEqual([['budget', 2]]);
  });

  it.each([10, 32, 42, 80, 120, 800])('has captions of at most %i characters', (room) => {
    for (const cue of parseSrt(aaiSubtitles(TALK, 'srt', { chars_per_caption: room }))) {
      expect(cue.lines.join('\n').length).toBeLessThanOrEqual(room);
    }
  });
});

describe('answers in OpenAI’s form', () => {
  it('have segments and words', () => {
    const answer = openAiVerbose(TALK, 'transcribe', ['word', 'segment']);
    expect(OpenAiVerbose.parse(answer)).toEqual(answer);
    expect(answer.segments?.[1]).toMatchObject({ id: 1, seek: 300, start: 3, avg_logprob: -0.1054 });
    expect(answer.words?.[1]).toEqual({ word: 'Lopez', start: 0.5, end: 0.9 });
    expect(openAiVerbose(TALK, 'translate', ['segment']).words).toBeUndefined();
    const diarized = openAiDiarized(TALK);
    expect(OpenAiDiarized.parse(diarized)).toEqual(diarized);
    expect(diarized.segments.map((segment) => segment.speaker)).toEqual(['A', 'A', 'B']);
  });

  it('have errors that distinguish the client’s from the server’s', () => {
    const job = (code: 'not_media' | 'engine_crashed' | 'model_not_installed') =>
      errorOfJob({ code, message: 'What happened.', stage: 'decoding' });
    expect(openAiErrorBody(job('not_media'))).toEqual({
      error: {
        message: 'What happened.',
        type: 'invalid_request_error',
        param: 'file',
        code: 'invalid_request',
      },
    });
    expect(job('engine_crashed')).toMatchObject({ status: 500, headers: { 'x-should-retry': 'false' } });
    expect(openAiErrorBody(job('model_not_installed')).error.param).toBe('model');
    expect(openAiErrorBody(new AppError('budget_exceeded', 'Spent.')).error.code).toBe('insufficient_quota');
  });

  it('stream the new part of the text, whatever the final text is', () => {
    const deltas = new TextDeltas();
    expect(deltas.add([{ text: 'Hello' }, { text: 'there.' }])).toBe('Hello there.');
    expect(deltas.add([{ text: '你好。' }])).toBe(' 你好。');
    expect(deltas.add([{ text: '世界' }])).toBe('世界');
    expect(deltas.rest('Hello there. 你好。世界 and more')).toBe(' and more');
    expect(deltas.rest('Another text')).toBe('');
  });
});

describe('the OpenAPI document', () => {
  it('has the routes and errors of both forms', () => {
    const document = JSON.parse(JSON.stringify(openApiDocument(routes, '0.0.0')));
    const unauthorized = (path: string, method: string) => {
      const shared = document.paths[path][method].responses['401'].$ref.replace(
        '#/components/responses/',
        '',
      );
      const { schema } = document.components.responses[shared].content['application/json'];
      return (schema.allOf?.[0] ?? schema).$ref;
    };
    expect(unauthorized('/v1/audio/transcriptions', 'post')).toBe('#/components/schemas/OpenAiError');
    expect(unauthorized('/v2/transcript/{id}', 'get')).toBe('#/components/schemas/Error');
    expect(document.components.schemas.AaiTranscript.properties.words).toBeDefined();
  });
});
