import type { QueryClient } from '@tanstack/react-query';
import { createStore } from 'zustand/vanilla';
import type { CallAnswer, Client } from '../../electron/contract/client.ts';
import type { TranscriptStatus } from '../../electron/contract/transcript.ts';
import type { UserListItem } from '../../electron/contract/transcript-list.ts';
import { invalidate } from '../api/queries.ts';
import { createPagedList, PAGE_SIZE } from './paged-list.ts';

type ListAnswer = CallAnswer<'listTranscripts'>;

export type LibrarySort = 'created_at' | 'duration' | 'confidence';
/** As people see it: what they stopped has not failed. */
export type TranscriptState = TranscriptStatus | 'stopped';
export type LibraryQuery = {
  readonly status: TranscriptState | undefined;
  readonly language: string | undefined;
  readonly model: string | undefined;
  /** First and last day, inclusive, as `2026-11-20` in local time. */
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly sort: LibrarySort;
  readonly order: 'asc' | 'desc';
};

type LibraryState = {
  /** Full-text query; kept while another screen is open. */
  readonly search: string;
  readonly selected: ReadonlySet<string>;
  /** Deleted in the window, but not yet on the server, so that undo can restore them. */
  readonly hidden: ReadonlySet<string>;
  /** The first transcript of all, if this window asked for it: it opens when it is done. */
  readonly awaited: string | undefined;
};

export const NO_FILTER = {
  status: undefined,
  language: undefined,
  model: undefined,
  from: undefined,
  to: undefined,
} as const;
const DEFAULT_QUERY: LibraryQuery = { ...NO_FILTER, sort: 'created_at', order: 'desc' };

/** Local midnight of a day, plus `later` days, as ISO 8601; undefined for an invalid date. */
const startOfDay = (day: string, later = 0): string | undefined => {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  const start = new Date(year, month - 1, date + later);
  return Number.isNaN(start.getTime()) ? undefined : start.toISOString();
};

const without = (set: ReadonlySet<string>, ids: readonly string[]): ReadonlySet<string> =>
  new Set([...set].filter((id) => !ids.includes(id)));

/** The part of the query of `listTranscripts` that selects a state. */
export const stateQuery = (state: TranscriptState | undefined) => {
  if (state === 'stopped') return { status_reason: 'cancelled' } as const;
  return state === 'failed' ? ({ status_reason: 'error' } as const) : { status: state };
};

/** Converts the filter to the query of `listTranscripts`. */
export const toListQuery = ({ from, to, status, ...query }: LibraryQuery) => ({
  ...query,
  ...stateQuery(status),
  created_from: from === undefined ? undefined : startOfDay(from),
  created_to: to === undefined ? undefined : startOfDay(to, 1),
});

/** The filtered and sorted list of transcripts, and its selection. */
export const createLibrary = (client: Client, queries: QueryClient) => {
  const store = createStore<LibraryState>(() => ({
    search: '',
    selected: new Set(),
    hidden: new Set(),
    awaited: undefined,
  }));

  const list = createPagedList<'listTranscripts', LibraryQuery, UserListItem>({
    client,
    queries,
    id: 'listTranscripts',
    query: DEFAULT_QUERY,
    toInput: (query, page) => ({ query: { page, limit: PAGE_SIZE, ...toListQuery(query) } }),
    toPage: ({ data }) => ({ items: data.transcriptions, total: data.pagination.total }),
  });

  return {
    store,
    list,
    /** Fetches the list again, for a change that the server's events may not report yet. */
    refresh: () => invalidate(queries, ['listTranscripts']),
    setQuery: (change: Partial<LibraryQuery>) => {
      store.setState({ selected: new Set() });
      list.setQuery(change);
    },
    setSearch: (search: string) => store.setState({ search }),
    select: (ids: Iterable<string>) => store.setState({ selected: new Set(ids) }),
    hide: (ids: readonly string[]) => {
      const { hidden, selected } = store.getState();
      store.setState({
        hidden: new Set([...hidden, ...ids]),
        selected: without(selected, ids),
      });
    },
    unhide: (ids: readonly string[]) => {
      store.setState({ hidden: without(store.getState().hidden, ids) });
    },
    /** A transcript of a loaded list. */
    find: (id: string): UserListItem | undefined => {
      for (const [, answer] of queries.getQueriesData<ListAnswer>({ queryKey: ['listTranscripts'] })) {
        const found = answer?.data.transcriptions.find((item) => item.id === id);
        if (found !== undefined) return found;
      }
      return undefined;
    },
    /** Changes loaded rows optimistically. */
    patch: (id: string, change: Partial<UserListItem>) =>
      queries.setQueriesData<ListAnswer>(
        { queryKey: ['listTranscripts'] },
        (answer) =>
          answer && {
            ...answer,
            data: {
              ...answer.data,
              transcriptions: answer.data.transcriptions.map((item) =>
                item.id === id ? { ...item, ...change } : item,
              ),
            },
          },
      ),
  };
};
export type Library = ReturnType<typeof createLibrary>;
