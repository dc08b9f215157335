import { z } from 'zod';
import { Pagination, Probability, queryInt, Seconds, success, Timestamp, TranscriptId } from './common.ts';
import { JobError, Progress } from './job.ts';
import { LanguageCode } from './recognition.ts';
import { FileInfo, StatusReason, TRANSCRIPT_STATUSES } from './transcript.ts';
import { Warning } from './warnings.ts';

export const RecentQuery = z.strictObject({ limit: queryInt(1, 100, 10) });
export const RecentItem = z
  .object({
    id: TranscriptId,
    name: z.string(),
    date: z.string().describe('Relative, e.g. "5 minutes ago".'),
    status: z.enum(['Completed', 'Processing', 'Failed']),
    status_reason: StatusReason.optional(),
    duration: z.string().describe('MM:SS, minutes growing past 59.'),
  })
  .meta({ id: 'RecentItem' });
export type RecentItem = z.output<typeof RecentItem>;

export const UserListQuery = z.strictObject({
  page: queryInt(1, 1e9, 1),
  limit: queryInt(1, 100, 20),
  status: z.enum(TRANSCRIPT_STATUSES).optional(),
  status_reason: StatusReason.optional().describe(
    'Only failed ones: those that their user stopped (`cancelled`), or all others (`error`).',
  ),
  language: LanguageCode.optional(),
  model: z.string().min(1).max(200).optional().describe('As requested: `model` of the items.'),
  created_from: z.iso.datetime({ offset: true }).optional().describe('Created at this time or later.'),
  created_to: z.iso.datetime({ offset: true }).optional().describe('Created before this time.'),
  file_key: z.string().min(1).max(8192).optional().describe('Created from this stored file.'),
  sort: z.enum(['created_at', 'duration', 'confidence']).default('created_at'),
  order: z.enum(['asc', 'desc']).default('desc'),
});
export type UserListQuery = z.output<typeof UserListQuery>;

export const UserListItem = z
  .object({
    id: TranscriptId,
    name: z.string(),
    text: z.string().describe('Truncated to 100 characters.'),
    language: z.string().nullable(),
    confidence: Probability.nullable(),
    duration: Seconds,
    word_count: z.int(),
    status: z.enum(TRANSCRIPT_STATUSES),
    status_reason: StatusReason.optional(),
    model: z.string(),
    created_at: Timestamp,
    completed_at: Timestamp.nullable(),
    file_info: FileInfo.nullable(),
    credits_used: z.number(),
    topics: z.array(z.string()).optional(),
    speakers: z.array(z.string()).optional().describe('Names of the speakers, in order of first speech.'),
    progress: Progress.optional(),
    error: JobError.optional(),
    damage: Warning.optional().describe('The warning of a file that ends early or is damaged.'),
  })
  .meta({ id: 'UserListItem' });
export type UserListItem = z.output<typeof UserListItem>;

export const Stats = z.object({
  total_transcriptions: z.int(),
  total_duration: z.number(),
  total_credits_used: z.number(),
  average_confidence: z.number(),
});

export const UserList = success(
  z.object({ transcriptions: z.array(UserListItem), pagination: Pagination, stats: Stats }),
).meta({ id: 'UserList' });
