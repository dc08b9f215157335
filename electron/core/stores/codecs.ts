import { sql as raw } from 'kysely';
import { z } from 'zod';
import { JOB_ERROR_CODES, type JobErrorCode } from '../../contract/errors.ts';
import { STAGES, type Stage } from '../../contract/job.ts';
import { AnalysisOptions, Mark, TRANSCRIPT_STATUSES, Transcription } from '../../contract/transcript.ts';
import { Vocabulary } from '../../contract/vocabulary.ts';
import { StoredWarning } from '../../contract/warnings.ts';
import { WebhookDelivery } from '../../contract/webhooks.ts';
import { AppError } from '../base/errors.ts';

/** How a value is stored in a text column. */
export type TextCodec<T> = { decode(text: string): T; encode(value: T): string };

/** Undefined, which no column holds, for text that is no JSON. */
const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/**
 * JSON that is validated when it is read: a column is only ever written through the same codec. Throws `internal_error`
 * for what another program wrote, unless the schema catches it.
 */
const json = <T>(schema: z.ZodType<T>): TextCodec<T> => ({
  decode: (text) => {
    const result = schema.safeParse(parseJson(text));
    if (result.success) return result.data;
    throw new AppError(
      'internal_error',
      'A part of this in the database is damaged, so it cannot be read. A backup of the database may still have it.',
      { cause: result.error },
    );
  },
  encode: (value) => JSON.stringify(value),
});

/** The same codec for a column that may be NULL. */
export const nullable = <T>({ decode, encode }: TextCodec<T>) => ({
  decode: (text: string | null): T | null => (text === null ? null : decode(text)),
  encode: (value: T | null): string | null => (value === null ? null : encode(value)),
});

/** A stored file's metadata, as its owner sent it. */
export const FileMetadata = z.record(z.string(), z.json());
export type FileMetadata = Readonly<z.output<typeof FileMetadata>>;

/** Results of the analyses, in the form of the answer; absent if they were not asked for. */
const StoredAnalysis = Transcription.pick({
  topics: true,
  summary: true,
  entities: true,
  content_safety: true,
  key_phrases: true,
  speakers: true,
  redaction_report: true,
  private_data: true,
});
export type StoredAnalysis = z.output<typeof StoredAnalysis>;

/** The part of an analysis that lists show. */
const ListedAnalysis = StoredAnalysis.pick({ topics: true, speakers: true });
export type ListedAnalysis = z.output<typeof ListedAnalysis>;

const PageSource = Transcription.shape.source.unwrap();
/** What a web page said of the recording that was found in it. */
export type PageSource = z.output<typeof PageSource>;

/**
 * Where the recognition of one audio stream continues: everything before `at` is saved as segments. The chunks that
 * follow depend only on the audio from `at` on, so the text is the same as without the interruption.
 */
const StreamCheckpoint = z.object({
  /** Index of the next chunk. */
  chunk: z.number(),
  /** Seconds on the source's timeline. */
  at: z.number(),
  /** Engine crashes by the index of the chunk that was being recognized. */
  crashes: z.record(z.string(), z.number()),
});
export type StreamCheckpoint = z.output<typeof StreamCheckpoint>;

/** Where recognition continues after an interruption. */
const RecognitionCheckpoint = z.object({
  kind: z.literal('recognition'),
  /** Identity of the audio that the chunks were cut from: another source starts over. */
  source: z.string(),
  /** One for each audio stream: a channel, or the whole recording. */
  streams: z.array(StreamCheckpoint).min(1),
  /** Number of saved segments. */
  segments: z.number(),
  language: z.string().nullable(),
  languageConfidence: z.number().nullable(),
  /** The language at the end of what is saved, if it is found out part by part. */
  lastLanguage: z.string().optional(),
  /** Id of the model that made what is saved. */
  model: z.string(),
  /** What happened to speech that a reader should look at; seconds on the source's timeline. */
  notes: z
    .array(
      z.object({
        kind: z.enum(['unrecognized', 'repeated', 'language', 'sure']),
        start: z.number(),
        end: z.number(),
        language: z.string().optional(),
      }),
    )
    .optional(),
  /** How far a second model has recognized the audio again: next chunk, its position, and the next segment. */
  verified: z
    .object({
      chunk: z.number(),
      at: z.number(),
      segments: z.number(),
      /** Where only the second model recognized anything; seconds on the transcript's timeline. */
      missed: z.array(z.number()),
    })
    .optional(),
});
export type RecognitionCheckpoint = z.output<typeof RecognitionCheckpoint>;

