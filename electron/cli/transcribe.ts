import { stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Command } from 'commander';
import {
  PII_SUBSTITUTIONS,
  type PiiSubstitution,
  REDACT_SOURCES,
  type RedactSource,
} from '../contract/analysis.ts';
import type { Client } from '../contract/client.ts';
import { readMessages } from '../contract/event-stream.ts';
import { parseServerEvent, type ServerEvent } from '../contract/events.ts';
import { ApiError } from '../contract/http-client.ts';
import type { Progress, Stage } from '../contract/job.ts';
import { WORD_TIMES, type WordTimes } from '../contract/recognition.ts';
import type { Segment } from '../contract/segments.ts';
import type { Transcription } from '../contract/transcript.ts';
import type { VocabularyEntry } from '../contract/vocabulary.ts';
import { messageOf } from '../core/base/errors.ts';
import { formatBytes } from '../core/base/numbers.ts';
import { formatClock } from '../core/base/time.ts';
import { type Connection, connect, isLostConnection } from './connect.ts';
import { oneOf, PROGRAM, type ServerOptions, UsageError } from './environment.ts';
import {
  checkOutput,
  checkTogether,
  FORMATS,
  type Format,
  joinResults,
  render,
  type Write,
  writeOutput,
} from './results.ts';
import { withServerOptions } from './serve.ts';
import { bar, formatEstimate, printable, printMessage, StatusLine, style } from './terminal.ts';
import { readVocabulary } from './transcript-commands.ts';
import { pathOnDisk, uploadFile } from './upload.ts';

const STAGE_NAMES: Readonly<Record<Stage, string>> = {
  queued: 'Waiting',
  listening: 'Listening',
  downloading: 'Downloading',
  downloading_model: 'Downloading the model',
  decoding: 'Reading',
  transcribing: 'Transcribing',
  verifying: 'Checking with the second model',
  diarizing: 'Finding who speaks when',
  analyzing: 'Finishing',
};

/** Below, there is no room for a bar. */
const MIN_COLUMNS = 80;

/** What a terminal of so many columns shows of a progress: what matters most first, because the rest may be cut off. */
export const progressLine = (
  name: string,
  { stage, percent, speed, eta_seconds }: Progress,
  columns: number,
): string => {
  const isRecognition = stage === 'transcribing' || stage === 'verifying';
  const facts = [
    ...(eta_seconds === null ? [] : [`${formatEstimate(eta_seconds)} left`]),
    ...(speed === null || !isRecognition ? [] : [`${speed.toFixed(1)}× real time`]),
  ].join(' · ');
  const share = `${Math.floor(percent)} %`.padStart(5);
  const isNarrow = columns < MIN_COLUMNS;
  const parts = isNarrow
    ? [share, STAGE_NAMES[stage], facts, name]
    : [bar(percent), share, `${STAGE_NAMES[stage]} ${style('bold', name)}`, style('dim', facts)];
  return parts.filter((part) => part !== '').join('  ');
};

const show = (line: StatusLine, name: string, progress: Progress): void => {
  const { isTTY, columns = MIN_COLUMNS } = process.stderr;
  const text = isTTY ? progressLine(name, progress, columns) : `${STAGE_NAMES[progress.stage]} ${name}`;
  line.show(progress.stage, text);
};

/** Yields the server's events until the signal fires or the stream ends. Skips unknown types. */
async function* readEvents(client: Client, signal: AbortSignal): AsyncGenerator<ServerEvent> {
  const { body } = await client.send('events', { signal });
  if (body === null) return;
  for await (const { event: type, data } of readMessages(body)) {
    const event = parseServerEvent(type, data);
    if (event !== undefined) yield event;
  }
}

const isEndOf = (event: ServerEvent, id: string): boolean =>
  (event.type === 'transcript.completed' || event.type === 'transcript.failed') && event.transcript.id === id;

