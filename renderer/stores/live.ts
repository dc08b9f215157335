import { createStore } from 'zustand/vanilla';
import type { Client } from '../../electron/contract/client.ts';
import type { Progress } from '../../electron/contract/transcript.ts';
import { createEventParser } from '../api/event-stream.ts';
import { type LiveEvent, readLiveEvent } from '../api/live-events.ts';
import { isUnauthorized } from '../lib/errors.ts';

export type LiveState = {
  readonly connection: 'connecting' | 'live' | 'lost' | 'ended';
  /** Progress of what is being worked on, by transcript. */
  readonly progress: ReadonlyMap<string, Progress>;
  readonly paused: boolean;
};

const FIRST_WAIT_MS = 400;
const LONGEST_WAIT_MS = 5000;

/** What an event changes in the state; undefined when it changes nothing there. */
const reduce = (state: LiveState, event: LiveEvent): Partial<LiveState> | undefined => {
  const progress = new Map(state.progress);
  switch (event.type) {
    case 'snapshot':
      return {
        paused: event.queue_paused,
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
      return { paused: event.paused };
    default:
      return undefined;
  }
};

/**
 * Follows the server's events. The stream is read with fetch, since it needs the key in a header; a broken one is
 * opened again with the id of the last event, so that nothing in between is missed.
 */
export const createLive = (client: Client) => {
  const store = createStore<LiveState>(() => ({
    connection: 'connecting',
    progress: new Map(),
    paused: false,
  }));
  const listeners = new Set<(event: LiveEvent) => void>();
  let running: AbortController | undefined;
  let lastId: string | undefined;
  let wait = FIRST_WAIT_MS;

  const take = (event: LiveEvent) => {
    const change = reduce(store.getState(), event);
    if (change !== undefined) store.setState(change);
    for (const listener of listeners) listener(event);
  };

  const readStream = async (signal: AbortSignal) => {
    const response = await client.send('events', {
      ...(lastId === undefined ? {} : { headers: { 'last-event-id': lastId } }),
      signal,
    });
    if (response.body === null) return;
    store.setState({ connection: 'live' });
    wait = FIRST_WAIT_MS;
    const parser = createEventParser();
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
      for (const message of parser.push(chunk.value)) {
        if (message.id !== undefined) lastId = message.id;
        const event = readLiveEvent(message.event, message.data);
        if (event !== undefined) take(event);
      }
    }
  };

  const follow = async (signal: AbortSignal) => {
    while (!signal.aborted) {
      try {
        await readStream(signal);
      } catch (error) {
        if (signal.aborted) return;
        if (isUnauthorized(error)) {
          store.setState({ connection: 'ended' });
          return;
        }
        store.setState({ connection: 'lost' });
      }
      await new Promise((settle) => setTimeout(settle, wait));
      wait = Math.min(LONGEST_WAIT_MS, wait * 2);
    }
  };

  return {
    store,
    start: () => {
      running?.abort();
      running = new AbortController();
      void follow(running.signal);
    },
    stop: () => running?.abort(),
    listen: (listener: (event: LiveEvent) => void) => {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
  };
};
export type Live = ReturnType<typeof createLive>;
