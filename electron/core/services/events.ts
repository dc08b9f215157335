import type { ServerEvent } from '../../contract/events.ts';

export type NumberedEvent = { readonly id: number; readonly event: ServerEvent };
type Listener = (event: NumberedEvent) => void;

const KEPT = 1000;

/** Hands each user's events to that user's listeners, and keeps the latest for those who come back. */
export class EventHub {
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #kept = new Map<string, NumberedEvent[]>();
  // Starting from the clock keeps ids growing over restarts, so that an old id is never mistaken for a new one.
  #next = Date.now();

  publish(userId: string, event: ServerEvent): void {
    const numbered = { id: this.#next++, event };
    const kept = this.#kept.get(userId) ?? [];
    kept.push(numbered);
    if (kept.length > KEPT) kept.splice(0, kept.length - KEPT);
    this.#kept.set(userId, kept);
    for (const listener of this.#listeners.get(userId) ?? []) listener(numbered);
  }

  /** To every user who listens. */
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

  /** What came after the event `id`; undefined when that is no longer known, so that a snapshot is needed. */
  since(userId: string, id: number): readonly NumberedEvent[] | undefined {
    const kept = this.#kept.get(userId) ?? [];
    const index = kept.findIndex((event) => event.id === id);
    return index === -1 ? undefined : kept.slice(index + 1);
  }

  get lastId(): number {
    return this.#next - 1;
  }
}
