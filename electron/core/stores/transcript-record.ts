import { sql as raw } from 'kysely';
import { JOB_ERROR_CODES, type JobErrorCode } from '../../contract/errors.ts';
import { STAGES, type Stage } from '../../contract/job.ts';
import { TRANSCRIPT_STATUSES } from '../../contract/transcript.ts';
import {
  analysisCodec,
  checkpointCodec,
  marksCodec,
  nullable,
  optionsCodec,
  pageSourceCodec,
  type TextCodec,
  warningsCodec,
} from './codecs.ts';

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

export type TranscriptError = {
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
