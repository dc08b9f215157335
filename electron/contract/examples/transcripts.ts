import type { z } from 'zod';
import type { transcriptRoutes } from '../routes/transcripts.ts';
import type { vocabularyRoutes } from '../routes/vocabulary.ts';
import type { Transcription } from '../transcript.ts';
import type { WebhookDelivery } from '../webhooks.ts';
import { BASE_URL, COMPLETED, CREATED, type ExamplesOf, PLACEHOLDERS, TRANSCRIPT_ID } from './example.ts';

const ID = PLACEHOLDERS.suggestion;
const suggestions = {
  200: {
    success: true as const,
    data: { enabled: true, suggestions: [{ id: ID, term: 'Klarke', heard: 'Clark', count: 2 }] },
  },
};

const terms = ['Nguyen', { term: 'kubectl', sounds_like: ['cube control'] }];
const answers = { 200: { success: true as const, data: { terms, updated_at: CREATED } } };

export const vocabularyExamples: ExamplesOf<typeof vocabularyRoutes> = {
  getVocabulary: { answers },
  putVocabulary: { body: { terms }, answers },
  listTermSuggestions: { answers: suggestions },
  patchTermSuggestions: { body: { enabled: true }, answers: suggestions },
  acceptTermSuggestion: { params: { id: ID }, answers },
  dismissTermSuggestion: {
    params: { id: ID },
    answers: { 200: { success: true, message: 'The term is not suggested again.' } },
  },
};

const TEXT = 'Hello everyone. The budget for March is 4,000 euros. Please write to Maria by Friday.';

const SEGMENTS = [
  { id: 0, text: 'Hello everyone.', start: 0.24, end: 1.38, speaker_id: null, language: 'en' },
  {
    id: 1,
    text: 'The budget for March is 4,000 euros.',
    start: 1.9,
    end: 5.02,
    speaker_id: null,
    language: 'en',
  },
  {
    id: 2,
    text: 'Please write to Maria by Friday.',
    start: 5.61,
    end: 8.3,
    speaker_id: null,
    language: 'en',
  },
];

export const transcription: z.input<typeof Transcription> = {
  id: TRANSCRIPT_ID,
  audio_url: PLACEHOLDERS.url,
  status: 'completed',
  text: TEXT,
  duration: 8.6,
  segments: SEGMENTS,
  name: 'Planning',
  model: 'mini',
  model_id: 'base',
  language: 'en',
  languages: [{ language: 'en', share: 1 }],
  language_confidence: 0.998,
  confidence: 0.94,
  word_count: 16,
  timestamp_style: 'segment',
  warnings: [],
  warning_details: [],
  created_at: CREATED,
  completed_at: COMPLETED,
  credits_used: 0.15,
  file_info: { name: 'planning.wav', size: 275_244, format: 'wav' },
  audio_start_from: 0,
  audio_end_at: 0,
  bytes_fetched: 275_244,
  audio_offset: 0,
  revision: 12,
};

const processing: z.input<typeof Transcription> = {
  ...transcription,
  status: 'processing',
  text: '',
  duration: 0,
  segments: [],
  model_id: null,
  language: null,
  languages: [],
  language_confidence: null,
  confidence: null,
  word_count: 0,
  completed_at: null,
  credits_used: 0,
  file_info: null,
  bytes_fetched: 0,
  progress: { stage: 'queued', percent: 0, queue_position: 1, eta_seconds: null, speed: null },
};

const analyzed: z.input<typeof Transcription> = {
  ...transcription,
  entities: [{ type: 'person', text: 'Maria', startIndex: 69, endIndex: 74 }],
  topics: ['Business', 'Finance'],
  key_phrases: ['budget for March'],
  summary: {
    text: '• The budget for March is 4,000 euros.',
    type: 'bullets',
    language: 'en',
    engine: 'extractive',
    bullets: [
      {
        text: 'The budget for March is 4,000 euros.',
        source: { sentence_ids: [2], start: 1.9, end: 5.02 },
      },
    ],
  },
};

const cancelled: z.input<typeof Transcription> = {
  ...processing,
  status: 'failed',
  status_reason: 'cancelled',
  progress: undefined,
  completed_at: COMPLETED,
  error: { code: 'cancelled', message: 'The transcription was cancelled.', stage: 'queued' },
};

const params = { id: TRANSCRIPT_ID };

const delivery: z.input<typeof WebhookDelivery> = {
  id: 'whk_01JD3ZA0C4E6G8J1K3M5N7P9Q2',
  type: 'transcript.completed',
  url: PLACEHOLDERS.webhook,
  state: 'delivered',
  attempts: [{ at: COMPLETED, status: 200, error: null, milliseconds: 84 }],
  next_attempt_at: null,
  created_at: COMPLETED,
};

