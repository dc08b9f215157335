import { z } from 'zod';
import { Probability, Seconds, Timestamp, TranscriptId } from './common.ts';
import { AnalysisOptions, CreateTranscript } from './transcript.ts';

const {
  translate,
  prompt,
  vocabulary,
  chinese_script,
  expected_languages,
  word_times,
  custom_spelling,
  diarize,
  speakers_expected,
  min_speakers,
  max_speakers,
  known_speakers,
  content_safety,
  entity_detection,
  entity_types,
  topics,
  summarization,
  summary_language,
  summary_type,
} = AnalysisOptions.shape;
const { model, language, name, webhook_url, webhook_secret } = CreateTranscript.shape;

/** What a live session has in common with the transcription of a file. */
const TRANSCRIPT_OPTIONS = {
  ...{ model, language, name, webhook_url, webhook_secret },
  ...{ translate, prompt, vocabulary, chinese_script, expected_languages, word_times, custom_spelling },
  ...{ diarize, speakers_expected, min_speakers, max_speakers, known_speakers },
  ...{ content_safety, entity_detection, entity_types, topics },
  ...{ summarization, summary_language, summary_type },
};

export const SAMPLE_RATES = { min: 8000, max: 192_000 } as const;
export const PCM_ENCODINGS = ['pcm_s16le', 'pcm_f32le'] as const;
export type PcmEncoding = (typeof PCM_ENCODINGS)[number];
/** Bytes of a sample. */
export const PCM_BYTES: Readonly<Record<PcmEncoding, number>> = { pcm_s16le: 2, pcm_f32le: 4 };

/** `audio_url` of a transcription that was spoken live. */
export const LIVE_URL = 'live:';
/** A message may have at most so many bytes. */
export const MAX_MESSAGE_BYTES = 1024 * 1024;
/** How long a session waits for audio, and for its client to come back; seconds. */
export const SILENT_CLIENT_SECONDS = 60;
export const RECONNECT_SECONDS = 60;

export const Finalize = z
  .enum(['batch', 'none'])
  .describe(
    'What follows the end. `batch`: the audio is recognized again as a file is; that text replaces the live one, and words that differ carry the live ones as `alternatives`. `none`: the live text stays.',
  );
export type Finalize = z.output<typeof Finalize>;

const StartMessage = z.strictObject({
  type: z.literal('start'),
  ...TRANSCRIPT_OPTIONS,
  sample_rate: z
    .int()
    .min(SAMPLE_RATES.min)
    .max(SAMPLE_RATES.max)
    .default(16_000)
    .describe('Samples per second of the audio that you send, one channel.'),
  encoding: z.enum(PCM_ENCODINGS).default('pcm_s16le').describe('Of the binary messages.'),
  pause: z.number().min(0.2).max(10).default(0.7).describe('Seconds of silence that end a turn.'),
  finalize: Finalize.default('batch'),
});

/** What a client sends as text; audio is sent as binary messages. */
export const ClientMessage = z.discriminatedUnion('type', [
  StartMessage.meta({ title: 'start', description: 'Opens a session. The first message.' }),
  z
    .strictObject({
      type: z.literal('reconnect'),
      session_id: TranscriptId,
      after: z.int().min(0).default(0).describe('The highest `seq` that you received.'),
    })
    .meta({
      title: 'reconnect',
      description:
        'Takes a session up again whose connection was lost; in place of `start`. Events after `after` are sent again.',
    }),
  z
    .strictObject({ type: z.literal('pause') })
    .meta({ title: 'pause', description: 'Ends the turn. No audio is expected until `resume`.' }),
  z.strictObject({ type: z.literal('resume') }).meta({ title: 'resume', description: 'Goes on.' }),
  z
    .strictObject({ type: z.literal('flush') })
    .meta({ title: 'flush', description: 'Ends the turn here, without waiting for a pause.' }),
  z.strictObject({ type: z.literal('finish') }).meta({
    title: 'finish',
    description: 'Ends the session: all audio until here is recognized, then `session.ended` follows.',
  }),
]);
export type ClientMessage = z.output<typeof ClientMessage>;
export type ClientMessageInput = z.input<typeof ClientMessage>;
export type StartMessage = z.output<typeof StartMessage>;
/** What a client chooses for a session, beside how its audio is encoded. */
export type LiveOptions = Omit<z.input<typeof StartMessage>, 'type' | 'sample_rate' | 'encoding'>;