/** Shows the progress of a transcription until it has ended. */
const follow = async (
  { client }: Connection,
  id: string,
  name: string,
  signal: AbortSignal,
): Promise<Transcription> => {
  const line = new StatusLine();
  const controller = new AbortController();
  const events = readEvents(client, AbortSignal.any([signal, controller.signal]));
  try {
    for await (const event of events) {
      if (event.type === 'snapshot') {
        const running = event.processing.find((transcript) => transcript.id === id);
        if (running?.progress === undefined) break;
        show(line, name, running.progress);
      }
      if (event.type === 'transcript.progress' && event.id === id) {
        show(line, name, event.progress);
      }
      if (isEndOf(event, id)) break;
    }
    return await client.call('getTranscript', { params: { id }, signal });
  } finally {
    line.clear();
    controller.abort();
  }
};

/** Cancels the transcription if the person does not wait for its end: else the next service would go on with it. */
const followOrCancel: typeof follow = async (connection, id, name, signal) => {
  try {
    return await follow(connection, id, name, signal);
  } catch (error) {
    if (signal.aborted) await cancelAndTell(connection, id, name);
    throw error;
  }
};

const cancelAndTell = async (connection: Connection, id: string, name: string): Promise<void> => {
  await cancelIfRunning(connection, id);
  const { segments } = await connection.client.call('getTranscript', { params: { id } });
  const last = segments.at(-1);
  const kept =
    last === undefined
      ? 'No text of it is kept.'
      : `Its text up to ${formatClock(last.end)} is kept: \`earshot transcripts export ${id}\` writes it.`;
  printMessage(`Interrupted: ${name} was canceled. ${kept}`);
};

const cancelIfRunning = async ({ client }: Connection, id: string): Promise<void> => {
  try {
    await client.call('cancelTranscript', { params: { id } });
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'not_cancellable') throw error;
  }
};

/** Fields of the API as options of `earshot transcribe`. */
const OPTIONS: Readonly<Record<string, string>> = {
  audio_url: 'the recording',
  audio_start_from: '--from',
  audio_end_at: '--to',
  language: '--language',
  model: '--model',
  multichannel: '--multichannel',
  redact_names: '--no-redact-names',
  redact_pii: '--redact',
  redact_pii_sub: '--redact',
  redact_source: '--redact-source',
  diarize: '--speakers',
  speakers_expected: '--speakers',
  verify_with: '--verify-with',
  vocabulary: '--vocabulary',
  word_times: '--word-times',
};

/** What the service says, with the commands that there are for its addresses. */
export const inCommands = (message: string): string =>
  message.replace(/^The request is not valid: /, '').replaceAll('GET /v1/models', '`earshot models list`');

/** What the service says about a request, in the words of the command line. */
const inOptions = (message: string): string =>
  inCommands(message)
    .replace(/^\w+(?=[.:])/, (field) => OPTIONS[field] ?? field)
    .replaceAll(/\b[a-z]+(?:_[a-z]+)+\b/g, (field) => OPTIONS[field] ?? field);

type Failure = { readonly code?: string | undefined; readonly message: string };

/** Why a recording could not be transcribed, in the words of the command line; about a full disk, which one and how full. */
const explainFailure = async (client: Client, { code, message }: Failure): Promise<string> => {
  if (code === 'invalid_request') return inOptions(message);
  if (code !== 'disk_full') return message;
  const { data } = await client.call('system');
  return `${message} ${data.data_dir} is on that disk, which has ${formatBytes(data.disk_free)} free.`;
};

/** The error with its explanation, of the same kind. */
const explained = async (client: Client, error: unknown): Promise<unknown> => {
  if (!(error instanceof ApiError)) return error;
  const { status, code, details, requestId } = error;
  const message = await explainFailure(client, { code, message: messageOf(error) });
  return new ApiError(status, { error: message, code, details, request_id: requestId });
};

