import { Worker } from 'node:worker_threads';
import { messageOf } from '../base/errors.ts';
import type { FromThread, ToThread } from './thread-messages.ts';
import type { AnalysisDependencies, AnalysisOptions, AnalysisResult, AnalysisTranscript } from './types.ts';

export interface ThreadDependencies extends AnalysisDependencies {
  /** The thread's entry; a bundled build gives its own file here. Default: the source beside this module. */
  entry?: URL;
  /** Ends the thread at once; the promise then rejects with the signal's reason. */
  signal?: AbortSignal;
}

/**
 * `analyze` in a thread of its own, with the same arguments and result. Why: `analyze` already gives the
 * event loop turns, which keeps a calm machine responsive; a thread also keeps the server's loop free while
 * garbage is collected or the processor is busy, can be ended at any moment, and returns its memory (the
 * word lists, about 40 MB) when it is done. Starting one costs about 0.3 s, so short transcripts are better
 * served by `analyze` itself. Rejects when the thread fails or is aborted.
 */
export function analyzeInThread(
  transcript: AnalysisTranscript,
  options: AnalysisOptions,
  dependencies: ThreadDependencies,
): Promise<AnalysisResult> {
  const { secret, translation, summarizer, onProgress, signal } = dependencies;
  const worker = new Worker(dependencies.entry ?? new URL('./analysis-thread.ts', import.meta.url));
  const send = (message: ToThread) => worker.postMessage(message);

  return new Promise<AnalysisResult>((resolve, reject) => {
    const abort = () => reject(signal?.reason);
    if (signal?.aborted) {
      abort();
      return;
    }
    signal?.addEventListener('abort', abort, { once: true });
    worker.once('error', reject);
    worker.once('exit', (code) => reject(new Error(`the analysis thread ended early (exit code ${code})`)));
    worker.on('message', (message: FromThread) => {
      if (message.kind === 'progress') onProgress?.(message.share);
      else if (message.kind === 'result') resolve(message.result);
      else if (message.kind === 'failed') reject(new Error(message.error));
      else if (summarizer) {
        summarizer.summarize(message.input).then(
          (items) => send({ kind: 'summary', items }),
          (error: unknown) => send({ kind: 'summary', error: messageOf(error) }),
        );
      }
    });
    send({
      kind: 'analyze',
      transcript,
      options,
      secret,
      translation,
      hasSummarizer: summarizer !== undefined,
    });
  }).finally(() => {
    worker.removeAllListeners();
    return worker.terminate();
  });
}