/** What a finished transcript goes back to when its reanalysis fails or is cancelled. */
const ReanalysisCheckpoint = z.object({
  kind: z.literal('reanalysis'),
  /** The options in force before. */
  options: AnalysisOptions,
  completedAt: z.number().nullable(),
  /** Whether this reanalysis diarizes. */
  diarize: z.boolean(),
  /** The second from which on it diarizes; absent: all of it. */
  diarizeFrom: z.number().optional(),
  /** The words that a person hides or, where `private` is false, shows again; nothing else is redacted then. */
  chosen: z
    .object({
      segments: z.array(z.object({ id: z.number(), words: z.tuple([z.number(), z.number()]).optional() })),
      private: z.boolean(),
    })
    .optional(),
});
export type ReanalysisCheckpoint = z.output<typeof ReanalysisCheckpoint>;

const Checkpoint = z.discriminatedUnion('kind', [RecognitionCheckpoint, ReanalysisCheckpoint]);
/** The state with which a queued or interrupted job continues. */
export type Checkpoint = z.output<typeof Checkpoint>;

export const optionsCodec = json(AnalysisOptions);
// A damaged value beside the text must not keep the text, or a list, from being shown: it is left out.
export const analysisCodec = json(StoredAnalysis.catch({}));
// A list does not validate the thousands of entities of each long transcript.
export const listedAnalysisCodec = json(ListedAnalysis.catch({}));
export const warningsCodec = json(z.array(StoredWarning).catch([]));
export const pageSourceCodec = json(PageSource);
export const marksCodec = json(z.array(Mark).catch([]));
// A checkpoint that cannot be read starts the job over.
export const checkpointCodec = json(Checkpoint.nullable().catch(null));
export const attemptsCodec = json(WebhookDelivery.shape.attempts.catch([]));
export const metadataCodec = json(FileMetadata.catch({}));
export const corsListCodec = json(z.array(z.string()));

type PackedAlternative = readonly [text: string, model: string, confidence: number];

export type PackedWord = [
  word: string,
  start: number,
  end: number,
  confidence: number,
  speaker: string | null,
  /** Null only if something follows. */
  startsParagraph?: boolean | null,
  alternatives?: readonly PackedAlternative[] | null,
  marks?: PackedMarks,
];

const isPackedAlternative = (value: unknown): value is PackedAlternative =>
  Array.isArray(value) &&
  typeof value[0] === 'string' &&
  typeof value[1] === 'string' &&
  typeof value[2] === 'number';

/** What only some words have. */
type PackedMarks = {
  readonly given?: boolean;
  readonly overlap?: boolean;
  readonly shown?: boolean;
  readonly subtitleStart?: number;
  readonly subtitleEnd?: number;
};

const isPackedMarks = (value: unknown): value is PackedMarks =>
  typeof value === 'object' &&
  value !== null &&
  (!('given' in value) || typeof value.given === 'boolean') &&
  (!('overlap' in value) || typeof value.overlap === 'boolean') &&
  (!('shown' in value) || typeof value.shown === 'boolean') &&
  (!('subtitleStart' in value) || typeof value.subtitleStart === 'number') &&
  (!('subtitleEnd' in value) || typeof value.subtitleEnd === 'number');

const isPackedWord = (value: unknown): value is PackedWord =>
  Array.isArray(value) &&
  typeof value[0] === 'string' &&
  typeof value[1] === 'number' &&
  typeof value[2] === 'number' &&
  typeof value[3] === 'number' &&
  (value[4] === null || typeof value[4] === 'string') &&
  (value[5] == null || typeof value[5] === 'boolean') &&
  (value[6] == null || (Array.isArray(value[6]) && value[6].every(isPackedAlternative))) &&
  (value[7] === undefined || isPackedMarks(value[7]));

// A predicate, because a zod tuple takes three times as long, and a transcript of ten hours has 100,000 words.
const PackedWords = z.custom<PackedWord[]>((value) => Array.isArray(value) && value.every(isPackedWord));
export const wordsCodec = json(PackedWords);

export const vocabularyCodec = json(Vocabulary);

/** The state that undoing or redoing an edit brings back. */
const StoredPatch = z.object({
  /** In order; `at` and `count` are places in the transcript as it is. */
  spans: z.array(
    z.object({
      at: z.int().min(0),
      count: z.int().min(0),
      segments: z.array(
        z.object({
          text: z.string(),
          start: z.number(),
          end: z.number(),
          speaker_id: z.string().nullable(),
          channel: z.int().min(0).optional(),
          language: z.string().optional(),
          words: PackedWords,
        }),
      ),
    }),
  ),
  /** All speakers; null for none, absent if they stay. */
  speakers: Transcription.shape.speakers.unwrap().nullable().optional(),
  /** The name of the recording; absent if it stays. */
  name: z.string().optional(),
  /** Whether the speaker embeddings are those of other labels. */
  forgetsVoices: z.boolean().optional(),
  /** Whether it is part of the edit before it: both are undone and made again together. */
  follows: z.boolean().optional(),
});
export type StoredPatch = z.output<typeof StoredPatch>;
export const patchCodec = json(StoredPatch);

