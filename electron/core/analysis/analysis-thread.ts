import { parentPort } from 'node:worker_threads';
import { messageOf } from '../base/errors.ts';
import { analyze } from './analyze.ts';
import { type FromThread, inBatches, type ToThread } from './thread-messages.ts';
import type { AnalysisResult, AnalysisSegment, PrivateDataTagger, Summarizer } from './types.ts';

/** The worker side of `AnalysisThreads`: runs one analysis after the other. */
const serve = (port: NonNullable<typeof parentPort>): void => {
  const send = (message: FromThread) => port.postMessage(message);
  let segments: AnalysisSegment[] = [];
  let answer: (message: Extract<ToThread, { kind: 'summary' }>) => void = () => {};
  let answerTags: (message: Extract<ToThread, { kind: 'tags' }>) => void = () => {};
  let next: () => void = () => {};

  /** Forwards to the caller's thread, which owns the language model's connection and limits. */
  const remote: Summarizer = {
    summarize(input) {
      return new Promise((resolve, reject) => {
        answer = (message) =>
          'items' in message ? resolve(message.items) : reject(new Error(message.error));
        send({ kind: 'summarize', input });
      });
    },
  };

  /** Forwards to the caller's thread, which owns the tagger's process. */
  const remoteTagger: PrivateDataTagger = {
    tag(sentences) {
      return new Promise((resolve, reject) => {
        answerTags = (message) =>
          'tags' in message ? resolve(message.tags) : reject(new Error(message.error));
        send({ kind: 'tag', sentences: [...sentences] });
      });
    },
  };

  const work = (message: Extract<ToThread, { kind: 'analyze' }>): Promise<AnalysisResult> => {
    const { transcript, options, secret, translation, hasSummarizer, hasTagger } = message;
    const onProgress = (share: number) => send({ kind: 'progress', share });
    const summarizer = hasSummarizer ? remote : undefined;
    const tagger = hasTagger ? remoteTagger : undefined;
    const whole = { ...transcript, segments };
    segments = [];
    return analyze(whole, options, { secret, translation, onProgress, summarizer, tagger });
  };

  /** Sends a batch only when asked: all messages that wait are received in one turn of the other thread's loop. */
  const deliver = async (result: AnalysisResult): Promise<void> => {
    const { redacted } = result;
    for (const batch of inBatches(redacted?.segments ?? [])) {
      const asked = new Promise<void>((resolve) => {
        next = resolve;
      });
      send(batch);
      await asked;
    }
    send({
      kind: 'result',
      result: redacted ? { ...result, redacted: { ...redacted, segments: [] } } : result,
    });
  };

  port.on('message', (message: ToThread) => {
    if (message.kind === 'segments') {
      segments.push(...message.segments);
    } else if (message.kind === 'next') {
      next();
    } else if (message.kind === 'summary') {
      answer(message);
    } else if (message.kind === 'tags') {
      answerTags(message);
    } else {
      work(message)
        .then(deliver)
        .catch((error: unknown) => send({ kind: 'failed', error: messageOf(error) }));
    }
  });
};

if (parentPort) serve(parentPort);