const queue = (waiting: boolean, paused = false) => ({
  success: true as const,
  data: {
    paused,
    running: [],
    waiting: waiting ? [{ id: TRANSCRIPT_ID, name: 'Planning', queue_position: 1 }] : [],
  },
});

const pagination = { page: 1, limit: 20, total: 1, pages: 1, hasNext: false, hasPrev: false };

const makingExamples = {
  createTranscript: {
    headers: { 'Idempotency-Key': 'planning-2026-11-20' },
    body: { audio_url: PLACEHOLDERS.url, model: 'mini', language: 'auto', name: 'Planning' },
    answers: { 200: transcription, 202: processing },
  },
  cancelTranscript: { params, answers: { 200: cancelled } },
  retryTranscript: { params, answers: { 202: processing } },
  patchTranscript: {
    params,
    body: { name: 'Planning for March', segments: [{ id: 0, text: 'Hello, everyone.' }] },
    answers: {
      200: {
        ...transcription,
        name: 'Planning for March',
        text: TEXT.replace('Hello everyone', 'Hello, everyone'),
        segments: SEGMENTS.with(0, {
          id: 0,
          text: 'Hello, everyone.',
          start: 0.24,
          end: 1.38,
          speaker_id: null,
          language: 'en',
        }),
      },
    },
  },
  analyzeTranscript: {
    params,
    body: { entity_detection: true, topics: true, summarization: true, wait_until_complete: true },
    answers: { 200: analyzed, 202: processing },
  },
  redactWords: {
    params,
    body: { segments: [{ id: 0, words: [1, 1] }], wait_until_complete: true },
    answers: { 200: transcription, 202: processing },
  },
  deleteTranscript: { params, answers: { 200: { message: 'The transcription is deleted.' } } },
} satisfies Partial<ExamplesOf<typeof transcriptRoutes>>;

const readingExamples = {
  recentTranscripts: {
    query: { limit: 5 },
    answers: {
      200: [
        {
          id: TRANSCRIPT_ID,
          name: 'Planning',
          date: '5 minutes ago',
          status: 'Completed' as const,
          duration: '00:09',
        },
      ],
    },
  },
  listTranscripts: {
    query: {
      page: 1,
      limit: 20,
      status: 'completed' as const,
      sort: 'created_at' as const,
      order: 'desc' as const,
    },
    answers: {
      200: {
        success: true as const,
        data: {
          transcriptions: [
            {
              id: TRANSCRIPT_ID,
              name: 'Planning',
              text: TEXT,
              language: 'en',
              confidence: 0.94,
              duration: 8.6,
              word_count: 16,
              status: 'completed' as const,
              model: 'mini',
              created_at: CREATED,
              completed_at: COMPLETED,
              file_info: { name: 'planning.wav', size: 275_244, format: 'wav' },
              credits_used: 0.15,
            },
          ],
          pagination,
          stats: {
            total_transcriptions: 1,
            total_duration: 8.6,
            total_credits_used: 0.15,
            average_confidence: 0.94,
          },
        },
      },
    },
  },
  getTranscript: { params, answers: { 200: transcription } },
  getSentences: {
    params,
    answers: {
      200: {
        success: true as const,
        data: {
          transcription_id: TRANSCRIPT_ID,
          total_sentences: 1,
          total_duration: 8.6,
          sentences: [
            {
              id: 1,
              text: 'Hello everyone.',
              start: 0.24,
              end: 1.38,
              confidence: 0.97,
              words: [
                { word: 'Hello', start: 0.24, end: 0.66, confidence: 0.98 },
                { word: 'everyone.', start: 0.71, end: 1.38, confidence: 0.96 },
              ],
            },
          ],
          statistics: { average_confidence: 0.97, words_per_minute: 111.6, speaking_rate: 'normal' as const },
        },
      },
    },
  },
  searchTranscripts: {
    query: { q: 'budget march', page: 1, limit: 20 },
    answers: {
      200: {
        success: true as const,
        data: {
          results: [
            {
              id: TRANSCRIPT_ID,
              name: 'Planning',
              language: 'en',
              created_at: CREATED,
              score: 1.74,
              hits: [
                {
                  segment_id: 1,
                  start: 1.9,
                  end: 5.02,
                  snippet: 'The budget for March is 4,000 euros.',
                  marks: [[4, 10] as [number, number], [15, 20] as [number, number]],
                },
              ],
            },
          ],
          pagination,
        },
      },
    },
  },
  exportTranscript: {
    params,
    query: { format: 'srt' as const, max_chars: 42 },
    texts: {
      'application/x-subrip':
        '1\n00:00:00,240 --> 00:00:01,380\nHello everyone.\n\n2\n00:00:01,900 --> 00:00:05,020\nThe budget for March is 4,000 euros.\n',
    },
  },
  transcriptAudio: { params, headers: { Range: 'bytes=0-1023' } },
  transcriptAudioUrl: {
    params,
    answers: {
      200: {
        success: true as const,
        data: {
          url: `${BASE_URL}/v1/transcript/id/${TRANSCRIPT_ID}/audio?expires=1795197900&signature=${PLACEHOLDERS.signature}`,
          expires_at: '2026-11-20T18:45:00.000Z',
        },
      },
    },
  },
  getSubtitles: {
    params,
    query: { from: 0, to: 2 },
    answers: {
      200: {
        success: true as const,
        data: {
          subtitles: [
            {
              start: 0.24,
              end: 1.82,
              lines: ['Hello everyone.'],
              speaker_id: null,
              first: { segment: 0, word: 0 },
              last: { segment: 0, word: 1 },
            },
          ],
        },
      },
    },
  },
  transcriptPeaks: {
    params,
    query: { per_second: 2 },
    answers: {
      200: {
        success: true as const,
        data: { per_second: 2, duration: 1.5, min: [-0.4, -0.52, -0.1], max: [0.38, 0.5, 0.12] },
      },
    },
  },
} satisfies Partial<ExamplesOf<typeof transcriptRoutes>>;

