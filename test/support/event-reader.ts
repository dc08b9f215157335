import { readMessages, type StreamMessage } from '../../electron/contract/event-stream.ts';
import type { ServerEvent } from '../../electron/contract/events.ts';

// Every field of every event: a test reads those of the event that it waited for.
type AnyData = {
  [K in ServerEvent as K['type']]: Omit<K, 'type'>;
}[ServerEvent['type']];
type Merged<T> = { [K in T extends T ? keyof T : never]: T extends Record<K, infer V> ? V : never };

export type SeenEvent = { readonly id: string; readonly type: string; readonly data: Merged<AnyData> };

/** Reads `GET /v1/events` as a browser's EventSource would. */
export class EventReader {
  readonly #controller = new AbortController();
  readonly #seen: SeenEvent[] = [];
  #waiting: (() => void) | undefined;
  #taken = 0;
  heartbeats = 0;
  /** Resolves when the server has ended the stream. */
  ended: Promise<void> = Promise.resolve();

  static async open(url: string, key: string, lastEventId?: string): Promise<EventReader> {
    const reader = new EventReader();
    const response = await fetch(`${url}/v1/events`, {
      signal: reader.#controller.signal,
      headers: {
        authorization: `Bearer ${key}`,
        ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
      },
    });
    if (!response.ok || response.body === null) throw new Error(`events: ${response.status}`);
    reader.ended = reader.#read(response.body);
    // Rejects when `close` aborts it.
    reader.ended.catch(() => {});
    return reader;
  }

  /** The next event not yet taken. */
  async next(): Promise<SeenEvent> {
    for (;;) {
      const event = this.#seen[this.#taken];
      if (event !== undefined) {
        this.#taken += 1;
        return event;
      }
      await new Promise<void>((resolve) => {
        this.#waiting = resolve;
      });
    }
  }

  /** Takes all events up to and including the first of `type`. */
  async waitFor(type: ServerEvent['type']): Promise<SeenEvent[]> {
    const taken: SeenEvent[] = [];
    for (;;) {
      const event = await this.next();
      taken.push(event);
      if (event.type === type) return taken;
    }
  }

  close(): void {
    this.#controller.abort();
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    const onComment = () => {
      this.heartbeats += 1;
    };
    for await (const message of readMessages(body, onComment)) this.#take(message);
  }

  #take({ id, event, data }: StreamMessage): void {
    this.#seen.push({ id: id ?? '', type: event, data: JSON.parse(data) });
    this.#waiting?.();
  }
}
