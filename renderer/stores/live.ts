import { createStore } from 'zustand/vanilla';
import type { Client } from '../../electron/contract/client.ts';
import type { Progress } from '../../electron/contract/transcript.ts';
import { isUnauthorized } from '../lib/errors.ts';

export type LiveState = {
  readonly connection: 'connecting' | 'live' | 'lost' | 'ended';
  /** Progress of what is being worked on, by transcript. */
  readonly progress: ReadonlyMap<string, Progress>;
};

/** What happened to a transcript since the last look. */
export type LiveChange = { readonly id: string; readonly kind: 'started' | 'progress' | 'finished' };

const BUSY_MS = 1000;
const IDLE_MS = 4000;

/** Follows the jobs at work by asking the server: often while there are any, seldom while there are none. */
export const createLive = (client: Client) => {
  const store = createStore<LiveState>(() => ({ connection: 'connecting', progress: new Map() }));
  const listeners = new Set<(change: LiveChange) => void>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let stopped = false;

  const tell = (change: LiveChange) => {
    for (const listener of listeners) listener(change);
  };

  const look = async () => {
    clearTimeout(timer);
    let busy = false;
    try {
      const { data } = await client.call('listTranscripts', { query: { status: 'processing', limit: 100 } });
      const before = store.getState().progress;
      const progress = new Map(
        data.transcriptions.flatMap((item) =>
          item.progress === undefined ? [] : [[item.id, item.progress] as const],
        ),
      );
      busy = progress.size > 0;
      store.setState({ connection: 'live', progress });
      for (const id of progress.keys()) tell({ id, kind: before.has(id) ? 'progress' : 'started' });
      for (const id of before.keys()) if (!progress.has(id)) tell({ id, kind: 'finished' });
    } catch (error) {
      store.setState({ connection: isUnauthorized(error) ? 'ended' : 'lost' });
    }
    if (!stopped) timer = setTimeout(look, busy ? BUSY_MS : IDLE_MS);
  };

  return {
    store,
    start: () => {
      stopped = false;
      void look();
    },
    stop: () => {
      stopped = true;
      clearTimeout(timer);
    },
    /** Looks at once: after this window has started or ended something. */
    nudge: () => void look(),
    listen: (listener: (change: LiveChange) => void) => {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
  };
};
export type Live = ReturnType<typeof createLive>;
