import type { FastifyReply } from 'fastify';
import type { LogProbability } from '../../../contract/openai.ts';
import type { Segment } from '../../../contract/segments.ts';
import type { Transcription } from '../../../contract/transcript.ts';
import type { AppError } from '../../base/errors.ts';
import { joinTexts, separatorBetween } from '../../base/text.ts';
import type { EventHub } from '../../services/events.ts';
import { startEventStream } from '../open-streams.ts';
import { openAiErrorBody } from './errors.ts';
import { diarizedSegments, logProbabilities, type TextParts, textParts } from './responses.ts';

/** Splits a growing text into the parts that a reader has not seen yet. */
export class TextDeltas {
  #seen: string;

  constructor(seen = '') {
    this.#seen = seen;
  }

  get seen(): string {
    return this.#seen;
  }

  /** The text that new segments add. */
  add(segments: readonly Pick<Segment, 'text'>[]): string {
    return this.#append(joinTexts(segments.map((segment) => segment.text)));
  }

  /** The rest of the finished text; empty if the finished text does not begin with what was seen. */
  rest(text: string): string {
    return text.startsWith(this.#seen) ? this.#append(text.slice(this.#seen.length).trimStart()) : '';
  }

  #append(text: string): string {
    if (text === '') return '';
    const delta = separatorBetween(this.#seen, text) + text;
    this.#seen += delta;
    return delta;
  }
}

/** What a stream has besides the text. */
export type StreamParts = TextParts & {
  /** Whether the segments with their speakers follow the text. */
  readonly segments: boolean;
};

const eventOf = <T extends { readonly type: string }>(data: T): string =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;

const deltaEvent = (delta: string, logprobs: readonly LogProbability[], parts: StreamParts): string =>
  delta === ''
    ? ''
    : eventOf({ type: 'transcript.text.delta', delta, ...(parts.logprobs ? { logprobs } : {}) });

/** The last events of a stream whose client has the text `seen`. */
export const streamEnd = (transcript: Transcription, seen: string, parts: StreamParts): string => {
  const { text } = transcript;
  const segments = parts.segments ? diarizedSegments(transcript) : [];
  const done = { type: 'transcript.text.done', text, ...textParts(transcript, parts) };
  return [
    deltaEvent(new TextDeltas(seen).rest(text), [], parts),
    ...segments.map(eventOf),
    eventOf(done),
  ].join('');
};

/** Sends a transcription as OpenAI's server-sent events while it is being recognized. */
export class OpenAiStream {
  readonly #reply: FastifyReply;
  readonly #parts: StreamParts;
  readonly #text = new TextDeltas();

  constructor(reply: FastifyReply, parts: StreamParts) {
    this.#reply = reply;
    this.#parts = parts;
  }

  /** Starts the stream. From then on errors are sent as events. */
  open(): void {
    startEventStream(this.#reply);
  }

  /** Forwards new segments of a transcription until the returned function is called. */
  follow(events: EventHub, userId: string, id: string): () => void {
    return events.subscribe(userId, ({ event }) => {
      if (event?.type === 'transcript.progress' && event.id === id && event.segments.length > 0) {
        const logprobs = logProbabilities(event.segments, this.#text.seen);
        this.#reply.raw.write(deltaEvent(this.#text.add(event.segments), logprobs, this.#parts));
      }
    });
  }

  /** The text that the client has. */
  get seen(): string {
    return this.#text.seen;
  }

  /** Sends the last events and closes the stream. */
  end(events: string): void {
    this.#reply.raw.end(events);
  }

  fail(error: AppError): void {
    this.end(`event: error\ndata: ${JSON.stringify(openAiErrorBody(error))}\n\n`);
  }
}
