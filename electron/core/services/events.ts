import type { ServerEvent } from '../../contract/events.ts';

/** An event, written out once for all who listen. */
export type NumberedEvent = {
  readonly id: number;
  readonly type: ServerEvent['type'];
  readonly data: string;
};
/** An event as it happens. */
export type LiveEvent = NumberedEvent & { readonly event: ServerEvent };
type Listener = (event: LiveEvent) => void;

const KEPT = 1000;
/** Characters kept a user: a transcription of ten hours with its words is megabytes by itself. */
const KEPT_CHARACTERS = 8 * 1024 * 1024;

const numbered = (id: number, { type, ...data }: ServerEvent): NumberedEvent => ({
  id,
  type,
  data: JSON.stringify(data),
});

/** Hands each user's events to that user's listeners, and keeps the latest for those who come back. */
export class EventHub {
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #kept = new Map<string, NumberedEvent[]>();
  // Starting from the clock keeps ids growing over restarts, so that an old id is never mistaken for a new one.
  #next = Date.now();

  publish(userId: string, event: ServerEvent): void {
    const made = numbered(this.#next++, event);
    const kept = [...(this.#kept.get(userId) ?? []).slice(1 - KEPT), made];
    // What does not fit is forgotten from the oldest on, this one last: then a snapshot stands in for it.
    let characters = kept.reduce((sum, { data }) => sum + data.length, 0);
    while (characters > KEPT_CHARACTERS) characters -= kept.shift()?.data.length ?? 0;
    this.#kept.set(userId, kept);
    for (const listener of this.#listeners.get(userId) ?? []) listener({ ...made, event });
  }

  /** The state of things for one who has just come, under the number of the latest event. */
  snapshot(event: ServerEvent): NumberedEvent {
    return numbered(this.#next - 1, event);
  }

  /** Takes the kept events of a transcript away: whoever comes back for them gets a snapshot. */
  forget(userId: string, transcriptId: string): void {
    const kept = this.#kept.get(userId) ?? [];
    const others = kept.filter(({ data }) => !data.includes(transcriptId));
    this.#kept.set(userId, others);
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
}
