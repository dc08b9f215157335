import type { AaiListQuery } from '../../../contract/compat/assemblyai.ts';
import type { ReadableDb } from '../../stores/database.ts';
import { type PagedTranscript, type PageFilter, pageOfTranscripts } from '../../stores/transcript-pages.ts';

const DAY_MS = 86_400_000;

export type TranscriptPage = {
  /** Newest first. */
  readonly items: PagedTranscript[];
  readonly hasOlder: boolean;
  readonly hasNewer: boolean;
};

const STATUSES = {
  queued: { status: 'processing', running: false },
  processing: { status: 'processing', running: true },
  completed: { status: 'completed' },
  error: { status: 'failed' },
} as const satisfies Record<string, Partial<PageFilter>>;

/** A user's transcripts page by page, by the ids at their edges. */
export class TranscriptPages {
  readonly #db: ReadableDb;

  constructor(db: ReadableDb) {
    this.#db = db;
  }

  around(userId: string, query: AaiListQuery): TranscriptPage {
    const from = query.created_on === undefined ? undefined : Date.parse(query.created_on);
    const filter: PageFilter = {
      limit: query.limit,
      ...(query.status === undefined ? {} : STATUSES[query.status]),
      ...(from === undefined ? {} : { created: { from, to: from + DAY_MS } }),
    };
    // Nothing is ever throttled here.
    if (query.throttled_only === true) return { items: [], hasOlder: false, hasNewer: false };
    const items = pageOfTranscripts(this.#db, userId, {
      ...filter,
      beforeId: query.before_id,
      afterId: query.after_id,
    });
    const beyond = (cursor: Pick<PageFilter, 'beforeId' | 'afterId'>) =>
      pageOfTranscripts(this.#db, userId, { ...filter, ...cursor, limit: 1 }).length > 0;
    return {
      items,
      hasOlder: items.length > 0 && beyond({ beforeId: items.at(-1)?.id }),
      hasNewer: items.length > 0 && beyond({ afterId: items[0]?.id }),
    };
  }
}
