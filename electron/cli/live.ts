import { type ChildProcess, spawn } from 'node:child_process';
import { rename, writeFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import { type Finalize, SAMPLE_RATES, type ServerMessage } from '../contract/realtime.ts';
import { openRealtime, type RealtimeConnection } from '../contract/realtime-client.ts';
import { formatClock } from '../core/base/time.ts';
import { type Connection, withConnection } from './connect.ts';
import { oneOf, type ServerOptions, UsageError } from './environment.ts';
import { withServerOptions } from './serve.ts';
import { printable, printMessage, printResult, StatusLine, style } from './terminal.ts';

type LiveOptions = ServerOptions & {
  device?: string;
  sampleRate: number;
  model?: string;
  language?: string;
  speakers?: boolean;
  finalize?: Finalize;
  captions?: string;
  json?: boolean;
};

type Ended = Extract<ServerMessage, { type: 'session.ended' }>;

/** Bytes that may wait to be sent before the source has to wait, too. */
const MAX_BUFFERED_BYTES = 256 * 1024;
const MICROPHONE_RATE = 16_000;

const parseRate = (text: string): number => {
  const rate = Number(text);
  if (Number.isInteger(rate) && rate >= SAMPLE_RATES.min && rate <= SAMPLE_RATES.max) return rate;
  throw new UsageError(
    `--sample-rate ${text}: write a number from ${SAMPLE_RATES.min} to ${SAMPLE_RATES.max}.`,
  );
};

/** ffmpeg's input for a microphone of this system. */
export const microphoneInput = (platform: NodeJS.Platform, device: string | undefined): readonly string[] => {
  if (platform === 'darwin') return ['-f', 'avfoundation', '-i', `:${device ?? 'default'}`];
  if (platform !== 'win32') return ['-f', 'pulse', '-i', device ?? 'default'];
  if (device !== undefined) return ['-f', 'dshow', '-i', `audio=${device}`];
  throw new UsageError(
    'Name the microphone with --device. This lists them: ffmpeg -list_devices true -f dshow -i dummy',
  );
};

type Source = {
  readonly samples: Readable;
  readonly rate: number;
  /** Why the source ended by itself; undefined for its regular end. */
  readonly failure: () => string | undefined;
  readonly stop: () => void;
};

const openMicrophone = (device: string | undefined): Source => {
  const args = ['-nostdin', '-v', 'error', ...microphoneInput(process.platform, device)];
  const output = ['-ac', '1', '-ar', String(MICROPHONE_RATE), '-f', 's16le', '-'];
  const child: ChildProcess = spawn(process.env.FFMPEG_PATH || 'ffmpeg', [...args, ...output], {
    stdio: ['ignore', 'pipe', 'pipe'],
    // Ctrl-C ends the session, which hears the rest first.
    detached: true,
  });
  const { stdout, stderr } = child;
  if (stdout === null || stderr === null) throw new Error('ffmpeg has no output to read.');
  let errors = '';
  let isStopped = false;
  stderr.on('data', (bytes: Buffer) => {
    errors = `${errors}${bytes.toString()}`.slice(-500);
  });
  child.once('error', (error) => {
    errors = error.message;
    stdout.destroy();
  });
  return {
    samples: stdout,
    rate: MICROPHONE_RATE,
    failure: () => (isStopped || errors === '' ? undefined : errors.trim().split('\n').at(-1)),
    stop: () => {
      isStopped = true;
      child.kill('SIGTERM');
    },
  };
};

const sourceOf = ({ device, sampleRate }: LiveOptions): Source =>
  device === '-'
    ? {
        samples: process.stdin,
        rate: sampleRate,
        failure: () => undefined,
        stop: () => process.stdin.destroy(),
      }
    : openMicrophone(device);

/** Shows what is said: committed words on stdout, as they come; tentative ones in the line of progress. */
class LiveOutput {
  readonly #status = new StatusLine();
  readonly #isJson: boolean;
  #hasText = false;

  constructor(isJson: boolean) {
    this.#isJson = isJson;
  }

  show(message: ServerMessage): void {
    if (this.#isJson) void printResult(`${JSON.stringify(message)}\n`);
    else if (message.type === 'words.committed') this.#write(message.words.map(({ word }) => word).join(' '));
    else if (message.type === 'words.tentative' && process.stdout.isTTY && message.words.length > 0)
      this.#status.show(
        'tentative',
        style('dim', printable(message.words.map(({ word }) => word).join(' '))),
      );
    else if (message.type === 'turn.ended') this.#endLine();
    else if (message.type === 'notice') {
      this.#endLine();
      printMessage(style('yellow', message.message));
    }
  }

  #write(text: string): void {
    this.#status.clear();
    void printResult(`${this.#hasText ? ' ' : ''}${printable(text)}`);
    this.#hasText = true;
  }

  #endLine(): void {
    this.#status.clear();
    if (this.#hasText) void printResult('\n');
    this.#hasText = false;
  }
}

/** Writes the subtitles so far, whole at any moment. */
const writeCaptions = async ({ client }: Connection, id: string, path: string): Promise<void> => {
  const response = await client.send('realtimeCaptions', { params: { id }, query: {} });
  await writeFile(`${path}.part`, await response.text());
  await rename(`${path}.part`, path);
};

