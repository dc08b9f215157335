import { parentPort } from 'node:worker_threads';
import { messageOf } from '../base/errors.ts';
import { analyze } from './index.ts';
import type { FromThread, ToThread } from './thread-messages.ts';
import type { Summarizer } from './types.ts';

/** The thread's side of `analyzeInThread`: one analysis, then the thread ends by itself. */
function serve(port: NonNullable<typeof parentPort>): void {
  const send = (message: FromThread) => port.postMessage(message);
  let answer: (message: Extract<ToThread, { kind: 'summary' }>) => void = () => {};

  /** The language model is asked by the caller's thread, which owns its connection and its limits. */
  const remote: Summarizer = {
    summarize(input) {
      return new Promise((resolve, reject) => {
        answer = (message) =>
          'items' in message ? resolve(message.items) : reject(new Error(message.error));
        send({ kind: 'summarize', input });
      });
    },
  };

  port.on('message', (message: ToThread) => {
    if (message.kind === 'summary') {
      answer(message);
      return;
    }
    const { transcript, options, secret, translation, hasSummarizer } = message;
    const onProgress = (share: number) => send({ kind: 'progress', share });
    analyze(transcript, options, {
      secret,
      translation,
      onProgress,
      summarizer: hasSummarizer ? remote : undefined,
    })
      .then((result) => send({ kind: 'result', result }))
      .catch((error: unknown) => send({ kind: 'failed', error: messageOf(error) }))
      .finally(() => port.close());
  });
}

if (parentPort) serve(parentPort);
