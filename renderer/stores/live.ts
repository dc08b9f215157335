import { createStore } from 'zustand/vanilla';
import type { Client } from '../../electron/contract/client.ts';
import { followMessages } from '../../electron/contract/event-stream.ts';
import type { Progress } from '../../electron/contract/job.ts';
import { isUnauthorized } from '../api/errors.ts';
import { type LiveEvent, parseLiveEvent } from '../api/live-events.ts';

type LiveState = {
  readonly connection: 'connecting' | 'live' | 'lost' | 'ended';
  /** Progress of the running jobs by transcript id. */
  readonly progress: ReadonlyMap<string, Progress>;
  readonly isPaused: boolean;
  readonly isLibraryDamaged: boolean;
};

/** The change of state after an event; undefined for none. */
const reduce = (state: LiveState, event: LiveEvent): Partial<LiveState> | undefined => {
  const progress = new Map(state.progress);
  switch (event.type) {
    case 'snapshot':
      return {
        isPaused: event.queue_paused,
        isLibraryDamaged: event.library_damaged,
        progress: new Map(
          event.processing.flatMap((job) => (job.progress === undefined ? [] : [[job.id, job.progress]])),
        ),
      };
    case 'transcript.created':
      if (event.transcript.progress === undefined) return undefined;
      return { progress: progress.set(event.transcript.id, event.transcript.progress) };
    case 'transcript.progress':
      return { progress: progress.set(event.id, event.progress) };
    case 'transcript.completed':
    case 'transcript.failed':
      progress.delete(event.transcript.id);
      return { progress };
    case 'transcript.deleted':
      progress.delete(event.id);
      return { progress };
    case 'queue.changed':
      return { isPaused: event.paused };
    case 'library.damaged':
      return { isLibraryDamaged: true };
    default:
      return undefined;
  }
};

/**
 * Follows the server's event stream with fetch, since EventSource cannot send the key. Reconnects with the last event
 * id, so that no event is missed.
 */
export const createLive = (client: Client) => {
  const store = createStore<LiveState>(() => ({
    connection: 'connecting',
    progress: new Map(),
    isPaused: false,
    isLibraryDamaged: false,
  }));
  const listeners = new Set<(event: LiveEvent) => void>();
  let controller: AbortController | undefined;
  let lastId: string | undefined;

  const dispatch = (event: LiveEvent) => {
    const change = reduce(store.getState(), event);
    if (change !== undefined) store.setState(change);
    for (const listener of listeners) listener(event);
  };

  const follow = async (signal: AbortSignal) => {
    const messages = followMessages({
      open: (after) =>
        client.send('events', {
          headers: after === undefined ? {} : { 'last-event-id': after },
          signal,
        }),
      signal,
      lastId,
      isFinal: isUnauthorized,
      onState: (connection) => store.setState({ connection }),
    });
    for await (const message of messages) {
      lastId = message.id ?? lastId;
      try {
        const event = parseLiveEvent(message.event, message.data);
        if (event !== undefined) dispatch(event);
      } catch (error) {
        // A failing listener must not end the stream.
        reportError(error);
      }
    }
  };

  return {
    store,
    start: () => {
      controller?.abort();
      controller = new AbortController();
      // The stream ends by itself only if the key is rejected.
      follow(controller.signal).catch(() => store.setState({ connection: 'ended' }));
    },
    stop: () => controller?.abort(),
    listen: (listener: (event: LiveEvent) => void) => {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
  };
};
export type Live = ReturnType<typeof createLive>;
