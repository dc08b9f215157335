import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { z } from 'zod';
import type { Outline } from '../../services/transcripts/whole.ts';
import type { FromRenderingThread, ToRenderingThread } from './messages.ts';
import type { Rendering } from './rendering.ts';

const SOURCE = pathToFileURL(join(import.meta.dirname, 'rendering-thread.ts'));
/** The thread's modules take a moment and 60 MB: it stays for the next answer, but not for good. */
const IDLE_MS = 30_000;

const Numbered = z.object({ number: z.int() });
/** The body is checked by its type alone: it may be long. */
const Message = z.discriminatedUnion('kind', [
  Numbered.extend({
    kind: z.literal('rendered'),
    rendered: z.object({
      headers: z.record(z.string(), z.string()),
      body: z.union([z.string(), z.instanceof(Uint8Array)]),
    }),
  }),
  Numbered.extend({ kind: z.literal('changed') }),
  Numbered.extend({ kind: z.literal('failed'), error: z.string() }),
]) satisfies z.ZodType<FromRenderingThread>;

type Pending = { resolve(message: FromRenderingThread): void; reject(error: unknown): void };

/** The service's side of the thread that makes long answers. */
export class RenderingThread {
  readonly #databasePath: string;
  readonly #entry: URL;
  readonly #pending = new Map<number, Pending>();
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  #next = 0;

  /** `entry`: the thread's file in a bundled program. */
  constructor(databasePath: string, entry: URL = SOURCE) {
    this.#databasePath = databasePath;
    this.#entry = entry;
  }

  /** Rejects where the thread ends, or answers what is not part of the protocol. */
  render(outline: Outline, rendering: Rendering): Promise<FromRenderingThread> {
    const worker = this.#start();
    const number = this.#next++;
    const { promise, resolve, reject } = Promise.withResolvers<FromRenderingThread>();
    this.#pending.set(number, { resolve, reject });
    const databasePath = this.#databasePath;
    worker.postMessage({ number, databasePath, outline, rendering } satisfies ToRenderingThread);
    return promise;
  }

  /** Ends the thread; answers that it owes fail. */
  async close(): Promise<void> {
    const worker = this.#worker;
    this.#forget(worker, new Error('The rendering thread was closed.'));
    await worker?.terminate();
  }

  #start(): Worker {
    clearTimeout(this.#idle);
    if (this.#worker !== undefined) return this.#worker;
    const worker = new Worker(this.#entry);
    this.#worker = worker;
    worker.on('message', (data: unknown) => this.#receive(worker, data));
    worker.once('error', (error) => this.#forget(worker, error));
    worker.once('exit', () => this.#forget(worker, new Error('The rendering thread ended early.')));
    return worker;
  }

  #receive(worker: Worker, data: unknown): void {
    const { data: message } = Message.safeParse(data);
    if (message === undefined) {
      this.#forget(
        worker,
        new Error('The rendering thread sent a message that is not part of the protocol.'),
      );
      void worker.terminate();
      return;
    }
    this.#pending.get(message.number)?.resolve(message);
    this.#pending.delete(message.number);
    if (this.#pending.size === 0) this.#idle = setTimeout(() => this.close(), IDLE_MS).unref();
  }

  #forget(worker: Worker | undefined, reason: unknown): void {
    if (worker !== this.#worker) return;
    this.#worker = undefined;
    clearTimeout(this.#idle);
    for (const { reject } of this.#pending.values()) reject(reason);
    this.#pending.clear();
  }
}