/** How a field of a record is stored. A `?` allows NULL. */
type Column<Name extends string, Stored, T> = {
  readonly name: Name;
  readonly kind: 'text' | 'text?' | 'number' | 'number?';
  decode(stored: Stored): T;
  encode(value: T): Stored;
};

const plain =
  <Stored>(kind: Column<string, Stored, Stored>['kind']) =>
  <Name extends string>(name: Name): Column<Name, Stored, Stored> => ({
    name,
    kind,
    decode: (stored) => stored,
    encode: (value) => value,
  });
const text = plain<string>('text');
const textOrNull = plain<string | null>('text?');
const number = plain<number>('number');
const numberOrNull = plain<number | null>('number?');

const flag = <Name extends string>(name: Name): Column<Name, number, boolean> => ({
  name,
  kind: 'number',
  decode: (stored) => stored !== 0,
  encode: Number,
});

/** One of a few texts. Only this program writes it, so that no other is read. */
const oneOf = <Name extends string, const Values extends readonly string[]>(
  name: Name,
  _values: Values,
): Column<Name, Values[number], Values[number]> => plain<Values[number]>('text')(name);

const coded = <Name extends string, T>(name: Name, { decode, encode }: TextCodec<T>) => ({
  name,
  kind: 'text' as const,
  decode,
  encode,
});
const codedOrNull = <Name extends string, T>(name: Name, codec: TextCodec<T>) => ({
  name,
  kind: 'text?' as const,
  ...nullable(codec),
});

/** A stage that this version does not know reads as `queued`. */
const stageOf = (stored: string | null): Stage => STAGES.find((stage) => stage === stored) ?? 'queued';

/** Every field of a transcript with its column, but for the error, which has three. Times are milliseconds since the epoch. */
const FIELDS = {
  id: text('id'),
  userId: text('user_id'),
  status: oneOf('status', TRANSCRIPT_STATUSES),
  stage: { ...text('stage'), decode: stageOf, encode: (stage: Stage): string => stage },
  /** Of the whole job. */
  percent: number('percent'),
  queueOrder: number('queue_order'),
  /** The run of the program that works on the job; null while it waits. */
  lease: textOrNull('lease'),
  /** Fencing token: counts the claims, so that late writes of an earlier one are dropped. */
  attempt: number('attempt'),
  /** Without its login. */
  audioUrl: text('audio_url'),
  /**
   * The login of `audioUrl` (`user:password`, percent-encoded), which no answer shows; null if there was none. The
   * database empties it when the job ends.
   */
  audioLogin: textOrNull('audio_login'),
  name: text('name'),
  /** False if a better name may replace it, such as the title of a web page. */
  isNameGiven: flag('name_given'),
  /** As asked for. */
  model: text('model'),
  /** The model that ran. */
  modelId: textOrNull('model_id'),
  languageAsked: text('language_asked'),
  language: textOrNull('language'),
  languageConfidence: numberOrNull('language_confidence'),
  timestampStyle: oneOf('timestamp_style', ['segment', 'word']),
  /** Seconds on the source's timeline. */
  audioStartFrom: number('audio_start_from'),
  /** Seconds on the source's timeline; 0 means to the end. */
  audioEndAt: number('audio_end_at'),
  options: coded('options', optionsCodec),
  webhookUrl: textOrNull('webhook_url'),
  webhookSecret: textOrNull('webhook_secret'),
  /** Seconds of audio that were recognized. */
  duration: number('duration'),
  confidence: numberOrNull('confidence'),
  wordCount: number('word_count'),
  text: text('text'),
  preview: text('preview'),
  analysis: coded('analysis', analysisCodec),
  warnings: coded('warnings', warningsCodec),
  checkpoint: codedOrNull('checkpoint', checkpointCodec),
  fileName: textOrNull('file_name'),
  fileSize: numberOrNull('file_size'),
  fileFormat: textOrNull('file_format'),
  /** The stored file that it was made from. */
  fileId: textOrNull('file_id'),
  /** The audio kept with the transcript: a file name in its folder. */
  audioFile: textOrNull('audio_file'),
  /** Seconds on the source's timeline at which the kept audio begins. */
  audioOffset: number('audio_offset'),
  bytesFetched: number('bytes_fetched'),
  creditsUsed: number('credits_used'),
  /** What the job may still cost. Counts against the budget only while `status` is `processing`. */
  creditsReserved: number('credits_reserved'),
  createdAt: number('created_at'),
  startedAt: numberOrNull('started_at'),
  completedAt: numberOrNull('completed_at'),
  /** Consecutive crashes of the program during this job without any progress in between. */
  appCrashes: number('app_crashes'),
  /** What the web page said in which the recording was found. */
  source: codedOrNull('source', pageSourceCodec),
  /** Grows with every update of the row. */
  revision: number('revision'),
  /** How many channels were recognized, each by itself; null if they were mixed, or are not counted yet. */
  channels: numberOrNull('channels'),
  /** In order of time. */
  marks: coded('marks', marksCodec),
};
type Fields = typeof FIELDS;

