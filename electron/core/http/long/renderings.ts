import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import type { TranscriptForm, TranscriptService } from '../../services/transcripts/index.ts';
import type { Outline } from '../../services/transcripts/present.ts';
import {
  type FromRenderingThread,
  type Rendered,
  type Rendering,
  render as renderHere,
  type ToRenderingThread,
} from './rendering.ts';

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

  /** Rejects if the thread ends, or answers what is not part of the protocol. */
  render(outline: Outline, rendering: Rendering): Promise<FromRenderingThread> {
    const worker = this.#start();
    const number = this.#next++;
    const { promise, resolve, reject } = Promise.withResolvers<FromRenderingThread>();
    this.#pending.set(number, { resolve, reject });
    const databasePath = this.#databasePath;
    worker.postMessage({ number, databasePath, outline, rendering } satisfies ToRenderingThread);
    return promise;
  }

  /** Ends the thread; pending answers fail. */
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

/** How often a text may change between the outline and the thread's reading before it is read here. */
const MAX_CHANGES = 3;
/** Characters of a text, of 40 and 15 minutes of speech, up to which an answer takes less than a thread's detour. */
const MAX_SHORT = { transcription: 40_000, others: 15_000 } as const;
/** The same of a running job, whose text is not known yet: segments. */
const MAX_SHORT_SEGMENTS = 400;

type Options = {
  readonly transcripts: TranscriptService;
  readonly databasePath: string;
  /** The thread's file in a bundled program; default: its source. */
  readonly thread?: URL | undefined;
};

const FORMS: Partial<Record<Rendering['kind'], TranscriptForm>> = {
  transcription: 'asked',
  webhook: 'delivered',
  openAi: 'asked',
  openAiStreamEnd: 'asked',
  aaiTranscript: 'words',
};
const formOf = ({ kind }: Rendering): TranscriptForm => FORMS[kind] ?? 'finished';

const isShort = ({ transcription, savedSegments }: Outline, { kind }: Rendering): boolean =>
  transcription.text.length <= MAX_SHORT[kind === 'transcription' ? kind : 'others'] &&
  savedSegments <= MAX_SHORT_SEGMENTS;

export const sendRendered = async (reply: FastifyReply, { headers, body }: Rendered): Promise<void> => {
  await reply
    .headers(headers)
    .send(typeof body === 'string' ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength));
};

/** Answers that are made of whole transcriptions: those of long ones in a thread, so that no other request waits. */
export class Renderings {
  readonly #options: Options;
  readonly #thread: RenderingThread;

  constructor(options: Options) {
    this.#options = options;
    this.#thread = new RenderingThread(options.databasePath, options.thread);
  }

  /** Sends an answer made of the user's transcription. Throws what `TranscriptService.outline` throws. */
  async send(reply: FastifyReply, userId: string, id: string, rendering: Rendering): Promise<void> {
    await sendRendered(reply, await this.render(userId, id, rendering));
  }

  /** The text of an answer that is to become part of another one. Throws what `TranscriptService.outline` throws. */
  async text(userId: string, id: string, rendering: Rendering): Promise<string> {
    const { body } = await this.render(userId, id, rendering);
    return Buffer.from(body).toString();
  }

  /**
   * What is sent later than it is asked for: words that were redacted meanwhile are not in it. Throws what
   * `TranscriptService.outline` throws.
   */
  async current(userId: string, id: string, rendering: Rendering): Promise<Rendered> {
    const { transcripts } = this.#options;
    const textNow = () => transcripts.outline(userId, id, 'asked').transcription.text;
    for (;;) {
      const text = textNow();
      const rendered = await this.render(userId, id, rendering);
      if (text === textNow()) return rendered;
    }
  }

  /** Ends the thread; pending answers fail. */
  close(): Promise<void> {
    return this.#thread.close();
  }

  /** Throws what `TranscriptService.outline` throws. */
  async render(userId: string, id: string, rendering: Rendering): Promise<Rendered> {
    const { transcripts } = this.#options;
    const form = formOf(rendering);
    for (let changes = 0; changes < MAX_CHANGES; changes++) {
      const outline = transcripts.outline(userId, id, form);
      if (isShort(outline, rendering)) break;
      const answer = await this.#thread.render(outline, rendering);
      if (answer.kind === 'rendered') return answer.rendered;
      if (answer.kind === 'failed') throw new Error(answer.error);
    }
    return renderHere(rendering, transcripts.whole(userId, id, form));
  }
}