const RealtimeWord = z
  .object({
    word: z.string(),
    start: Seconds.describe('From the beginning of the audio.'),
    end: Seconds,
    confidence: Probability,
    language: z.string().nullable(),
  })
  .meta({ id: 'RealtimeWord' });
export type RealtimeWord = z.output<typeof RealtimeWord>;

const words = z.array(RealtimeWord);
const seq = z.int().min(1).describe('Grows by one with each of the events that have it.');
const samples = z.int().min(0);

const session = {
  session_id: TranscriptId.describe('Also the id of the transcription.'),
  sample_rate: z.int(),
  received: samples.describe('Samples that the server has: send on from here.'),
};

export const NOTICES = ['behind', 'caught_up', 'skipped', 'recognition_failed'] as const;

/** What the server sends. Clients ignore types that they do not know. */
export const ServerMessage = z.discriminatedUnion('type', [
  z
    .object({
      type: z.literal('session.started'),
      ...session,
      model_id: z.string().describe('The model that hears.'),
      created_at: Timestamp,
    })
    .meta({ title: 'session.started', description: 'Audio may be sent.' }),
  z.object({ type: z.literal('session.reconnected'), ...session }).meta({
    title: 'session.reconnected',
    description: 'The session goes on; the events that you missed follow.',
  }),
  z
    .object({ type: z.literal('speech.started'), seq, start: Seconds })
    .meta({ title: 'speech.started', description: 'Somebody begins to speak: a turn opens.' }),
  z.object({ type: z.literal('words.tentative'), words }).meta({
    title: 'words.tentative',
    description:
      'All that is heard behind the committed words. It replaces the tentative words before, and may still change.',
  }),
  z.object({ type: z.literal('words.committed'), seq, words }).meta({
    title: 'words.committed',
    description: 'They follow the committed words before, and never change in this session.',
  }),
  z
    .object({
      type: z.literal('turn.ended'),
      seq,
      turn: z.int().min(0),
      start: Seconds,
      end: Seconds,
      text: z.string(),
      language: z.string().nullable(),
      words,
    })
    .meta({ title: 'turn.ended', description: 'A pause followed; all words of the turn are committed.' }),
  z.object({ type: z.literal('audio.saved'), samples }).meta({
    title: 'audio.saved',
    description:
      'So many samples of yours are on the disk, with the words that are committed. Keep what follows until it is, too, for a reconnection.',
  }),
  z.object({ type: z.literal('notice'), code: z.enum(NOTICES), message: z.string() }).meta({
    title: 'notice',
    description:
      'Something to know about the live text. No audio is lost: the transcription of the whole audio follows at the end.',
  }),
  z
    .object({
      type: z.literal('session.ended'),
      seq,
      session_id: TranscriptId,
      duration: Seconds,
      finalize: Finalize,
      reason: z
        .enum(['finished', 'silent', 'disconnected', 'shutting_down', 'cancelled', 'too_long'])
        .describe('What ended it.'),
      kept: z.boolean().describe('Whether there is a transcription: not if no audio came.'),
    })
    .meta({
      title: 'session.ended',
      description: 'Nothing follows. `GET /v1/transcript/id/{id}` has the transcription.',
    }),
  z
    .object({ type: z.literal('error'), code: z.string(), message: z.string() })
    .meta({ title: 'error', description: 'What was wrong; the connection is closed, the session is kept.' }),
]);
export type ServerMessage = z.output<typeof ServerMessage>;

/** Why the server closes a connection. */
export const CLOSE_CODES = {
  finished: 1000,
  shutting_down: 1001,
  invalid_message: 1007,
  policy: 1008,
  too_large: 1009,
  internal_error: 1011,
  unauthorized: 4401,
  not_found: 4404,
  silent: 4408,
  replaced: 4409,
  too_many: 4429,
} as const;
export type CloseReason = keyof typeof CLOSE_CODES;

export const RealtimeToken = z
  .object({ token: z.string(), expires_at: Timestamp })
  .meta({ id: 'RealtimeToken' });
export const CreateRealtimeToken = z.strictObject({
  expires_in_seconds: z
    .int()
    .min(1)
    .max(43_200)
    .default(60)
    .describe('How long a connection may be opened with it. An open connection stays.'),
});
