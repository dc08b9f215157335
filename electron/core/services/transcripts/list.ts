import type { RecentItem, UserListItem, UserListQuery } from '../../../contract/transcript-list.ts';
import { damageIn, presentWarning } from '../../../contract/warnings.ts';
import { type Clock, isoTime } from '../../base/clock.ts';
import { round, roundMs } from '../../base/numbers.ts';
import { formatMinutes } from '../../base/time.ts';
import type { JobRunner, LiveProgress } from '../../jobs/runner.ts';
import type { ReadableDb } from '../../stores/database.ts';
import {
  type CursorFilter,
  type ListedTranscript,
  listTranscripts,
  type TranscriptAtCursor,
  transcriptsAtCursor,
  userStatistics,
} from '../../stores/transcripts.ts';
import type { OwnFiles } from './create.ts';
import { errorOf, fileInfoOf, progressOf, statusOf } from './present.ts';

export type PageOfTranscripts = {
  /** Newest first. */
  readonly items: TranscriptAtCursor[];
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

type Deps = {
  readonly db: ReadableDb;
  readonly clock: Clock;
  readonly files: OwnFiles;
  readonly jobs: JobRunner;
};

const timeOf = (iso: string | undefined): number | undefined =>
  iso === undefined ? undefined : Date.parse(iso);

/** Stands for a file that does not exist, from which no transcript is made. */
const NO_FILE = '';

const TEXT_LENGTH = 100;

/** The first UTF-16 code units of a text, without half of a surrogate pair. */
const cutText = (text: string): string => {
  if (text.length <= TEXT_LENGTH) return text;
  const last = text.charCodeAt(TEXT_LENGTH - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? TEXT_LENGTH - 1 : TEXT_LENGTH);
};

const presentItem = (transcript: ListedTranscript, live: LiveProgress): UserListItem => {
  const { topics, speakers } = transcript.analysis;
  const damage = damageIn(transcript.warnings.map(presentWarning));
  return {
    id: transcript.id,
    name: transcript.name,
    text: cutText(transcript.preview),
    language: transcript.language,
    confidence: transcript.confidence === null ? null : round(transcript.confidence, 3),
    duration: roundMs(transcript.duration),
    word_count: transcript.wordCount,
    ...statusOf(transcript),
    model: transcript.model,
    created_at: isoTime(transcript.createdAt),
    completed_at: transcript.completedAt === null ? null : isoTime(transcript.completedAt),
    file_info: fileInfoOf(transcript),
    credits_used: transcript.creditsUsed,
    ...(topics === undefined ? {} : { topics }),
    ...(speakers === undefined ? {} : { speakers: Object.values(speakers).map((speaker) => speaker.name) }),
    ...progressOf(transcript, live),
    ...errorOf(transcript),
    ...(damage === undefined ? {} : { damage }),
  };
};

/** A page of a user's transcripts, with statistics of all of them. */
export const listOf = ({ db, files, jobs }: Deps, userId: string, query: UserListQuery) => {
  const { page, limit, file_key: key } = query;
  const { items, total } = listTranscripts(db, userId, {
    ...query,
    reason: query.status_reason,
    createdFrom: timeOf(query.created_from),
    createdTo: timeOf(query.created_to),
    fileId: key === undefined ? undefined : (files.ownFile(userId, key)?.id ?? NO_FILE),
  });
  const { transcripts, duration, credits, meanConfidence } = userStatistics(db, userId);
  const pages = Math.ceil(total / limit);
  return {
    transcriptions: items.map((item): UserListItem => presentItem(item, jobs.live(item.id))),
    pagination: { page, limit, total, pages, hasNext: page < pages, hasPrev: page > 1 },
    stats: {
      total_transcriptions: transcripts,
      total_duration: roundMs(duration),
      total_credits_used: round(credits, 2),
      average_confidence: round(meanConfidence, 3),
    },
  };
};

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/**
 * "just now", "5 minutes ago", "2 hours ago", "yesterday", "3 days ago", then a date such as "12 Nov 2026". A time in
 * the future, after the clock was set back, is "just now".
 */
const relativeDate = (then: number, now: number): string => {
  const age = now - then;
  const ago = (unitMs: number, unit: string): string => {
    const count = Math.floor(age / unitMs);
    return `${count} ${unit}${count === 1 ? '' : 's'} ago`;
  };
  if (age < MINUTE_MS) return 'just now';
  if (age < HOUR_MS) return ago(MINUTE_MS, 'minute');
  if (age < DAY_MS) return ago(HOUR_MS, 'hour');
  if (age < 2 * DAY_MS) return 'yesterday';
  if (age < 7 * DAY_MS) return ago(DAY_MS, 'day');
  return new Date(then).toLocaleDateString('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });
};

const CAPITALIZED = { processing: 'Processing', completed: 'Completed', failed: 'Failed' } as const;

/** The user's latest transcripts. */
export const recentOf = (
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  userId: string,
  limit: number,
): RecentItem[] => {
  const newestFirst = { page: 1, limit, sort: 'created_at', order: 'desc' } as const;
  return listTranscripts(db, userId, newestFirst).items.map((item) => ({
    id: item.id,
    name: item.name,
    date: relativeDate(item.createdAt, clock.now()),
    ...statusOf(item),
    status: CAPITALIZED[item.status],
    duration: formatMinutes(item.duration),
  }));
};
