import type { z } from 'zod';
import type { JobErrorCode } from '../../../contract/errors.ts';
import { AppError } from '../../base/errors.ts';

/** The worker process ended while it ran a task. One retry with `exclusive` finds out which task is at fault. */
export const engineCrashed = (reason: string): AppError =>
  new AppError(
    'engine_crashed',
    'The speech engine ended unexpectedly while it was working on this recording.',
    { cause: new Error(reason) },
  );

export const engineUnavailable = (reason: string): AppError =>
  new AppError('engine_unavailable', `The speech engine does not work on this machine: ${reason}`);

export const engineClosed = (): AppError =>
  new AppError('interrupted', 'The program closed during the recognition.');

export const taskCancelled = (): AppError => new AppError('cancelled', 'The recognition was cancelled.');

/** The worker's descriptor of the pipe that carries samples to it: 32-bit floats, those of one task after the other. */
export const SAMPLES_FD = 4;

const hasSamples = (input: unknown): input is { readonly pcm: Float32Array } =>
  typeof input === 'object' && input !== null && 'pcm' in input && input.pcm instanceof Float32Array;

/**
 * Takes the samples out of a message, to be written as raw bytes: as a part of the message, they would be copied in both
 * processes, and the copies left to the garbage collector.
 */
export const takeSamples = (message: ToWorker): { message: ToWorker; bytes: Uint8Array | null } => {
  if (message.type !== 'run' || !hasSamples(message.input)) return { message, bytes: null };
  const { pcm, ...input } = message.input;
  return {
    message: { ...message, input, sampleCount: pcm.length },
    bytes: new Uint8Array(pcm.buffer, pcm.byteOffset, pcm.byteLength),
  };
};

/**
 * Puts the samples back, of which `read` fills the bytes. Every message has to pass here, also that of a task that is not
 * performed, because the next task's samples come after its own.
 */
export const putSamples = (message: ToWorker, read: (bytes: Uint8Array) => void): ToWorker => {
  if (message.type !== 'run' || message.sampleCount === undefined) return message;
  const { sampleCount, input, ...rest } = message;
  const pcm = new Float32Array(sampleCount);
  read(new Uint8Array(pcm.buffer));
  return { ...rest, input: { ...Object(input), pcm } };
};

/**
 * One kind of task that a worker process performs. The host parses results and events, which come from a process that
 * runs native code on untrusted files. Inputs are typed by the compiler alone, because host and worker are one program;
 * so a worker imports no schemas, which would cost it startup time and memory.
 */
export type TaskDefinition<Kind extends string, Input, Result, Event = never> = {
  /** Unique among the tasks of one engine. */
  readonly kind: Kind;
  readonly result: z.ZodType<Result>;
  /** What the task emits while it runs; left out for a task without events. */
  readonly event?: z.ZodType<Event>;
  /** Carries the type of the input; never set. */
  readonly input?: Input;
};

type InputOf<Task extends { readonly input?: unknown }> = Exclude<Task['input'], undefined>;
type ResultOf<Task> = Task extends { readonly result: z.ZodType<infer Result> } ? Result : never;
type EventOf<Task> = Task extends { readonly event?: z.ZodType<infer Event> } ? Event : never;

/** What a handler gets beside its input. */
export type TaskContext<Event> = {
  /** Fires when the host asks the task to stop. */
  readonly signal: AbortSignal;
  readonly emit: (event: Event) => void;
};

/** A task's implementation in the worker process, with the types of its definition erased. */
export type TaskHandler = {
  readonly kind: string;
  run(input: unknown, context: TaskContext<unknown>): Promise<unknown>;
};

/** Implements the task of this definition: `handleTask<typeof transcribeTask>('transcribe', …)`. */
export const handleTask = <Task extends { readonly kind: string; readonly input?: unknown }>(
  kind: Task['kind'],
  perform: (
    input: InputOf<Task>,
    context: TaskContext<EventOf<Task>>,
  ) => ResultOf<Task> | Promise<ResultOf<Task>>,
): TaskHandler => ({
  kind,
  // The host sends a task of this kind with the input of its definition: see TaskDefinition.
  run: async (input, context) => perform(input as InputOf<Task>, context),
});

/** The codes that a failed task can have. */
export type TaskErrorCode = 'invalid_request' | JobErrorCode;

/** A failure with a code; anything else that a handler throws reaches the host as `internal_error`. */
export class TaskError extends Error {
  readonly code: TaskErrorCode;

  constructor(code: TaskErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** An engine inside a worker process. */
export type WorkerEngine = {
  readonly handlers: readonly TaskHandler[];
  /** Converts what a handler threw. */
  toTaskError?(error: unknown): TaskError;
  /** Frees native resources before the process exits. */
  close?(): Promise<void>;
};

/** Loads an engine into a worker process. What it throws reaches the host as `engine_unavailable`. */
export type LoadEngine = (args: readonly string[]) => WorkerEngine;

/** Host to worker. Over a channel that keeps samples apart, `sampleCount` stands for the input's `pcm`. */
export type ToWorker =
  | { type: 'run'; id: number; kind: string; input: unknown; sampleCount?: number }
  | { type: 'abort'; id: number }
  | { type: 'stop' };

/** Worker to host. Every `run` is answered by exactly one `done` or `failed`. */
export type FromWorker =
  /** The engine could not be loaded; the process takes no tasks. */
  | { type: 'unusable'; message: string }
  | { type: 'event'; id: number; event?: unknown }
  | { type: 'done'; id: number; result?: unknown }
  | { type: 'failed'; id: number; code: TaskErrorCode; message: string };
