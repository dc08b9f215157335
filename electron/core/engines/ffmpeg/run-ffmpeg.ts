import { ChildProcess } from 'node:child_process';
import { PassThrough, type Readable } from 'node:stream';
import fluentFfmpeg from 'fluent-ffmpeg';
import { messageOf } from '../../base/errors.ts';
import { withLimitedMemory } from './memory-limit.ts';
import type { FfmpegTools } from './types.ts';

export type FfmpegCommand = {
  readonly tools: FfmpegTools;
  /** The name after `-i`, or a stream for standard input. */
  readonly input: string | Readable;
  readonly inputOptions: readonly string[];
  readonly outputOptions: readonly string[];
  /** A file, or null for standard output. */
  readonly outputFile: string | null;
  readonly onStderr?: (line: string) => void;
};

export type FfmpegExit = {
  /** null if a signal killed it, or it never started. */
  readonly code: number | null;
  /** The last lines of its standard error. */
  readonly stderr: readonly string[];
  /** Why it could not be started, or null. */
  readonly startError: string | null;
};

export type FfmpegRun = {
  /** Standard output; empty if the output is a file. */
  readonly stdout: Readable;
  /** Resolves when the process has exited; never rejects. */
  readonly exit: Promise<FfmpegExit>;
  /** Sends SIGKILL, which also ends a stopped process, and resolves when it has exited. */
  kill(): Promise<void>;
};

const exitOf = (error: unknown, stderr: string | null | undefined): FfmpegExit => {
  const lines = (stderr ?? '').split('\n').filter((line) => line !== '');
  if (error === null) return { code: 0, stderr: lines, startError: null };
  const message = messageOf(error);
  const code = /exited with code (\d+)/.exec(message)?.[1];
  if (code !== undefined) return { code: Number(code), stderr: lines, startError: null };
  const killed = /killed with signal/.test(message);
  return { code: null, stderr: lines, startError: killed ? null : message };
};

/** The process behind a started command: a private field of fluent-ffmpeg, whose API does not offer what follows. */
const childOf = (run: object): ChildProcess | undefined => {
  const child: unknown = Reflect.get(run, 'ffmpegProc');
  return child instanceof ChildProcess ? child : undefined;
};

/**
 * Calls `listener` if the process cannot be started. fluent-ffmpeg looks for ffmpeg once and caches the answer; if
 * ffmpeg is missing later, or the system cannot fork, its own listener throws an uncaught exception.
 */
const onStartError = (child: ChildProcess, listener: (message: string) => void): void => {
  child.removeAllListeners('error');
  child.on('error', (error) => {
    if (child.pid === undefined) listener(messageOf(error));
  });
};

/**
 * Answers for ffmpeg what fluent-ffmpeg asks before its first run, in two processes of its own: which formats and encoders
 * there are. ffmpeg itself refuses a command that it cannot run.
 */
const skipCapabilities = (run: object, { inputOptions, outputOptions }: FfmpegCommand): void => {
  const formats = [inputOptions, outputOptions].flatMap((options) =>
    options.filter((_, index) => options[index - 1] === '-f'),
  );
  const known = Object.fromEntries(formats.map((format) => [format, { canDemux: true, canMux: true }]));
  type Callback = (error: null, answer: object) => void;
  Reflect.set(run, 'availableFormats', (callback: Callback) => callback(null, known));
  Reflect.set(run, 'availableEncoders', (callback: Callback) => callback(null, {}));
};

/** Discards what a killed process still wrote: fluent-ffmpeg waits for the end of its output, which no one reads. */
const discardOutput = (child: ChildProcess): void => {
  child.stdout?.unpipe();
  child.stdout?.resume();
};

/**
 * Runs ffmpeg through fluent-ffmpeg, which is archived: no other file imports it. Arguments and timeouts are ours
 * (its timer leaks). Output streams stay open until the process has exited, because it reports a stream that
 * closes early as an error.
 */
export const runFfmpeg = (command: FfmpegCommand): FfmpegRun => {
  const stdout = new PassThrough({
    writableHighWaterMark: 128 * 1024,
    // Each read of the pipe as it came: a stream of bytes would copy those that wait into one.
    readableObjectMode: true,
    readableHighWaterMark: 2,
    // With autoDestroy it would emit `close`, on which fluent-ffmpeg kills a process that is still exiting.
    autoDestroy: false,
  });
  const { file, args } = withLimitedMemory({
    file: command.tools.ffmpeg,
    args: ['-hide_banner', '-nostdin', '-nostats', ...command.inputOptions],
  });
  const run = fluentFfmpeg({ stdoutLines: 200 })
    .setFfmpegPath(file)
    .setFfprobePath(command.tools.ffprobe)
    .input(command.input)
    // One by one: of a list it would split those with a space. They come first of all, as the program's name has to.
    .inputOptions(...args)
    .outputOptions([...command.outputOptions]);
  skipCapabilities(run, command);
  let hasStarted = false;
  let isKilled = false;
  const sendKill = (): void => {
    run.kill('SIGKILL');
    const child = childOf(run);
    if (child !== undefined) discardOutput(child);
  };
  const exit = new Promise<FfmpegExit>((resolve) => {
    run.on('start', () => {
      hasStarted = true;
      const child = childOf(run);
      if (child !== undefined) {
        onStartError(child, (startError) => resolve({ code: null, stderr: [], startError }));
      }
      if (isKilled) sendKill();
    });
    run.on('stderr', (line: string) => command.onStderr?.(line));
    run.on('end', (_stdout: unknown, stderr: string | null) => resolve(exitOf(null, stderr)));
    run.on('error', (error: Error, _stdout: unknown, stderr: string | null) =>
      resolve(exitOf(error, stderr)),
    );
  });
  // If nothing was started, nothing else ends the stream that a reader waits for.
  void exit.then(({ startError }) => (startError === null ? undefined : stdout.end()));
  if (command.outputFile === null) {
    run.pipe(stdout);
  } else {
    run.save(command.outputFile);
    stdout.end();
  }
  return {
    stdout,
    exit,
    kill: async () => {
      isKilled = true;
      if (hasStarted) sendKill();
      await exit;
      stdout.destroy();
    },
  };
};
