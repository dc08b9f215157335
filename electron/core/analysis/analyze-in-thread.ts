import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { z } from 'zod';
import { messageOf } from '../base/errors.ts';
import { type FromThread, inBatches, type ToThread } from './thread-messages.ts';
import type {
  AnalysisDependencies,
  AnalysisOptions,
  AnalysisResult,
  AnalysisSegment,
  AnalysisTranscript,
} from './types.ts';

export type ThreadDependencies = AnalysisDependencies & {
  /** Terminates the thread; the promise rejects with the signal's reason. */
  signal?: AbortSignal;
};

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** A predicate, because zod takes three times as long for the 100,000 words of ten hours. */
const isSegment = (value: unknown): boolean =>
  isRecord(value) &&
  typeof value.id === 'number' &&
  typeof value.text === 'string' &&
  Array.isArray(value.words);

/** The thread itself imports no schemas, which would cost it startup time. */
const Message = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('segments'), segments: z.array(z.custom<AnalysisSegment>(isSegment)) }),
  z.object({ kind: z.literal('progress'), share: z.number() }),
  z.object({
    kind: z.literal('summarize'),
    input: z.object({
      sentences: z.array(z.object({ id: z.number(), text: z.string(), speaker_id: z.string().nullable() })),
      language: z.string(),
      bullets: z.number(),
    }),
  }),
  z.object({ kind: z.literal('tag'), sentences: z.array(z.string()) }),
  z.object({
    kind: z.literal('result'),
    result: z.custom<AnalysisResult>((value) => isRecord(value) && Array.isArray(value.warnings)),
  }),
  z.object({ kind: z.literal('failed'), error: z.string() }),
]) satisfies z.ZodType<FromThread>;

const SOURCE = pathToFileURL(join(import.meta.dirname, 'analysis-thread.ts'));
/** The word lists take half a second and 80 MB: a thread stays for the next text, but not for good. */
const IDLE_MS = 60_000;
/** A thread that analyzed a longer text returns its memory at once. Characters. */
const MAX_REUSED_TEXT = 15_000;

/** An analysis in a running thread. Rejects if the thread fails or is aborted, and must not be used again then. */
const analyzeIn = (
  worker: Worker,
  transcript: AnalysisTranscript,
  options: AnalysisOptions,
  dependencies: ThreadDependencies,
): Promise<AnalysisResult> => {
  const { summarizer, tagger, onProgress, signal } = dependencies;
  const segments: AnalysisSegment[] = [];

  let abort = () => {};
  return new Promise<AnalysisResult>((resolve, reject) => {
    abort = () => reject(signal?.reason);
    if (signal?.aborted) {
      abort();
      return;
    }
    signal?.addEventListener('abort', abort, { once: true });
    worker.once('error', reject);
    worker.once('exit', (code) => reject(new Error(`the analysis thread ended early (exit code ${code})`)));
    worker.on('message', (data: unknown) => {
      const { data: message } = Message.safeParse(data);
      if (message === undefined) {
        reject(new Error('the analysis thread sent a message that is not part of the protocol'));
      } else if (message.kind === 'segments') {
        segments.push(...message.segments);
        setImmediate(() => post(worker, { kind: 'next' }));
      } else if (message.kind === 'progress') onProgress?.(message.share);
      else if (message.kind === 'result') resolve(withSegments(message.result, segments));
      else if (message.kind === 'failed') reject(new Error(message.error));
      else if (message.kind === 'tag') {
        tagger?.tag(message.sentences).then(
          (tags) => post(worker, { kind: 'tags', tags }),
          (error: unknown) => post(worker, { kind: 'tags', error: messageOf(error) }),
        );
      } else if (summarizer) {
        summarizer.summarize(message.input).then(
          (items) => post(worker, { kind: 'summary', items }),
          (error: unknown) => post(worker, { kind: 'summary', error: messageOf(error) }),
        );
      }
    });
    sendTranscript(worker, transcript, options, dependencies).catch(reject);
  }).finally(() => {
    signal?.removeEventListener('abort', abort);
    // Named, since Node listens to a worker as well.
    for (const name of ['message', 'error', 'exit']) worker.removeAllListeners(name);
  });
};

/**
 * Runs `analyze` in worker threads. A thread keeps the server responsive, can be terminated at any
 * moment, and returns its memory.
 */
export class AnalysisThreads {
  readonly #entry: URL;
  #idle: Worker | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** `entry`: the thread's file in a bundled build; default: the source next to this module. */
  constructor(entry: URL = SOURCE) {
    this.#entry = entry;
  }

  /** Rejects if the thread fails or is aborted. */
  async analyze(
    transcript: AnalysisTranscript,
    options: AnalysisOptions,
    dependencies: ThreadDependencies,
  ): Promise<AnalysisResult> {
    const worker = this.#take();
    let isReusable = false;
    try {
      const result = await analyzeIn(worker, transcript, options, dependencies);
      isReusable = transcript.text.length <= MAX_REUSED_TEXT;
      return result;
    } finally {
      if (isReusable && this.#idle === undefined) this.#keep(worker);
      else await worker.terminate();
    }
  }

  #take(): Worker {
    clearTimeout(this.#timer);
    const worker = this.#idle ?? new Worker(this.#entry);
    this.#idle = undefined;
    worker.ref();
    return worker;
  }

  /** Neither the thread nor its timer keeps a process running. */
  #keep(worker: Worker): void {
    const forget = () => {
      if (this.#idle === worker) this.#idle = undefined;
    };
    // Without a listener, an error of an idle thread would end the process.
    worker.once('error', forget);
    worker.once('exit', forget);
    worker.unref();
    this.#idle = worker;
    this.#timer = setTimeout(() => {
      forget();
      void worker.terminate();
    }, IDLE_MS).unref();
  }
}

const post = (worker: Worker, message: ToThread): void => {
  worker.postMessage(message);
};

const sendTranscript = async (
  worker: Worker,
  transcript: AnalysisTranscript,
  options: AnalysisOptions,
  { secret, translation, summarizer, tagger }: ThreadDependencies,
): Promise<void> => {
  for (const batch of inBatches(transcript.segments)) {
    post(worker, batch);
    await nextTurn();
  }
  const bare = { ...transcript, segments: [] };
  post(worker, {
    kind: 'analyze',
    transcript: bare,
    options,
    secret,
    translation,
    hasSummarizer: summarizer !== undefined,
    hasTagger: tagger !== undefined,
  });
};

const withSegments = (result: AnalysisResult, segments: AnalysisSegment[]): AnalysisResult =>
  result.redacted ? { ...result, redacted: { ...result.redacted, segments } } : result;
