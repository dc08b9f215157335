import type { FastifyReply } from 'fastify';
import type { Segment, Transcription } from '../../../contract/transcript.ts';
import { joinTexts, separatorBetween } from '../../base/text.ts';
import type { EventHub } from '../../services/events.ts';
import { startEventStream } from '../event-stream.ts';
import { errorOfJob, openAiErrorBody } from './errors.ts';

/** Splits a growing text into the parts that a reader has not seen yet. */
export class TextDeltas {
  #seen = '';

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

/** Sends a transcription as OpenAI's server-sent events while it is being recognized. */
export class OpenAiStream {
  readonly #reply: FastifyReply;
  readonly #text = new TextDeltas();

  constructor(reply: FastifyReply) {
    this.#reply = reply;
  }

  /** Starts the stream. From then on errors are sent as events. */
  open(): void {
    startEventStream(this.#reply);
  }

  /** Forwards new segments of a transcription until the returned function is called. */
  follow(events: EventHub, userId: string, id: string): () => void {
    return events.subscribe(userId, ({ event }) => {
      if (event.type === 'transcript.progress' && event.id === id && event.segments.length > 0) {
        this.#delta(this.#text.add(event.segments));
      }
    });
  }

  end(transcript: Transcription): void {
    if (transcript.error !== undefined) this.#write(openAiErrorBody(errorOfJob(transcript.error)), 'error');
    else {
      this.#delta(this.#text.rest(transcript.text));
      const usage = { type: 'duration', seconds: Math.ceil(transcript.duration) };
      this.#write({ type: 'transcript.text.done', text: transcript.text, usage });
    }
    this.#reply.raw.end();
  }

  #delta(delta: string): void {
    if (delta !== '') this.#write({ type: 'transcript.text.delta', delta });
  }

  #write(data: object, event?: string): void {
    const name = event ?? ('type' in data ? String(data.type) : 'message');
    this.#reply.raw.write(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
  }
}
