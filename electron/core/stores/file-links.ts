import { sql as raw } from 'kysely';
import type { LinkEffect } from '../../contract/storage.ts';
import { type ReadableDb, sql } from './database.ts';
import type { FileRecord } from './files.ts';
import type { Transcript } from './transcript-record.ts';

/** A transcript that was made from a stored file. */
export type FileLink = Pick<Transcript, 'id' | 'name' | 'status'> & {
  readonly isRedacted: boolean;
  /** What becomes of it when the file is deleted. */
  readonly effect: LinkEffect;
};

export type LinkCount = Pick<FileLink, 'isRedacted' | 'effect'> & { readonly count: number };

const redacted = raw<number>`coalesce(options ->> '$.redact_pii', 0)`;
/** A redacted transcript never plays the original; one with audio of its own, such as a bleeped recording, keeps that. */
const effect = raw<LinkEffect>`CASE
  WHEN audio_file IS NOT NULL THEN 'nothing'
  WHEN status = 'processing' THEN 'job_fails'
  WHEN status = 'failed' THEN 'retry_lost'
  WHEN ${redacted} THEN 'nothing'
  ELSE 'audio_lost' END`;

type OwnFile = Pick<FileRecord, 'id' | 'userId'>;

const linked = ({ id, userId }: OwnFile) =>
  sql
    .selectFrom('transcripts')
    .where('file_id', '=', id)
    // The plus keeps SQLite from using an index on user_id.
    .where(raw<string>`+user_id`, '=', userId);

/** The newest transcripts that were made from a user's file. */
export const linksOfFile = (db: ReadableDb, file: OwnFile, limit: number): FileLink[] =>
  db
    .all(
      linked(file)
        .select(['id', 'name', 'status', redacted.as('redacted'), effect.as('effect')])
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit),
    )
    .map(({ redacted, ...link }) => ({ ...link, isRedacted: redacted !== 0 }));

/** The numbers of transcripts that were made from a user's file, by kind. */
export const countLinksOfFile = (db: ReadableDb, file: OwnFile): LinkCount[] =>
  db
    .all(
      linked(file)
        .select((eb) => [redacted.as('redacted'), effect.as('effect'), eb.fn.countAll<number>().as('count')])
        .groupBy(['redacted', 'effect']),
    )
    .map(({ redacted, ...kind }) => ({ ...kind, isRedacted: redacted !== 0 }));
