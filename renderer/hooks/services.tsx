import { type QueryClient, QueryClientProvider, type UseQueryResult, useQuery } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext } from 'react';
import { useStore } from 'zustand';
import {
  type CallAnswer,
  type CallInput,
  type Client,
  createClient,
  type PlainRouteId,
  type RouteId,
} from '../../electron/contract/client.ts';
import { callQuery, createQueryClient } from '../api/queries.ts';
import { createI18n, type I18n, type I18nState, preferredLocale } from '../i18n/index.ts';
import { type Commands, createCommands } from '../stores/commands.ts';
import { createDialogs, type Dialogs } from '../stores/dialogs.ts';
import { createLibrary, type Library } from '../stores/library.ts';
import { createLive, type Live } from '../stores/live.ts';
import { createLiveSession, type LiveSession } from '../stores/live-session.ts';
import { createPendingRequests, type PendingRequests } from '../stores/pending-requests.ts';
import { createPrefs, type Prefs, type PrefsStore } from '../stores/prefs.ts';
import { createRecording, type Recording } from '../stores/recording.ts';
import type { Router } from '../stores/router.ts';
import { createToasts, type Toasts } from '../stores/toasts.ts';
import { createUploads, type Uploads } from '../stores/uploads.ts';

/** The answer of an operation: fetched once for all who ask, and again when the server's events change it. */
export function useApi<Id extends PlainRouteId>(id: Id): UseQueryResult<CallAnswer<Id>>;
export function useApi<Id extends RouteId>(id: Id, input: CallInput<Id>): UseQueryResult<CallAnswer<Id>>;
export function useApi<Id extends RouteId>(id: Id, input?: CallInput<Id>): UseQueryResult<CallAnswer<Id>> {
  return useQuery(callQuery(useServices().client, id, input));
}

/** Exists before sign-in. */
export type CoreServices = {
  readonly baseUrl: string;
  readonly i18n: I18n;
  readonly prefs: PrefsStore;
  readonly toasts: Toasts;
  readonly router: Router;
};

/** Everything that a screen works with; created once per session. */
export type Services = CoreServices & {
  readonly key: string;
  readonly client: Client;
  readonly pending: PendingRequests;
  /** The cached answers of the server. */
  readonly queries: QueryClient;
  readonly library: Library;
  readonly live: Live;
  readonly dialogs: Dialogs;
  readonly commands: Commands;
  readonly uploads: Uploads;
  readonly recording: Recording;
  readonly liveSession: LiveSession;
};

export const createCoreServices = (baseUrl: string, router: Router): CoreServices => ({
  baseUrl,
  i18n: createI18n(),
  prefs: createPrefs(localStorage),
  toasts: createToasts(),
  router,
});

export const createServices = (core: CoreServices, key: string): Services => {
  const pending = createPendingRequests();
  const client = createClient({ baseUrl: core.baseUrl, key, fetch: pending.fetch });
  const live = createLive(client);
  const queries = createQueryClient();
  const library = createLibrary(client, queries);
  const recording = createRecording({ baseUrl: core.baseUrl, key });
  const liveSession = createLiveSession({ baseUrl: core.baseUrl, key, storage: sessionStorage });
  window.earshot?.onSaveRecording(async () => {
    await recording.save();
    await liveSession.finish();
  });
  return {
    ...core,
    key,
    client,
    pending,
    queries,
    library,
    live,
    dialogs: createDialogs(),
    commands: createCommands(),
    uploads: createUploads({ client, baseUrl: core.baseUrl, storage: sessionStorage }),
    recording,
    liveSession,
  };
};

const CoreServicesContext = createContext<CoreServices | undefined>(undefined);
const ServicesContext = createContext<Services | undefined>(undefined);

export const CoreServicesProvider = ({ value, children }: { value: CoreServices; children: ReactNode }) => (
  <CoreServicesContext value={value}>{children}</CoreServicesContext>
);
export const ServicesProvider = ({ value, children }: { value: Services; children: ReactNode }) => (
  <ServicesContext value={value}>
    <QueryClientProvider client={value.queries}>{children}</QueryClientProvider>
  </ServicesContext>
);

export const useCoreServices = (): CoreServices => {
  const core = useContext(CoreServicesContext);
  if (core === undefined) throw new Error('useCoreServices needs a CoreServicesProvider above it');
  return core;
};

export const useServices = (): Services => {
  const services = useContext(ServicesContext);
  if (services === undefined) throw new Error('useServices needs a ServicesProvider above it');
  return services;
};

/** `t` translates, `locale` formats numbers and dates. */
export const useI18n = (): I18nState => useStore(useCoreServices().i18n.store);

export const usePrefs = <T,>(select: (prefs: Prefs) => T): T =>
  useStore(useCoreServices().prefs.store, select);

/** The chosen language, or the browser's preferred one for `auto`. */
export const resolveLocale = (chosen: Prefs['locale']) =>
  chosen === 'auto' ? preferredLocale(navigator.languages) : chosen;
