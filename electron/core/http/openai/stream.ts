import type { FastifyReply } from 'fastify';
import type { LogProbability } from '../../../contract/openai.ts';
import type { Segment } from '../../../contract/segments.ts';
import type { Transcription } from '../../../contract/transcript.ts';
import { joinTexts, separatorBetween } from '../../base/text.ts';
import type { EventHub } from '../../services/events.ts';
import { startEventStream } from '../event-stream.ts';
import { errorOfJob, openAiErrorBody } from './errors.ts';
import { diarizedSegments, logProbabilities, type TextParts, textParts } from './responses.ts';

/** Splits a growing text into the parts that a reader has not seen yet. */
export class TextDeltas {
  #seen = '';

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

type StreamParts = TextParts & {
  /** Whether the segments with their speakers follow the text. */
  readonly segments: boolean;
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
        this.#delta(this.#text.add(event.segments), logprobs);
      }
    });
  }

  end(transcript: Transcription): void {
    if (transcript.error !== undefined) this.#write(openAiErrorBody(errorOfJob(transcript.error)), 'error');
    else {
      this.#delta(this.#text.rest(transcript.text), []);
      if (this.#parts.segments) for (const segment of diarizedSegments(transcript)) this.#write(segment);
      const parts = textParts(transcript, this.#parts);
      this.#write({ type: 'transcript.text.done', text: transcript.text, ...parts });
    }
    this.#reply.raw.end();
  }

  #delta(delta: string, logprobs: readonly LogProbability[]): void {
    if (delta === '') return;
    this.#write({ type: 'transcript.text.delta', delta, ...(this.#parts.logprobs ? { logprobs } : {}) });
  }

  #write(data: object, event?: string): void {
    const name = event ?? ('type' in data ? String(data.type) : 'message');
    this.#reply.raw.write(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
  }
}
