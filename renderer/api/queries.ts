import { QueryClient, queryOptions } from '@tanstack/react-query';
import type { CallInput, Client, RouteId } from '../../electron/contract/client.ts';
import type { Live } from '../stores/live.ts';
import type { LiveEvent } from './live-events.ts';

/** One screen often asks several times within a moment; those share an answer. */
const FRESH_MS = 2_000;
/** Progress of a download arrives many times per second. */
const INVALIDATION_DELAY_MS = 200;

/** The operations whose answers an event changes. */
const CHANGED_BY: Readonly<Record<LiveEvent['type'], readonly RouteId[]>> = {
  snapshot: [],
  'transcript.created': ['listTranscripts', 'fileLinks'],
  'transcript.progress': [],
  'transcript.completed': [
    'listTranscripts',
    'searchTranscripts',
    'transcriptPeaks',
    'listDeliveries',
    'fileLinks',
  ],
  'transcript.failed': ['listTranscripts', 'listDeliveries', 'fileLinks'],
  'transcript.changed': ['listTranscripts', 'searchTranscripts', 'fileLinks', 'listTermSuggestions'],
  'transcript.deleted': [
    'listTranscripts',
    'searchTranscripts',
    'listFiles',
    'storageInfo',
    'fileLinks',
    'listTermSuggestions',
  ],
  'file.created': ['listFiles', 'storageInfo'],
  'file.deleted': ['listFiles', 'storageInfo'],
  'model.progress': ['listModels', 'system'],
  'queue.changed': ['listTranscripts'],
};
/** Answers that stay true until an event says otherwise. */
const FOLLOWED: ReadonlySet<RouteId> = new Set(['listTranscripts', 'listFiles', 'storageInfo', 'listModels']);

/** The cached answers. Requests go out while the browser reports no network: the server is usually this computer. */
export const createQueryClient = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: { networkMode: 'always', retry: false, refetchOnWindowFocus: false, staleTime: FRESH_MS },
    },
  });

/** The options under which react-query fetches and caches the answer of an operation. */
export const callQuery = <Id extends RouteId>(client: Client, id: Id, input?: CallInput<Id>) =>
  queryOptions({
    queryKey: [id, input],
    queryFn: ({ signal }) => client.call(id, Object.assign({ signal }, input)),
    ...(FOLLOWED.has(id) ? { staleTime: Number.POSITIVE_INFINITY } : {}),
  });

/** Fetches the visible answers of these operations again, and the others when they are shown. */
export const invalidate = async (queries: QueryClient, ids: readonly RouteId[]): Promise<void> => {
  await Promise.all(ids.map((id) => queries.invalidateQueries({ queryKey: [id] })));
};

/** Invalidates what the server's events change, and everything after missed events. Returns a function that stops it. */
export const invalidateOnEvents = (queries: QueryClient, live: Pick<Live, 'listen'>): (() => void) => {
  const changed = new Set<RouteId>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let hasSnapshot = false;
  const flush = () => {
    timer = undefined;
    const ids = [...changed];
    changed.clear();
    void invalidate(queries, ids);
  };
  const stopListening = live.listen((event) => {
    if (event.type === 'snapshot') {
      if (hasSnapshot) void queries.invalidateQueries();
      hasSnapshot = true;
      return;
    }
    for (const id of CHANGED_BY[event.type]) changed.add(id);
    if (changed.size > 0) timer ??= setTimeout(flush, INVALIDATION_DELAY_MS);
  });
  return () => {
    stopListening();
    clearTimeout(timer);
  };
};
