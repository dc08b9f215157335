import { createStore } from 'zustand/vanilla';
import { ApiError } from '../../electron/contract/client.ts';
import { isDamagedLibrary, isUnauthorized } from '../api/errors.ts';
import { invalidateOnEvents } from '../api/queries.ts';
import { forgetSession, openSession } from '../api/session.ts';
import { resumeUploads } from '../domain/resume-uploads.ts';
import { type CoreServices, createServices, type Services } from '../hooks/services.tsx';
import { hasDamagedLibrary } from './damaged-library.tsx';

type SessionState =
  | { readonly state: 'starting' }
  | { readonly state: 'unreachable' }
  | { readonly state: 'damaged' }
  | { readonly state: 'signed-out'; readonly hadLink: boolean }
  | { readonly state: 'signed-in'; readonly services: Services };

/** Connects to the server's events. */
const follow = ({ queries, live }: Services): (() => void) => {
  const stopListening = invalidateOnEvents(queries, live);
  live.start();
  return () => {
    stopListening();
    live.stop();
  };
};

/** Sends the first request of a session. Its answer is what the first screen shows, and says whether the key is accepted. */
const fetchFirst = async ({ router, library, client }: Services): Promise<void> => {
  try {
    if (router.store.getState().screen === 'library') await library.list.fetchFirst();
    else await client.call('recentTranscripts', { query: { limit: 1 } });
  } catch (error) {
    const isForScreen = error instanceof ApiError && !isUnauthorized(error) && !isDamagedLibrary(error);
    if (!isForScreen) throw error;
  }
};

/** The session of this tab. */
export const createSession = (core: CoreServices) => {
  const store = createStore<SessionState>(() => ({ state: 'starting' }));
  let stop: () => void = () => undefined;

  const start = async (key: string): Promise<Services> => {
    stop();
    const services = createServices(core, key);
    // Before the first answer, so that no change is missed between the two.
    stop = follow(services);
    try {
      await fetchFirst(services);
      return services;
    } catch (error) {
      stop();
      throw error;
    }
  };

  const resolve = async (token: string | undefined): Promise<SessionState> => {
    try {
      const { baseUrl } = core;
      const newToken = window.earshot?.token;
      const storages = { storage: sessionStorage, shared: localStorage };
      const services = await openSession({ baseUrl, token, newToken, ...storages, start });
      if (services !== undefined) {
        void resumeUploads(services);
        return { state: 'signed-in', services };
      }
      // A library that does not open knows no key.
      if (await hasDamagedLibrary(core.baseUrl)) return { state: 'damaged' };
      return { state: 'signed-out', hadLink: token !== undefined };
    } catch (error) {
      if (isDamagedLibrary(error)) return { state: 'damaged' };
      console.warn('The server could not be reached.', error);
      return { state: 'unreachable' };
    }
  };

  const open = async (token?: string): Promise<void> => store.setState(await resolve(token), true);
  return {
    store,
    /** Opens the session with the one-time token of a link, or with this tab's key. Never rejects. */
    open,
    /** Ends a session whose key the server no longer accepts, and starts a new one if the browser or the desktop program can. */
    signOut: () => {
      stop();
      forgetSession(sessionStorage);
      void open();
    },
  };
};
export type Session = ReturnType<typeof createSession>;