export const ERROR_COLUMNS = ['error_code', 'error_message', 'error_stage'] as const;
type ErrorRow = Record<(typeof ERROR_COLUMNS)[number], string | null>;

/** A row of the table, by its columns. */
export type TranscriptRow = ErrorRow & {
  [Field in keyof Fields as Fields[Field]['name']]: ReturnType<Fields[Field]['encode']>;
};

type TranscriptError = {
  readonly code: JobErrorCode;
  readonly message: string;
  readonly stage: Stage;
};

type ReadOnly<T> = T extends readonly (infer Item)[] ? readonly Item[] : T;

/** A transcript, which is also its own job in the queue. */
export type Transcript = {
  readonly [Field in keyof Fields]: ReadOnly<ReturnType<Fields[Field]['decode']>>;
} & {
  /** Set only if the status is `failed`. */
  readonly error: TranscriptError | null;
};

/** Fields to change; undefined leaves a field as it is. */
export type TranscriptChange = { readonly [Field in keyof Transcript]?: Transcript[Field] | undefined };

const ENTRIES: readonly (readonly [field: string, Column<string, unknown, unknown>])[] =
  Object.entries(FIELDS);

/** The kinds of all columns, which a test compares with the migrated table. */
export const transcriptKinds = (): Readonly<Record<string, string>> => ({
  ...Object.fromEntries(ENTRIES.map(([, { name, kind }]) => [name, kind])),
  ...Object.fromEntries(ERROR_COLUMNS.map((name) => [name, 'text?'])),
});

/** Null if nothing failed. */
export const decodeError = (row: ErrorRow): TranscriptError | null =>
  row.error_code === null
    ? null
    : {
        code: JOB_ERROR_CODES.find((code) => code === row.error_code) ?? 'internal_error',
        message: row.error_message ?? '',
        stage: stageOf(row.error_stage),
      };

const decodeFields = (entries: typeof ENTRIES, row: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(entries.map(([field, column]) => [field, column.decode(row[column.name])]));

// Each value is what its column decodes, from which the type of the field derives.
export const decodeTranscript = (row: TranscriptRow): Transcript =>
  ({ ...decodeFields(ENTRIES, row), error: decodeError(row) }) as Transcript;

/** Some fields, with the columns to select and the decoding of a row with these. */
export const partOfTranscript = <const Field extends keyof Fields>(fields: readonly Field[]) => {
  const entries = ENTRIES.filter(([field]) => fields.some((each) => each === field));
  return {
    columns: fields.map((field): Fields[Field]['name'] => FIELDS[field].name),
    // As in `decodeTranscript`.
    decode: (row: Pick<TranscriptRow, Fields[Field]['name']>) =>
      decodeFields(entries, row) as Pick<Transcript, Field>,
  };
};

const encodeError = ({ error }: TranscriptChange): Partial<ErrorRow> => {
  if (error === undefined) return {};
  const { code = null, message = null, stage = null } = error ?? {};
  return { error_code: code, error_message: message, error_stage: stage };
};

/** The columns of the changed fields. */
const encodeChange = (change: TranscriptChange): Partial<TranscriptRow> => {
  const values = new Map<string, unknown>(Object.entries(change));
  const columns = ENTRIES.flatMap(([field, column]) => {
    const value = values.get(field);
    return value === undefined ? [] : [[column.name, column.encode(value)]];
  });
  return { ...Object.fromEntries(columns), ...encodeError(change) };
};

/** The columns of an update, which is a new revision. */
export const encodeUpdate = (change: TranscriptChange) => ({
  ...encodeChange(change),
  revision: change.revision ?? raw<number>`revision + 1`,
});

export const encodeTranscript = (transcript: Transcript): TranscriptRow =>
  // A whole transcript sets every column.
  encodeChange(transcript) as TranscriptRow;
