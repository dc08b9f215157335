import type { QueryClient } from '@tanstack/react-query';
import type { Client } from '../../electron/contract/client.ts';
import type { StoredFile } from '../../electron/contract/storage.ts';
import { createPagedList, PAGE_SIZE } from './paged-list.ts';

export type FilesSort = 'uploaded_at' | 'name' | 'size';
type FilesQuery = {
  readonly folder: string;
  /** Searches names and metadata in every folder. */
  readonly q: string;
  readonly sort: FilesSort;
  readonly order: 'asc' | 'desc';
};

/** The files of a folder, or of a search. */
export const createFileList = (client: Client, queries: QueryClient, folder: string) =>
  createPagedList<'listFiles', FilesQuery, StoredFile>({
    client,
    queries,
    id: 'listFiles',
    query: { folder, q: '', sort: 'uploaded_at', order: 'desc' },
    toInput: (query, page) => ({
      query: {
        page,
        limit: PAGE_SIZE,
        sort: query.sort,
        order: query.order,
        q: query.q === '' ? undefined : query.q,
        folder: query.q !== '' || query.folder === '' ? undefined : query.folder,
      },
    }),
    toPage: ({ data }) => ({ items: data.files, total: data.pagination.total }),
  });
export type FileList = ReturnType<typeof createFileList>;