type TranscribeOptions = ServerOptions & {
  model?: string;
  language?: string;
  verifyWith?: string;
  wordTimes?: WordTimes;
  multichannel?: boolean;
  speakers?: true | number;
  from?: number;
  to?: number;
  vocabulary?: VocabularyEntry[];
  redact?: boolean | PiiSubstitution;
  redactNames?: boolean;
  redactSource?: RedactSource;
  format?: Format;
  output?: string;
};

/** Parses `90`, `1:30` and `1:02:03` to seconds. */
const parseSeconds = (text: string): number => {
  const parts = text.split(':').map(Number);
  if (parts.length > 3 || parts.some((part) => !Number.isFinite(part) || part < 0)) {
    throw new UsageError(`"${text}" is not a time: write seconds, M:SS or H:MM:SS.`);
  }
  return parts.reduce((sum, part) => sum * 60 + part, 0);
};

const MAX_SPEAKERS = 32;

const parseSpeakers = (text: string): number => {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1 || count > MAX_SPEAKERS) {
    throw new UsageError(`--speakers ${text}: write a whole number from 1 to ${MAX_SPEAKERS}, or none.`);
  }
  return count;
};

const diarizationOf = ({ speakers }: TranscribeOptions) =>
  speakers === undefined
    ? {}
    : { diarize: true, ...(speakers === true ? {} : { speakers_expected: speakers }) };

const redactionOf = ({ redact, redactNames, redactSource }: TranscribeOptions) => {
  if (redact === undefined) {
    if (redactSource === undefined && redactNames !== false) return {};
    throw new UsageError('--redact-source and --no-redact-names go with --redact.');
  }
  return {
    redact_pii: true,
    ...(redact === true || redact === false ? {} : { redact_pii_sub: redact }),
    ...(redactNames === false ? { redact_names: false } : {}),
    ...(redactSource === undefined ? {} : { redact_source: redactSource }),
  };
};

const isUrl = (source: string): boolean => /^(https?:\/\/|storage:)/.test(source);

const nameOf = (source: string): string => printable(isUrl(source) ? source : basename(source));

type Uploaded = { audioUrl: string; key?: string };

const upload = async ({ client }: Connection, path: string): Promise<Uploaded> => {
  const key = await uploadFile(client, path, 'command-line');
  return { audioUrl: `storage:${key}`, key };
};

/** Deletes an upload, which the service has deleted already after a redaction with `--redact-source delete`. */
const deleteUpload = async (client: Client, fileKey: string): Promise<void> => {
  try {
    await client.call('deleteFile', { params: { fileKey } });
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'file_not_found')) throw error;
  }
};

const checkFile = async (path: string): Promise<void> => {
  const found = await stat(await pathOnDisk(path)).catch(() => undefined);
  if (found === undefined) throw new UsageError(`${path}: there is no such file.`);
  if (!found.isFile()) throw new UsageError(`${path}: this is not a file.`);
};

/** The places where a second model recognized something else: words with alternatives that follow one another are one. */
const countDifferences = (segments: readonly Segment[]): number =>
  segments
    .flatMap(({ words = [] }) => words.map(({ alternatives }) => alternatives !== undefined))
    .filter((differs, index, all) => differs && all[index - 1] !== true).length;

/** "language en", or "languages en 62 %, de 38 %". */
const languageFact = ({ language, languages }: Transcription): string =>
  languages.length > 1
    ? `languages ${languages.map((each) => `${each.language} ${Math.round(100 * each.share)} %`).join(', ')}`
    : `language ${language ?? 'unknown'}`;

const summaryLine = (
  transcript: Transcription,
  milliseconds: number,
  verifier: string | undefined,
): string => {
  const speed = transcript.duration / (milliseconds / 1000);
  return [
    formatClock(transcript.duration),
    `${transcript.word_count} words`,
    languageFact(transcript),
    `model ${transcript.model_id}`,
    ...(verifier === undefined
      ? []
      : [`${countDifferences(transcript.segments)} places differ from ${verifier}`]),
    `${speed.toFixed(1)}× real time`,
  ].join(' · ');
};

