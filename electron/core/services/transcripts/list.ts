import type { RecentItem, UserListItem, UserListQuery } from '../../../contract/transcript-list.ts';
import { round, roundMs } from '../../base/numbers.ts';
import * as store from '../../stores/transcripts.ts';
import type { TranscriptOptions } from './index.ts';
import { presentListItem, presentRecent } from './present.ts';

type Parts = Pick<TranscriptOptions, 'db' | 'clock' | 'files' | 'jobs'>;

const timeOf = (iso: string | undefined): number | undefined =>
  iso === undefined ? undefined : Date.parse(iso);

/** No transcript is made from a file that is not there. */
const NO_FILE = '';

/** The list of section 4.3 of the interface: a page of a user's transcripts, with statistics over all of them. */
export const listOf = ({ db, files, jobs }: Parts, userId: string, query: UserListQuery) => {
  const { page, limit, file_key: key } = query;
  const { items, total } = store.listTranscripts(db, userId, {
    ...query,
    createdFrom: timeOf(query.created_from),
    createdTo: timeOf(query.created_to),
    fileId: key === undefined ? undefined : (files.ownFile(userId, key)?.id ?? NO_FILE),
  });
  const statistics = store.userStatistics(db, userId);
  const pages = Math.ceil(total / limit);
  return {
    transcriptions: items.map((item): UserListItem => presentListItem(item, jobs.live(item.id))),
    pagination: { page, limit, total, pages, hasNext: page < pages, hasPrev: page > 1 },
    stats: {
      total_transcriptions: statistics?.transcripts ?? 0,
      total_duration: roundMs(statistics?.duration ?? 0),
      total_credits_used: round(statistics?.credits ?? 0, 2),
      average_confidence:
        statistics === undefined || statistics.confidence_count === 0
          ? 0
          : round(statistics.confidence_sum / statistics.confidence_count, 3),
    },
  };
};

export const recentOf = ({ db, clock }: Parts, userId: string, limit: number): RecentItem[] => {
  const { items } = store.listTranscripts(db, userId, { page: 1, limit, sort: 'created_at', order: 'desc' });
  return items.map((item) => presentRecent(item, clock.now()));
};
