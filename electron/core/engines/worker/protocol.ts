import type { z } from 'zod';
import type { JobErrorCode } from '../../../contract/errors.ts';

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