/** Writes the text; if that fails, says how to have it again. */
const deliver = async (
  client: Client,
  transcript: Transcription,
  { format = 'times' }: TranscribeOptions,
  write: (body: string | Uint8Array) => Promise<void>,
): Promise<void> => {
  try {
    await write(await render(client, transcript, format));
  } catch (error) {
    if (isLostConnection(error)) throw error;
    throw new Error(
      `${messageOf(error).replace(/\.?$/, '.')} The text is kept: \`earshot transcripts export ${transcript.id} -f ${format} -o FILE\` writes it.`,
      { cause: error },
    );
  }
};

/** What the recordings of a command have in common. */
type Run = {
  readonly connection: Connection;
  readonly options: TranscribeOptions;
  readonly signal: AbortSignal;
  readonly write: Write;
  /** Warnings that were printed: each is once, however many recordings have it. */
  readonly noted: Set<string>;
};

const bodyOf = (audioUrl: string, options: TranscribeOptions) => ({
  audio_url: audioUrl,
  timestamp_style: 'word' as const,
  ...(options.model === undefined ? {} : { model: options.model }),
  ...(options.language === undefined ? {} : { language: options.language }),
  ...(options.verifyWith === undefined ? {} : { verify_with: options.verifyWith }),
  ...(options.wordTimes === undefined ? {} : { word_times: options.wordTimes }),
  ...diarizationOf(options),
  ...(options.multichannel === true ? { multichannel: true } : {}),
  ...(options.from === undefined ? {} : { audio_start_from: options.from }),
  ...(options.to === undefined ? {} : { audio_end_at: options.to }),
  ...(options.vocabulary?.length ? { vocabulary: options.vocabulary } : {}),
  ...redactionOf(options),
});

const printFailure = (name: string, reason: string): void =>
  printMessage(`${style('red', 'error')}  ${name}: ${printable(reason)}`);

/** Prints the transcript's warnings that no recording before it had. */
const printNotes = ({ warnings }: Transcription, noted: Set<string>): void => {
  for (const warning of warnings) {
    if (!noted.has(warning)) printMessage(`${style('yellow', 'note')}  ${warning}`);
    noted.add(warning);
  }
};

/** False if the transcription fails, which is printed. */
const transcribeSource = async (source: string, run: Run): Promise<boolean> => {
  const { connection, options, signal } = run;
  const { client } = connection;
  const isRemote = isUrl(source);
  const name = nameOf(source);
  const started = performance.now();
  const uploaded: Uploaded = isRemote ? { audioUrl: source } : await upload(connection, source);
  try {
    const created = await client.call('createTranscript', { body: bodyOf(uploaded.audioUrl, options) });
    const ended = await followOrCancel(connection, created.id, name, signal);
    if (ended.status === 'failed') {
      printFailure(name, await explainFailure(client, ended.error ?? { message: 'it failed' }));
      return false;
    }
    printNotes(ended, run.noted);
    await deliver(client, ended, options, (body) => run.write(name, body));
    const summary = summaryLine(ended, performance.now() - started, options.verifyWith);
    printMessage(style('dim', `${name}: ${summary}`));
    return true;
  } finally {
    if (uploaded.key !== undefined) await deleteUpload(client, uploaded.key);
  }
};

const transcribeOne: typeof transcribeSource = async (source, run) => {
  try {
    return await transcribeSource(source, run);
  } catch (error) {
    throw await explained(run.connection.client, error);
  }
};

/** False for a recording that cannot be transcribed, whose error is printed. Throws if no other one can be. */
const transcribeOrReport = async (source: string, run: Run): Promise<boolean> => {
  try {
    return await transcribeOne(source, run);
  } catch (error) {
    if (run.signal.aborted || isLostConnection(error)) throw error;
    printFailure(nameOf(source), messageOf(error));
    return false;
  }
};

