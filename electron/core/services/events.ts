import type { ServerEvent } from '../../contract/events.ts';

export type NumberedEvent = { readonly id: number; readonly event: ServerEvent };
type Listener = (event: NumberedEvent) => void;

/** Events per user that a client can catch up on. */
const MAX_RECENT = 1000;

/** Publishes events to each user's listeners, and keeps recent ones for clients that reconnect. */
export class EventHub {
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #recent = new Map<string, NumberedEvent[]>();
  // Starting from the clock keeps ids growing across restarts, so that no id is ever used twice.
  #next = Date.now();

  publish(userId: string, event: ServerEvent): void {
    const numbered = { id: this.#next++, event };
    this.#recent.set(userId, [...(this.#recent.get(userId) ?? []).slice(1 - MAX_RECENT), numbered]);
    for (const listener of this.#listeners.get(userId) ?? []) listener(numbered);
  }

  /** Publishes to every user with a listener. */
  publishToAll(event: ServerEvent): void {
    for (const userId of this.#listeners.keys()) this.publish(userId, event);
  }

  /** The number of the latest event, which a snapshot for a new client carries. */
  get latest(): number {
    return this.#next - 1;
  }

  /** Drops the user's recent events, which may hold what was redacted since; clients that reconnect get a snapshot. */
  forget(userId: string): void {
    this.#recent.delete(userId);
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

  /** The events after `id`; undefined if that event was dropped and the client needs a snapshot. */
  since(userId: string, id: number): readonly NumberedEvent[] | undefined {
    const recent = this.#recent.get(userId) ?? [];
    const index = recent.findIndex((event) => event.id === id);
    return index === -1 ? undefined : recent.slice(index + 1);
  }
}
