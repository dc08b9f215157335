import type { AaiList, AaiListQuery, AaiStatus } from '../../../contract/assemblyai.ts';
import { isoTime } from '../../base/clock.ts';
import type { PageOfTranscripts } from '../../services/transcripts/pagination.ts';

const statusOf = (item: PageOfTranscripts['items'][number]): AaiStatus => {
  if (item.status === 'failed') return 'error';
  if (item.status === 'completed') return 'completed';
  return item.isRunning ? 'processing' : 'queued';
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
export const aaiList = (page: PageOfTranscripts, query: AaiListQuery, url: string): AaiList => {
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