const SPOKEN = SEGMENTS.map((segment, index) => ({ ...segment, speaker_id: index === 1 ? 'B' : 'A' }));

/** Two speakers, and what people changed about them. */
const edited = (
  undo: number | null,
  redo: number | null = null,
  change: Partial<z.input<typeof Transcription>> = {},
): z.input<typeof Transcription> => {
  const edit = (id: number | null) =>
    id === null ? null : { id, kind: 'speakers' as const, created_at: COMPLETED };
  return {
    ...transcription,
    segments: SPOKEN,
    speakers: {
      A: { name: 'Maria', talk_seconds: 3.83, share: 0.551 },
      B: { name: 'Speaker B', talk_seconds: 3.12, share: 0.449 },
    },
    edits: { undo: edit(undo), redo: edit(redo) },
    ...change,
  };
};

const marked = { marks: [{ at: 12.5, text: 'Ask about the budget' }] };

const editingExamples = {
  addSpeaker: {
    params,
    body: { name: 'Tom', color: 3 },
    answers: {
      200: edited(1, null, {
        speakers: {
          A: { name: 'Maria', talk_seconds: 6.95, share: 1 },
          B: { name: 'Tom', talk_seconds: 0, share: 0, color: 3 },
        },
        segments: SEGMENTS.map((segment) => ({ ...segment, speaker_id: 'A' })),
      }),
    },
  },
  splitSpeaker: { params, body: { from: 'A', segments: [0] }, answers: { 200: edited(2) } },
  mergeSpeakers: {
    params,
    body: { from: 'B', into: 'A' },
    answers: {
      200: edited(3, null, {
        speakers: { A: { name: 'Maria', talk_seconds: 6.95, share: 1 } },
        segments: SEGMENTS.map((segment) => ({ ...segment, speaker_id: 'A' })),
      }),
    },
  },
  undoEdit: { params, body: {}, answers: { 200: edited(2, 3) } },
  redoEdit: { params, body: {}, answers: { 200: edited(3) } },
  putMarks: {
    params,
    body: marked,
    answers: { 200: { success: true as const, data: marked } },
  },
  forgetEdits: { params, answers: { 200: transcription } },
} satisfies Partial<ExamplesOf<typeof transcriptRoutes>>;

const runningExamples = {
  listDeliveries: { params, answers: { 200: { success: true as const, data: [delivery] } } },
  recentDeliveries: {
    query: { limit: 20 },
    answers: {
      200: {
        success: true as const,
        data: [{ ...delivery, transcript_id: TRANSCRIPT_ID, transcript_name: 'interview.mp3' }],
      },
    },
  },
  testDelivery: {
    params,
    answers: { 200: { success: true as const, data: { ...delivery, type: 'transcript.test' as const } } },
  },
  getQueue: { answers: { 200: queue(true) } },
  pauseQueue: { answers: { 200: queue(true, true) } },
  resumeQueue: { answers: { 200: queue(false) } },
  moveInQueue: { params, body: { position: 1 }, answers: { 200: queue(true, true) } },
} satisfies Partial<ExamplesOf<typeof transcriptRoutes>>;

export const transcriptExamples: ExamplesOf<typeof transcriptRoutes> = {
  ...makingExamples,
  ...readingExamples,
  ...editingExamples,
  ...runningExamples,
};
