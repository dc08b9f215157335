import type { ReadableDb } from '../../stores/database.ts';
import {
  type CursorFilter,
  type ListedTranscript,
  transcriptsAtCursor,
} from '../../stores/transcript-pagination.ts';

export type PageOfTranscripts = {
  /** Newest first. */
  readonly items: ListedTranscript[];
  readonly hasOlder: boolean;
  readonly hasNewer: boolean;
};

/** Cursor pagination of a user's transcripts: a cursor is the id of the first or last one on a page. */
export class TranscriptPagination {
  readonly #db: ReadableDb;

  constructor(db: ReadableDb) {
    this.#db = db;
  }

  around(userId: string, filter: CursorFilter): PageOfTranscripts {
    const items = transcriptsAtCursor(this.#db, userId, filter);
    const hasMore = (cursor: Pick<CursorFilter, 'beforeId' | 'afterId'>) =>
      transcriptsAtCursor(this.#db, userId, {
        ...filter,
        beforeId: undefined,
        afterId: undefined,
        ...cursor,
        limit: 1,
      }).length > 0;
    return {
      items,
      hasOlder: items.length > 0 && hasMore({ beforeId: items.at(-1)?.id }),
      hasNewer: items.length > 0 && hasMore({ afterId: items[0]?.id }),
    };
  }
}
