import type { QueryClient } from '@tanstack/react-query';
import { createStore } from 'zustand/vanilla';
import type { CallAnswer, CallInput, Client, RouteId } from '../../electron/contract/client.ts';
import { callQuery } from '../api/queries.ts';

export const PAGE_SIZE = 50;

/** PAGE_SIZE rows, or fewer on the last page, and the number of all rows that match. */
type PageOfRows<T> = { readonly items: readonly T[]; readonly total: number };

type Options<Id extends RouteId, Q, T> = {
  readonly client: Client;
  readonly queries: QueryClient;
  readonly id: Id;
  readonly query: Q;
  /** The request of a page; the first is 1. */
  readonly toInput: (query: Q, page: number) => CallInput<Id>;
  readonly toPage: (answer: CallAnswer<Id>) => PageOfRows<T>;
};

/** The pages, from 0, that contain the rows `first` to `last`. */
const pagesOf = (first: number, last: number): number[] => {
  const from = Math.floor(first / PAGE_SIZE);
  return Array.from({ length: Math.floor(last / PAGE_SIZE) - from + 1 }, (_, offset) => from + offset);
};

/**
 * The filter and order of a list. Its rows are cached page by page and fetched when they are visible, so that 100,000
 * rows cost no more than a hundred.
 */
export const createPagedList = <Id extends RouteId, Q extends object, T>(options: Options<Id, Q, T>) => {
  const { client, queries, id, toInput, toPage } = options;
  const store = createStore<Q>(() => options.query);
  const pageQuery = (query: Q, page: number) => callQuery(client, id, toInput(query, page + 1));
  return {
    store,
    toPage,
    pageQuery,
    /** The pages that are needed to show these rows: the first one has the total. */
    pagesFor: (first: number, last: number) => [...new Set([0, ...pagesOf(first, Math.max(first, last))])],
    /** Fetches the first page into the cache. */
    fetchFirst: async (): Promise<void> => {
      await queries.fetchQuery(pageQuery(store.getState(), 0));
    },
    setQuery: (change: Partial<Q>) => store.setState({ ...store.getState(), ...change }),
    /** A row by its index, if it is loaded. */
    rowAt: (index: number): T | undefined => {
      const page = Math.floor(index / PAGE_SIZE);
      const answer = queries.getQueryData(pageQuery(store.getState(), page).queryKey);
      return answer === undefined ? undefined : toPage(answer).items[index - page * PAGE_SIZE];
    },
  };
};

export type PagedList<Id extends RouteId, Q extends object, T> = ReturnType<typeof createPagedList<Id, Q, T>>;
