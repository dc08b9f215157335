import { createStore } from 'zustand/vanilla';
import type { Client } from '../../electron/contract/client.ts';
import type { TranscriptStatus, UserListItem } from '../../electron/contract/transcript.ts';
import { debounce } from '../lib/debounce.ts';

export const PAGE_SIZE = 50;

export type LibrarySort = 'created_at' | 'duration' | 'confidence';
export type LibraryQuery = {
  readonly status: TranscriptStatus | undefined;
  readonly language: string | undefined;
  readonly sort: LibrarySort;
  readonly order: 'asc' | 'desc';
};

export type LibraryState = {
  /** What is searched in everything that was said; kept while another page is open. */
  readonly search: string;
  readonly query: LibraryQuery;
  /** What the filter leaves; undefined until the first answer. */
  readonly total: number | undefined;
  /** Loaded rows by their place in the list: a sparse list, however long it is. */
  readonly rows: ReadonlyMap<number, UserListItem>;
  readonly error: unknown;
  readonly counts: { readonly all: number; readonly processing: number; readonly failed: number };
  readonly selected: ReadonlySet<string>;
  /** Deleted by the person, but not yet sent: an undo brings them back. */
  readonly hidden: ReadonlySet<string>;
};

const FIRST_QUERY: LibraryQuery = {
  status: undefined,
  language: undefined,
  sort: 'created_at',
  order: 'desc',
};

/**
 * The list of transcripts, loaded page by page around what is on the screen, so that 100,000 rows cost no more
 * than a hundred. `refresh` loads the pages in view again and drops the others.
 */
export const createLibrary = (client: Client) => {
  const store = createStore<LibraryState>(() => ({
    search: '',
    query: FIRST_QUERY,
    total: undefined,
    rows: new Map(),
    error: undefined,
    counts: { all: 0, processing: 0, failed: 0 },
    selected: new Set(),
    hidden: new Set(),
  }));
  const loading = new Map<number, AbortController>();
  let inView = { first: 0, last: PAGE_SIZE - 1 };
  // Raised by every change of the query: answers to an older one are dropped.
  let generation = 0;

  const loadPage = async (page: number, fresh: boolean) => {
    if (loading.has(page) && !fresh) return;
    loading.get(page)?.abort();
    const controller = new AbortController();
    loading.set(page, controller);
    const asked = generation;
    const { status, language, sort, order } = store.getState().query;
    try {
      const { data } = await client.call('listTranscripts', {
        query: {
          page: page + 1,
          limit: PAGE_SIZE,
          sort,
          order,
          ...(status === undefined ? {} : { status }),
          ...(language === undefined ? {} : { language }),
        },
        signal: controller.signal,
      });
      if (asked !== generation) return;
      const rows = new Map(store.getState().rows);
      for (let index = 0; index < PAGE_SIZE; index++) {
        const item = data.transcriptions[index];
        if (item === undefined) rows.delete(page * PAGE_SIZE + index);
        else rows.set(page * PAGE_SIZE + index, item);
      }
      const { counts } = store.getState();
      store.setState({
        rows,
        total: data.pagination.total,
        error: undefined,
        counts: { ...counts, all: data.stats.total_transcriptions },
      });
    } catch (error) {
      if (!controller.signal.aborted && asked === generation) store.setState({ error });
    } finally {
      if (loading.get(page) === controller) loading.delete(page);
    }
  };

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
      store.setState({ error });
    }
  };

  const pagesInView = () => {
    const first = Math.floor(inView.first / PAGE_SIZE);
    const last = Math.floor(inView.last / PAGE_SIZE);
    return Array.from({ length: last - first + 1 }, (_, offset) => first + offset);
  };

  const refreshNow = () => {
    const keep = new Set(pagesInView());
    const rows = new Map(
      [...store.getState().rows].filter(([index]) => keep.has(Math.floor(index / PAGE_SIZE))),
    );
    store.setState({ rows });
    for (const page of keep) void loadPage(page, true);
    void loadCounts();
  };
  const refresh = debounce(refreshNow, 200);

  return {
    store,
    refresh,
    refreshNow,
    /** Tells which rows are on the screen; loads what is missing among them. */
    show: (first: number, last: number) => {
      inView = { first, last: Math.max(first, last) };
      const { rows, total } = store.getState();
      for (const page of pagesInView()) {
        const end = Math.min((page + 1) * PAGE_SIZE, total ?? PAGE_SIZE) - 1;
        if (!rows.has(page * PAGE_SIZE) || !rows.has(end)) void loadPage(page, false);
      }
    },
    setQuery: (change: Partial<LibraryQuery>) => {
      generation++;
      for (const controller of loading.values()) controller.abort();
      loading.clear();
      inView = { first: 0, last: PAGE_SIZE - 1 };
      store.setState({
        query: { ...store.getState().query, ...change },
        rows: new Map(),
        total: undefined,
        error: undefined,
        selected: new Set(),
      });
      void loadPage(0, true);
    },
    setSearch: (search: string) => store.setState({ search }),
    select: (ids: Iterable<string>) => store.setState({ selected: new Set(ids) }),
    hide: (ids: readonly string[]) => {
      const { hidden, selected } = store.getState();
      const gone = new Set(ids);
      store.setState({
        hidden: new Set([...hidden, ...ids]),
        selected: new Set([...selected].filter((id) => !gone.has(id))),
      });
    },
    unhide: (ids: readonly string[]) => {
      const gone = new Set(ids);
      store.setState({ hidden: new Set([...store.getState().hidden].filter((id) => !gone.has(id))) });
    },
    /** Changes a loaded row in place, ahead of the server's own word. */
    patch: (id: string, change: Partial<UserListItem>) => {
      const { rows } = store.getState();
      for (const [index, item] of rows) {
        if (item.id !== id) continue;
        store.setState({ rows: new Map(rows).set(index, { ...item, ...change }) });
        return;
      }
    },
  };
};
export type Library = ReturnType<typeof createLibrary>;
