type Listener<Event> = (event: Event) => void;

/** Typed events. Listeners run synchronously, in the order in which they subscribed. */
export class Emitter<Events extends Record<string, unknown>> {
  readonly #listeners: { [Name in keyof Events]?: Set<Listener<Events[Name]>> } = {};

  /** Returns a function that unsubscribes. */
  on<Name extends keyof Events>(name: Name, listener: Listener<Events[Name]>): () => void {
    const listeners = this.#listeners[name] ?? new Set();
    this.#listeners[name] = listeners;
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  emit<Name extends keyof Events>(name: Name, event: Events[Name]): void {
    for (const listener of [...(this.#listeners[name] ?? [])]) listener(event);
  }
}