/** Transcribes one recording after the other, and says at the end how many, and which are missing. */
const transcribeEach = async (sources: readonly string[], run: Omit<Run, 'write'>): Promise<void> => {
  const { write, end } = joinResults(run.options.format);
  const failed: string[] = [];
  let tried = 0;
  try {
    for (const source of sources) {
      if (!(await transcribeOrReport(source, { ...run, write }))) failed.push(source);
      tried += 1;
    }
  } finally {
    await end();
    const missing = [...failed, ...sources.slice(tried)];
    if (missing.length > 0) process.exitCode = 1;
    const names = missing.length === 0 ? '' : ` Missing: ${missing.map(nameOf).join(', ')}.`;
    printMessage(`${sources.length - missing.length} of ${sources.length} recordings transcribed.${names}`);
  }
};

const transcribeAll = async (given: string[], asked: TranscribeOptions): Promise<void> => {
  const isSample = given.length === 0;
  const sources = isSample ? [join(PROGRAM.resources, 'samples', 'two-readers.mp3')] : given;
  const options = isSample ? { speakers: true as const, ...asked } : asked;
  redactionOf(options);
  for (const source of sources) if (!isUrl(source)) await checkFile(source);
  if (sources.length > 1) checkTogether(options);
  if (options.output !== undefined) await checkOutput(options.output);
  if (isSample) printMessage(style('dim', 'No recording named: transcribing the sample, two readers.'));
  const controller = new AbortController();
  process.once('SIGINT', () => controller.abort(new Error('interrupted')));
  const connection = await connect(options);
  try {
    const [only = '', ...others] = sources;
    const run = { connection, options, signal: controller.signal, noted: new Set<string>() };
    const write: Write = (_name, body) => writeOutput(options.output, body);
    if (others.length > 0) await transcribeEach(sources, run);
    else if (!(await transcribeOne(only, { ...run, write }))) process.exitCode = 1;
  } catch (error) {
    if (!controller.signal.aborted) throw error;
    process.exitCode = 130;
  } finally {
    await connection.close();
  }
};

export const addTranscribe = (program: Command): void => {
  withServerOptions(program.command('transcribe'))
    .argument('[file or URL...]', 'recordings; without any, the bundled sample')
    .description('turn recordings into text with times')
    .option('-m, --model <name>', 'nano, mini, pro, or the id of an installed model')
    .option('-l, --language <code>', 'a language code, or auto')
    .option(
      '--vocabulary <terms>',
      'names and terms that may occur: separated by commas, or a file with one a line',
      readVocabulary,
    )
    .option('--verify-with <name>', 'hear it again with this model and mark the words that differ')
    .option(
      '--word-times <how>',
      'fast: estimated; aligned: found in the sound (default)',
      oneOf('--word-times', WORD_TIMES),
    )
    .option(
      '--speakers [number]',
      'find who speaks when; the number of people, if you know it',
      parseSpeakers,
    )
    .option('--multichannel', 'each audio channel by itself, with a speaker in each (up to 8)')
    .option('--from <time>', 'start here: seconds, M:SS or H:MM:SS', parseSeconds)
    .option('--to <time>', 'end here', parseSeconds)
    .option(
      '--redact [form]',
      `hide private data; one of ${PII_SUBSTITUTIONS.join(', ')} (default hash)`,
      oneOf('--redact', PII_SUBSTITUTIONS),
    )
    .option('--no-redact-names', 'with --redact: leave the name of the recording as it is')
    .option(
      '--redact-source <choice>',
      'with --redact: keep or delete the stored file of `storage:{key}`',
      oneOf('--redact-source', REDACT_SOURCES),
    )
    .option('-f, --format <format>', `one of ${FORMATS.join(', ')}`, oneOf('--format', FORMATS))
    .option('-o, --output <file>', 'write the result to a file instead of stdout')
    .action(transcribeAll);
};
