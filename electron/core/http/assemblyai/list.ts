import type { AaiList, AaiListQuery, AaiStatus } from '../../../contract/assemblyai.ts';
import { isoTime } from '../../base/clock.ts';
import type { PageOfTranscripts, TranscriptPagination } from '../../services/transcripts/list.ts';

const statusOf = (item: PageOfTranscripts['items'][number]): AaiStatus => {
  if (item.status === 'failed') return 'error';
  if (item.status === 'completed') return 'completed';
  return item.isRunning ? 'processing' : 'queued';
};

const DAY_MS = 86_400_000;

const STATUSES = {
  queued: { status: 'processing', running: false },
  processing: { status: 'processing', running: true },
  completed: { status: 'completed' },
  error: { status: 'failed' },
} as const;

/** The page that a query asks for. */
const pageOf = (pagination: TranscriptPagination, userId: string, query: AaiListQuery): PageOfTranscripts => {
  // No job of ours is ever throttled.
  if (query.throttled_only === true) return { items: [], hasOlder: false, hasNewer: false };
  const from = query.created_on === undefined ? undefined : Date.parse(query.created_on);
  return pagination.around(userId, {
    limit: query.limit,
    ...(query.status === undefined ? {} : STATUSES[query.status]),
    ...(from === undefined ? {} : { created: { from, to: from + DAY_MS } }),
    beforeId: query.before_id,
    afterId: query.after_id,
  });
};

/** The URL of the list with another cursor. */
const pageUrl = (url: string, cursor: 'before_id' | 'after_id', id: string): string => {
  const next = new URL(url);
  next.searchParams.delete('before_id');
  next.searchParams.delete('after_id');
  next.searchParams.set(cursor, id);
  return next.href;
};

/** A page of transcripts, newest first. */
export const aaiList = (
  pagination: TranscriptPagination,
  userId: string,
  query: AaiListQuery,
  url: string,
): AaiList => {
  const page = pageOf(pagination, userId, query);
  const { origin } = new URL(url);
  const newest = page.items[0];
  const oldest = page.items.at(-1);
  return {
    page_details: {
      limit: query.limit,
      result_count: page.items.length,
      current_url: new URL(url).href,
      prev_url: page.hasOlder && oldest !== undefined ? pageUrl(url, 'before_id', oldest.id) : null,
      next_url: page.hasNewer && newest !== undefined ? pageUrl(url, 'after_id', newest.id) : null,
    },
    transcripts: page.items.map((item) => ({
      id: item.id,
      resource_url: `${origin}/v2/transcript/${item.id}`,
      status: statusOf(item),
      created: isoTime(item.createdAt),
      completed: item.completedAt === null ? null : isoTime(item.completedAt),
      audio_url: item.audioUrl,
      error: item.errorMessage,
    })),
  };
};
