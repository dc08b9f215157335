import { createStore } from 'zustand/vanilla';
import type { Client } from '../../electron/contract/client.ts';
import type { TranscriptStatus } from '../../electron/contract/transcript.ts';
import type { UserListItem } from '../../electron/contract/transcript-list.ts';
import { debounce } from '../lib/debounce.ts';
import { createPagedList, PAGE_SIZE } from './paged-list.ts';

const REFRESH_DEBOUNCE_MS = 200;

export type LibrarySort = 'created_at' | 'duration' | 'confidence';
export type LibraryQuery = {
  readonly status: TranscriptStatus | undefined;
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
  readonly counts: { readonly all: number; readonly processing: number; readonly failed: number };
  readonly selected: ReadonlySet<string>;
  /** Deleted in the window, but not yet on the server, so that undo can restore them. */
  readonly hidden: ReadonlySet<string>;
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

/** Converts the filter to the query of `listTranscripts`. */
export const toListQuery = ({ from, to, ...query }: LibraryQuery) => ({
  ...query,
  created_from: from === undefined ? undefined : startOfDay(from),
  created_to: to === undefined ? undefined : startOfDay(to, 1),
});

/** The filtered and sorted list of transcripts, its selection, and counts per status. */
export const createLibrary = (client: Client) => {
  const store = createStore<LibraryState>(() => ({
    search: '',
    counts: { all: 0, processing: 0, failed: 0 },
    selected: new Set(),
    hidden: new Set(),
  }));

  const list = createPagedList<LibraryQuery, UserListItem>({
    query: DEFAULT_QUERY,
    load: async (query, page, signal) => {
      const { data } = await client.call('listTranscripts', {
        query: { page, limit: PAGE_SIZE, ...toListQuery(query) },
        signal,
      });
      const { counts } = store.getState();
      store.setState({ counts: { ...counts, all: data.stats.total_transcriptions } });
      return { items: data.transcriptions, total: data.pagination.total };
    },
  });

  const loadCounts = async () => {
    try {
      const [processing, failed] = await Promise.all(
        (['processing', 'failed'] as const).map((status) =>
          client.call('listTranscripts', { query: { status, limit: 1 } }),
        ),
      );
      if (processing === undefined || failed === undefined) return;
      store.setState({
        counts: {
          all: processing.data.stats.total_transcriptions,
          processing: processing.data.pagination.total,
          failed: failed.data.pagination.total,
        },
      });
    } catch (error) {
      list.store.setState({ error });
    }
  };

  const refreshNow = () => {
    list.refreshNow();
    void loadCounts();
  };

  return {
    store,
    list: list.store,
    show: list.show,
    refresh: debounce(refreshNow, REFRESH_DEBOUNCE_MS),
    refreshNow,
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
    /** Changes a loaded row optimistically. */
    patch: (id: string, change: Partial<UserListItem>) => list.patch((item) => item.id === id, change),
  };
};
export type Library = ReturnType<typeof createLibrary>;
