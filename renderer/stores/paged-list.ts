import { createStore } from 'zustand/vanilla';
import { debounce } from '../lib/debounce.ts';

export const PAGE_SIZE = 50;
const REFRESH_DEBOUNCE_MS = 200;

type PagedState<Q, T> = {
  readonly query: Q;
  /** Number of rows that match the query; undefined until the first answer. */
  readonly total: number | undefined;
  /** Loaded rows by index: a sparse list. */
  readonly rows: ReadonlyMap<number, T>;
  readonly error: unknown;
};

type Page<T> = { readonly items: readonly T[]; readonly total: number };

type Options<Q, T> = {
  readonly query: Q;
  /** Loads `PAGE_SIZE` rows; the first page is 1. */
  readonly load: (query: Q, page: number, signal: AbortSignal) => Promise<Page<T>>;
};

/** The pages, from 0, that contain the rows `first` to `last`. */
const pagesOf = (first: number, last: number): number[] => {
  const from = Math.floor(first / PAGE_SIZE);
  return Array.from({ length: Math.floor(last / PAGE_SIZE) - from + 1 }, (_, offset) => from + offset);
};

/**
 * Loads a list page by page around the visible rows, so that 100,000 rows cost no more than a hundred. `refresh`
 * reloads the visible pages and drops the others.
 */
export const createPagedList = <Q extends object, T>({ query: initialQuery, load }: Options<Q, T>) => {
  const store = createStore<PagedState<Q, T>>(() => ({
    query: initialQuery,
    total: undefined,
    rows: new Map(),
    error: undefined,
  }));
  const loading = new Map<number, AbortController>();
  let inView = { first: 0, last: PAGE_SIZE - 1 };
  // Incremented with each query, so that answers to an older one are dropped.
  let generation = 0;

  const loadPage = async (page: number, force: boolean) => {
    if (loading.has(page) && !force) return;
    loading.get(page)?.abort();
    const controller = new AbortController();
    loading.set(page, controller);
    const startedIn = generation;
    try {
      const { items, total } = await load(store.getState().query, page + 1, controller.signal);
      if (startedIn !== generation || controller.signal.aborted) return;
      const rows = new Map(store.getState().rows);
      for (let index = 0; index < PAGE_SIZE; index++) {
        const item = items[index];
        if (item === undefined) rows.delete(page * PAGE_SIZE + index);
        else rows.set(page * PAGE_SIZE + index, item);
      }
      store.setState({ rows, total, error: undefined });
    } catch (error) {
      if (!controller.signal.aborted && startedIn === generation) store.setState({ error });
    } finally {
      if (loading.get(page) === controller) loading.delete(page);
    }
  };

  const refreshNow = () => {
    const visible = new Set(pagesOf(inView.first, inView.last));
    const rows = new Map(
      [...store.getState().rows].filter(([index]) => visible.has(Math.floor(index / PAGE_SIZE))),
    );
    store.setState({ rows });
    for (const page of visible) void loadPage(page, true);
  };

  return {
    store,
    refreshNow,
    refresh: debounce(refreshNow, REFRESH_DEBOUNCE_MS),
    /** Sets the visible rows and loads the missing ones. */
    show: (from: number, to: number) => {
      inView = { first: from, last: Math.max(from, to) };
      const { rows, total } = store.getState();
      for (const page of pagesOf(inView.first, inView.last)) {
        const end = Math.min((page + 1) * PAGE_SIZE, total ?? PAGE_SIZE) - 1;
        if (!rows.has(page * PAGE_SIZE) || !rows.has(end)) void loadPage(page, false);
      }
    },
    setQuery: (change: Partial<Q>) => {
      generation++;
      for (const controller of loading.values()) controller.abort();
      loading.clear();
      inView = { first: 0, last: PAGE_SIZE - 1 };
      const query = { ...store.getState().query, ...change };
      store.setState({ query, rows: new Map(), total: undefined, error: undefined });
      void loadPage(0, true);
    },
    /** Changes loaded rows optimistically. */
    patch: (fits: (item: T) => boolean, change: Partial<T>) => {
      const { rows } = store.getState();
      store.setState({
        rows: new Map([...rows].map(([index, item]) => [index, fits(item) ? { ...item, ...change } : item])),
      });
    },
  };
};
