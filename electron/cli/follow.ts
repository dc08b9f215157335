import type { Client } from '../contract/client.ts';
import { readMessages } from '../contract/event-stream.ts';
import { parseServerEvent, type ServerEvent } from '../contract/events.ts';
import { ApiError } from '../contract/http-client.ts';
import type { Progress, Stage } from '../contract/job.ts';
import type { Transcription } from '../contract/transcript.ts';
import { formatClock } from '../core/base/time.ts';
import type { Connection } from './connect.ts';
import { bar, formatEstimate, printMessage, StatusLine, style } from './terminal.ts';

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
export const followOrCancel: typeof follow = async (connection, id, name, signal) => {
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
