import type { ServerEvent } from '../../contract/events.ts';

/** An event, serialized once for all listeners. */
export type NumberedEvent = {
  readonly id: number;
  readonly type: ServerEvent['type'];
  readonly data: string;
};
/** `event` is absent of one that was serialized elsewhere. */
export type LiveEvent = NumberedEvent & { readonly event?: ServerEvent };
type Listener = (event: LiveEvent) => void;

/** Events per user that a client can catch up on. */
const MAX_RECENT = 1000;
/** Per user. One transcription of ten hours with its words takes megabytes. */
const MAX_RECENT_CHARACTERS = 8 * 1024 * 1024;

const numbered = (id: number, { type, ...data }: ServerEvent): NumberedEvent => ({
  id,
  type,
  data: JSON.stringify(data),
});

/** Publishes events to each user's listeners, and keeps recent ones for clients that reconnect. */
export class EventHub {
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #recent = new Map<string, NumberedEvent[]>();
  // Starting from the clock keeps ids growing across restarts, so that no id is ever used twice.
  #next = Date.now();

  publish(userId: string, event: ServerEvent): void {
    this.#send(userId, { ...numbered(this.#next++, event), event });
  }

  /** Publishes an event whose data were serialized elsewhere. */
  publishData(userId: string, type: ServerEvent['type'], data: string): void {
    this.#send(userId, { id: this.#next++, type, data });
  }

  hasListeners(userId: string): boolean {
    return this.#listeners.has(userId);
  }

  /** Drops the user's recent events, one of which is missing; clients that reconnect get a snapshot instead. */
  skip(userId: string): void {
    this.#next += 1;
    this.#recent.delete(userId);
  }

  #send(userId: string, live: LiveEvent): void {
    const { id, type, data } = live;
    const recent = [...(this.#recent.get(userId) ?? []).slice(1 - MAX_RECENT), { id, type, data }];
    // The oldest are dropped first; whoever misses a dropped event gets a snapshot instead.
    let characters = recent.reduce((sum, earlier) => sum + earlier.data.length, 0);
    while (characters > MAX_RECENT_CHARACTERS) characters -= recent.shift()?.data.length ?? 0;
    this.#recent.set(userId, recent);
    for (const listener of this.#listeners.get(userId) ?? []) listener(live);
  }

  /** The number of the latest event, which a snapshot for a new client carries. */
  get latest(): number {
    return this.#next - 1;
  }

  /** Drops the recent events of a transcript; clients that reconnect get a snapshot instead. */
  forget(userId: string, transcriptId: string): void {
    const recent = this.#recent.get(userId) ?? [];
    const others = recent.filter(({ data }) => !data.includes(transcriptId));
    this.#recent.set(userId, others);
  }

  /** Publishes to every user with a listener. */
  publishToAll(event: ServerEvent): void {
    for (const userId of this.#listeners.keys()) this.publish(userId, event);
  }

  subscribe(userId: string, listener: Listener): () => void {
    const listeners = this.#listeners.get(userId) ?? new Set<Listener>();
    listeners.add(listener);
    this.#listeners.set(userId, listeners);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#listeners.delete(userId);
    };
  }

  /** The events after `id`; undefined where that event was dropped and the client needs a snapshot. */
  since(userId: string, id: number): readonly NumberedEvent[] | undefined {
    const recent = this.#recent.get(userId) ?? [];
    const index = recent.findIndex((event) => event.id === id);
    return index === -1 ? undefined : recent.slice(index + 1);
  }
}
