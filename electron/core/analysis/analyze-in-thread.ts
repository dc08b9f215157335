import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
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
  /** The thread's entry file in a bundled build; defaults to the source next to this module. */
  entry?: URL | undefined;
  /** Terminates the thread; the promise rejects with the signal's reason. */
  signal?: AbortSignal;
};

const SOURCE = pathToFileURL(join(import.meta.dirname, 'analysis-thread.ts'));

/**
 * Runs `analyze` in a worker thread. Unlike yielding, a thread keeps the server responsive during garbage collection
 * and on busy cores, can be terminated at any moment, and returns its memory. Each thread loads the word lists anew, so
 * `analyze` is faster for short transcripts. Rejects if the thread fails or is aborted.
 */
export const analyzeInThread = (
  transcript: AnalysisTranscript,
  options: AnalysisOptions,
  dependencies: ThreadDependencies,
): Promise<AnalysisResult> => {
  const { summarizer, onProgress, signal } = dependencies;
  const worker = new Worker(dependencies.entry ?? SOURCE);
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
    worker.on('message', (message: FromThread) => {
      if (message.kind === 'segments') segments.push(...message.segments);
      else if (message.kind === 'progress') onProgress?.(message.share);
      else if (message.kind === 'result') resolve(withSegments(message.result, segments));
      else if (message.kind === 'failed') reject(new Error(message.error));
      else if (summarizer) {
        summarizer.summarize(message.input).then(
          (items) => post(worker, { kind: 'summary', items }),
          (error: unknown) => post(worker, { kind: 'summary', error: messageOf(error) }),
        );
      }
    });
    sendTranscript(worker, transcript, options, dependencies).catch(reject);
  }).finally(() => {
    signal?.removeEventListener('abort', abort);
    worker.removeAllListeners();
    return worker.terminate();
  });
};

const post = (worker: Worker, message: ToThread): void => {
  worker.postMessage(message);
};

const sendTranscript = async (
  worker: Worker,
  transcript: AnalysisTranscript,
  options: AnalysisOptions,
  { secret, translation, summarizer }: ThreadDependencies,
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
  });
};

const withSegments = (result: AnalysisResult, segments: AnalysisSegment[]): AnalysisResult =>
  result.redacted ? { ...result, redacted: { ...result.redacted, segments } } : result;
