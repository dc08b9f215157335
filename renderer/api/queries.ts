import { QueryClient, queryOptions } from '@tanstack/react-query';
import type { CallAnswer, CallInput, Client, RouteId } from '../../electron/contract/client.ts';
import type { LiveEvent } from './live-events.ts';

/** One screen often asks several times within a moment; those share an answer. */
const FRESH_MS = 2_000;
/** One request often has several events. */
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
  'library.damaged': [],
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

type ModelProgress = Extract<LiveEvent, { type: 'model.progress' }>;

/**
 * Writes the progress of a download into the cached list of models: it arrives several times a second. Returns false if there
 * is more to it, so that the list has to be fetched.
 */
const showProgress = (queries: QueryClient, { id, received, total, state }: ModelProgress): boolean => {
  const query = queries.getQueryCache().find<CallAnswer<'listModels'>>({
    queryKey: ['listModels'],
    exact: false,
  });
  const answer = query?.state.data;
  const model = answer?.data.find((each) => each.id === id);
  if (query === undefined || query.state.isInvalidated || answer === undefined) return false;
  if (state !== 'downloading' || model?.download?.state !== state) return false;
  const shown = { ...model, download: { ...model.download, received, total } };
  query.setData({ ...answer, data: answer.data.map((each) => (each === model ? shown : each)) });
  return true;
};

/** Invalidates what the server's events change, and everything after missed events. Returns a function that stops it. */
export const invalidateOnEvents = (
  queries: QueryClient,
  live: { readonly listen: (listener: (event: LiveEvent) => void) => () => void },
): (() => void) => {
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
    if (event.type === 'model.progress' && showProgress(queries, event)) return;
    for (const id of CHANGED_BY[event.type]) changed.add(id);
    if (changed.size > 0) timer ??= setTimeout(flush, INVALIDATION_DELAY_MS);
  });
  return () => {
    stopListening();
    clearTimeout(timer);
  };
};
