import type { AaiListQuery } from '../../../contract/assemblyai.ts';
import type { ReadableDb } from '../../stores/database.ts';
import {
  type CursorFilter,
  type ListedTranscript,
  transcriptsAtCursor,
} from '../../stores/transcript-pagination.ts';

const DAY_MS = 86_400_000;

export type PageOfTranscripts = {
  /** Newest first. */
  readonly items: ListedTranscript[];
  readonly hasOlder: boolean;
  readonly hasNewer: boolean;
};

const STATUSES = {
  queued: { status: 'processing', running: false },
  processing: { status: 'processing', running: true },
  completed: { status: 'completed' },
  error: { status: 'failed' },
} as const satisfies Record<string, Partial<CursorFilter>>;

/** Cursor pagination of a user's transcripts: a cursor is the id of the first or last one on a page. */
export class TranscriptPagination {
  readonly #db: ReadableDb;

  constructor(db: ReadableDb) {
    this.#db = db;
  }

  around(userId: string, query: AaiListQuery): PageOfTranscripts {
    const from = query.created_on === undefined ? undefined : Date.parse(query.created_on);
    const filter: CursorFilter = {
      limit: query.limit,
      ...(query.status === undefined ? {} : STATUSES[query.status]),
      ...(from === undefined ? {} : { created: { from, to: from + DAY_MS } }),
    };
    // No job of ours is ever throttled.
    if (query.throttled_only === true) return { items: [], hasOlder: false, hasNewer: false };
    const items = transcriptsAtCursor(this.#db, userId, {
      ...filter,
      beforeId: query.before_id,
      afterId: query.after_id,
    });
    const hasMore = (cursor: Pick<CursorFilter, 'beforeId' | 'afterId'>) =>
      transcriptsAtCursor(this.#db, userId, { ...filter, ...cursor, limit: 1 }).length > 0;
    return {
      items,
      hasOlder: items.length > 0 && hasMore({ beforeId: items.at(-1)?.id }),
      hasNewer: items.length > 0 && hasMore({ afterId: items[0]?.id }),
    };
  }
}