/** Follows a session until its end. */
class LiveRun {
  readonly #connection: Connection;
  readonly #options: LiveOptions;
  readonly #source: Source;
  readonly #output: LiveOutput;
  readonly #started = Promise.withResolvers<void>();
  readonly #done = Promise.withResolvers<Ended | undefined>();
  #id = '';
  #problem = '';
  #isCaptionDue = false;
  #captions: Promise<void> = Promise.resolve();

  constructor(connection: Connection, options: LiveOptions, source: Source) {
    this.#connection = connection;
    this.#options = options;
    this.#source = source;
    this.#output = new LiveOutput(options.json === true);
  }

  /** Undefined where the connection was lost before the end. */
  async run(): Promise<Ended | undefined> {
    const { model, language, speakers, finalize } = this.#options;
    const { client, url } = this.#connection;
    const live = await openRealtime(client, url, {
      onMessage: (message) => this.#onMessage(message),
      onClose: (_code, reason) => {
        this.#problem ||= reason;
        this.#source.stop();
        this.#started.resolve();
        this.#done.resolve(undefined);
      },
    });
    live.send({
      type: 'start',
      sample_rate: this.#source.rate,
      ...(model === undefined ? {} : { model }),
      ...(language === undefined ? {} : { language }),
      ...(speakers === true ? { diarize: true } : {}),
      ...(finalize === undefined ? {} : { finalize }),
    });
    await this.#started.promise;
    const stop = () => this.#source.stop();
    process.once('SIGINT', stop);
    try {
      await this.#speak(live);
      const ended = await this.#done.promise;
      await this.#captions;
      return ended;
    } finally {
      process.off('SIGINT', stop);
      live.close();
    }
  }

  get problem(): string {
    return this.#problem;
  }

  async #speak(live: RealtimeConnection): Promise<void> {
    try {
      for await (const bytes of this.#source.samples) {
        live.sendAudio(Uint8Array.from(bytes));
        while (live.bufferedBytes > MAX_BUFFERED_BYTES) await delay(50);
      }
    } catch (error) {
      // Stopped by Ctrl-C.
      if (!this.#source.samples.destroyed) throw error;
    }
    live.send({ type: 'finish' });
  }

  #onMessage(message: ServerMessage): void {
    this.#output.show(message);
    if (message.type === 'session.started') {
      this.#id = message.session_id;
      this.#started.resolve();
    } else if (message.type === 'error') this.#problem = message.message;
    else if (message.type === 'words.committed') this.#isCaptionDue = true;
    else if (message.type === 'audio.saved') this.#updateCaptions();
    else if (message.type === 'session.ended') {
      this.#updateCaptions();
      this.#done.resolve(message);
    }
  }

  #updateCaptions(): void {
    const { captions } = this.#options;
    if (captions === undefined || !this.#isCaptionDue) return;
    this.#isCaptionDue = false;
    this.#captions = this.#captions
      .then(() => writeCaptions(this.#connection, this.#id, captions))
      .catch(() => printMessage(style('yellow', `${printable(captions)} could not be written.`)));
  }
}

const sayKept = ({ session_id, duration, finalize, kept }: Ended, isOwn: boolean): void => {
  if (!kept) {
    printMessage('No audio came, so nothing is kept.');
    return;
  }
  const later = isOwn ? 'at the next start of Earshot' : 'now';
  const rest = finalize === 'none' ? 'with the live text' : `and is heard again ${later}`;
  printMessage(`Kept: ${formatClock(duration)} of audio as ${session_id}, ${rest}.`);
};

const live = async (options: LiveOptions): Promise<void> => {
  await withConnection(options, async (connection) => {
    const source = sourceOf(options);
    const run = new LiveRun(connection, options, source);
    printMessage(style('dim', options.device === '-' ? 'Listening to stdin.' : 'Listening. Ctrl-C ends.'));
    const ended = await run.run();
    const failure = source.failure();
    if (failure !== undefined) printMessage(style('red', `The microphone stopped: ${printable(failure)}`));
    if (ended !== undefined) sayKept(ended, connection.isOwn);
    else
      printMessage(
        style('red', printable(run.problem || 'The service ended. What was said until then is kept.')),
      );
    if (ended === undefined || failure !== undefined) process.exitCode = 1;
  });
};

export const addLive = (program: Command): void => {
  withServerOptions(program.command('live'))
    .description('text while you speak, from the microphone or from raw PCM on stdin')
    .option('--device <name>', 'a microphone as ffmpeg names it, or - for 16-bit mono PCM on stdin')
    .option('--sample-rate <hertz>', 'of the PCM on stdin', parseRate, MICROPHONE_RATE)
    .option('-m, --model <name>', 'nano, mini, pro, or the id of an installed model')
    .option('-l, --language <code>', 'a language code, or auto')
    .option('--speakers', 'find who speaks when, at the end')
    .option(
      '--finalize <how>',
      'batch: hear it again at the end (default); none: keep the live text',
      oneOf('--finalize', ['batch', 'none']),
    )
    .option('--captions <file.vtt>', 'keep a subtitle file up to date')
    .option('--json', 'print every message of the session as a line of JSON')
    .action(live);
};
