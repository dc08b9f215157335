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
  /** The thread's entry; a bundled build gives its own file here. Default: the source beside this module. */
  entry?: URL | undefined;
  /** Ends the thread at once; the promise then rejects with the signal's reason. */
  signal?: AbortSignal;
};

const SOURCE = pathToFileURL(join(import.meta.dirname, 'analysis-thread.ts'));

/**
 * `analyze` in a thread of its own, with the same arguments and result. Why: `analyze` already gives the
 * event loop turns, which keeps a calm machine responsive; a thread also keeps the server's loop free while
 * garbage is collected or every core is busy, can be ended at any moment, and gives its memory back. The
 * word lists load anew each time, so short transcripts are better served by `analyze` itself. Rejects when
 * the thread fails or is aborted.
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
