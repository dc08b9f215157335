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

/** The files of a folder, or of a search. Loads nothing before the first `setQuery`. */
export const createFileList = (client: Client, folder: string) =>
  createPagedList<FilesQuery, StoredFile>({
    query: { folder, q: '', sort: 'uploaded_at', order: 'desc' },
    load: async (query, page, signal) => {
      const { data } = await client.call('listFiles', {
        query: {
          page,
          limit: PAGE_SIZE,
          sort: query.sort,
          order: query.order,
          q: query.q === '' ? undefined : query.q,
          folder: query.q !== '' || query.folder === '' ? undefined : query.folder,
        },
        signal,
      });
      return { items: data.files, total: data.pagination.total };
    },
  });
export type FileList = ReturnType<typeof createFileList>;
