import { z } from 'zod';
import { JOB_ERROR_CODES } from '../../../contract/errors.ts';
import type { AppError } from '../../base/errors.ts';

/** Mono samples at 16 kHz, checked by their type alone. */
export const Pcm = z.custom<Float32Array>((value) => value instanceof Float32Array);

/** The codes that a failed task can have; any other becomes `internal_error`. */
export const TaskErrorCode = z.enum(['invalid_request', ...JOB_ERROR_CODES]).catch('internal_error');

/**
 * One kind of task that a worker process performs. An engine declares its tasks in a module that both processes import.
 * The schemas check what crosses the process border: the worker parses inputs, the host parses events and results.
 */
export type TaskDefinition<Input, Result, Event = never> = {
  /** Unique among the tasks of one engine. */
  readonly kind: string;
  readonly input: z.ZodType<Input>;
  readonly result: z.ZodType<Result>;
  /** What the task emits while it runs; left out for a task without events. */
  readonly event?: z.ZodType<Event>;
};

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

/** Implements a task; the input is parsed before `perform` sees it. */
export const handleTask = <Input, Result, Event>(
  task: TaskDefinition<Input, Result, Event>,
  perform: (input: Input, context: TaskContext<Event>) => Result | Promise<Result>,
): TaskHandler => ({
  kind: task.kind,
  run: async (input, context) => perform(task.input.parse(input), context),
});

/** An engine inside a worker process. */
export type WorkerEngine = {
  readonly handlers: readonly TaskHandler[];
  /** Converts what a handler threw. Default: an AppError keeps its code, anything else is `internal_error`. */
  toAppError?(error: unknown): AppError;
  /** Frees native resources before the process exits. */
  close?(): Promise<void>;
};

/** Loads an engine into a worker process. What it throws reaches the host as `engine_unavailable`. */
export type LoadEngine = (args: readonly string[]) => WorkerEngine;

/**
 * Host to worker. Audio travels inside the message as a structured clone: a chunk is a few megabytes, which costs
 * milliseconds beside seconds of recognition, and no audio is left behind in a temporary file.
 */
export const ToWorker = z.discriminatedUnion('type', [
  z.object({ type: z.literal('run'), id: z.int(), kind: z.string(), input: z.unknown() }),
  z.object({ type: z.literal('abort'), id: z.int() }),
  z.object({ type: z.literal('stop') }),
]);
export type ToWorker = z.output<typeof ToWorker>;

/** Worker to host. Every `run` is answered by exactly one `done` or `failed`. */
export const FromWorker = z.discriminatedUnion('type', [
  /** The engine could not be loaded; the process takes no tasks. */
  z.object({ type: z.literal('unusable'), message: z.string() }),
  z.object({ type: z.literal('event'), id: z.int(), event: z.unknown() }),
  z.object({ type: z.literal('done'), id: z.int(), result: z.unknown() }),
  z.object({
    type: z.literal('failed'),
    id: z.int(),
    code: TaskErrorCode,
    message: z.string(),
  }),
]);
export type FromWorker = z.output<typeof FromWorker>;
