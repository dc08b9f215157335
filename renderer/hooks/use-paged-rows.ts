import { useQueries, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useStore } from 'zustand';
import type { RouteId } from '../../electron/contract/client.ts';
import { PAGE_SIZE, type PagedList } from '../stores/paged-list.ts';

/** The value after it has not changed for `milliseconds`. */
export const useDebouncedValue = <T>(value: T, milliseconds: number): T => {
  const [debounced, setDebounced] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(value), milliseconds);
    return () => clearTimeout(timer);
  }, [value, milliseconds]);
  return debounced;
};

/** The number of rows that match the list's query; undefined until the first answer. */
export const useRowCount = <Id extends RouteId, Q extends object, T>(list: PagedList<Id, Q, T>) => {
  const query = useStore(list.store);
  const first = useQuery(list.pageQuery(query, 0));
  return {
    total: first.data === undefined ? undefined : list.toPage(first.data).total,
    error: first.error,
    retry: () => void first.refetch(),
  };
};

/** The loaded rows by index around the rows `first` to `last`, which are fetched. */
export const usePagedRows = <Id extends RouteId, Q extends object, T>(
  list: PagedList<Id, Q, T>,
  first: number,
  last: number,
): ReadonlyMap<number, T> => {
  const query = useStore(list.store);
  const pages = list.pagesFor(first, last);
  return useQueries({
    queries: pages.map((page) => list.pageQuery(query, page)),
    combine: (results) => {
      const rows = new Map<number, T>();
      for (const [at, { data }] of results.entries()) {
        const start = (pages[at] ?? 0) * PAGE_SIZE;
        const items = data === undefined ? [] : list.toPage(data).items;
        for (const [offset, item] of items.entries()) rows.set(start + offset, item);
      }
      return rows;
    },
  });
};
