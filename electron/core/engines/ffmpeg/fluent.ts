import { ChildProcess } from 'node:child_process';
import { PassThrough, type Readable } from 'node:stream';
import fluentFfmpeg from 'fluent-ffmpeg';
import { messageOf } from '../../base/errors.ts';
import type { FfmpegTools } from './types.ts';

export type FfmpegCommand = {
  readonly tools: FfmpegTools;
  /** A name for `-i`, or a stream for its standard input. */
  readonly input: string | Readable;
  readonly inputOptions: readonly string[];
  readonly outputOptions: readonly string[];
  /** A file, or null for standard output. */
  readonly outputFile: string | null;
  readonly onStderr?: (line: string) => void;
};

export type FfmpegExit = {
  /** null where a signal ended it. */
  readonly code: number | null;
  /** The last lines of its standard error. */
  readonly stderr: readonly string[];
  /** Why it could not even be started, or null. */
  readonly startError: string | null;
};

export type FfmpegRun = {
  /** Standard output; empty where the output is a file. */
  readonly stdout: Readable;
  /** Resolves when the process is gone; never rejects. */
  readonly exit: Promise<FfmpegExit>;
  /** Kills the process for good, stopped ones included, and resolves when it is gone. */
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

/**
 * Tells when a process could not be started. fluent-ffmpeg looks for ffmpeg once and remembers the answer; where ffmpeg is
 * gone later, or the system has no room for another process, its own listener throws, which would end the program.
 */
const onStartError = (run: object, tell: (message: string) => void): void => {
  const child: unknown = Reflect.get(run, 'ffmpegProc');
  if (!(child instanceof ChildProcess)) return;
  child.removeAllListeners('error');
  child.on('error', (error) => {
    if (child.pid === undefined) tell(messageOf(error));
  });
};

/**
 * Runs ffmpeg through fluent-ffmpeg, which is archived: this is the only file that knows it. Arguments are
 * ours alone, time-outs too (its own timer leaks), and output streams stay open until the process is gone,
 * since a stream that closes early makes it report an error.
 */
export const runFfmpeg = (command: FfmpegCommand): FfmpegRun => {
  // Without autoDestroy it never emits `close`, on which fluent-ffmpeg would kill a process that still exits.
  const stdout = new PassThrough({ highWaterMark: 256 * 1024, autoDestroy: false });
  const run = fluentFfmpeg({ stdoutLines: 200 })
    .setFfmpegPath(command.tools.ffmpeg)
    .setFfprobePath(command.tools.ffprobe)
    .input(command.input)
    .inputOptions(['-hide_banner', '-nostdin', '-nostats', ...command.inputOptions])
    .outputOptions([...command.outputOptions]);
  let started = false;
  let wantedDead = false;
  const exit = new Promise<FfmpegExit>((resolve) => {
    run.on('start', () => {
      started = true;
      onStartError(run, (startError) => resolve({ code: null, stderr: [], startError }));
      if (wantedDead) run.kill('SIGKILL');
    });
    run.on('stderr', (line: string) => command.onStderr?.(line));
    run.on('end', (_stdout: unknown, stderr: string | null) => resolve(exitOf(null, stderr)));
    run.on('error', (error: Error, _stdout: unknown, stderr: string | null) =>
      resolve(exitOf(error, stderr)),
    );
  });
  // Where nothing was started, nothing else would end the stream that a reader waits for.
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
      wantedDead = true;
      if (started) run.kill('SIGKILL');
      await exit;
      stdout.destroy();
    },
  };
};
