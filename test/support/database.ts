import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CreateTranscript } from '../../electron/contract/transcript.ts';
import { silentLogger } from '../../electron/core/base/logger.ts';
import { newTranscript } from '../../electron/core/services/transcripts/create.ts';
import type { Transcript, TranscriptChange } from '../../electron/core/stores/codecs.ts';
import { type Database, openDatabase } from '../../electron/core/stores/database.ts';
import { lastQueueOrder } from '../../electron/core/stores/jobs.ts';
import {
  findTranscript,
  insertTranscript,
  updateTranscript,
} from '../../electron/core/stores/transcripts.ts';
import { findUser, insertUser } from '../../electron/core/stores/users.ts';
import { afterFile } from './after-file.ts';
import { temporaryFolder } from './temporary-folder.ts';

const open = (path: string): Database => openDatabase(path, { logger: silentLogger, now: Date.now });

let migrated: Buffer | undefined;

/** The bytes of an empty database. Migrating once and copying saves most of the time that opening takes. */
const emptyDatabase = (): Buffer => {
  if (migrated !== undefined) return migrated;
  const path = join(temporaryFolder(), 'empty.db');
  open(path).close();
  migrated = readFileSync(path);
  return migrated;
};

/** A real, empty database in `folder`, closed after the test file. */
export const openTestDatabase = (folder = temporaryFolder()): Database => {
  const path = join(folder, 'earshot.db');
  writeFileSync(path, emptyDatabase());
  const db = open(path);
  afterFile(() => db.close());
  return db;
};

const addUser = (db: Database, id: string): void => {
  const limits = { storageLimit: null, creditBudget: null };
  if (findUser(db, id) === undefined)
    insertUser(db, { id, name: id, isOwner: false, createdAt: 0, ...limits });
};

/** Queues a job of `userId`, who is added where missing; returns the id, which is `id` where the change names one. */
export const addJob = (
  db: Database,
  userId = 'usr_1',
  { id, ...change }: TranscriptChange = {},
  request: Partial<Parameters<typeof CreateTranscript.parse>[0] & object> = {},
): string => {
  addUser(db, userId);
  const body = CreateTranscript.parse({ audio_url: 'https://example.org/a.wav', ...request });
  const made = {
    userId,
    source: { name: 'a.wav', fileId: null },
    queueOrder: lastQueueOrder(db) + 1,
    now: 1,
  };
  const transcript = newTranscript(body, made);
  const known = { ...transcript, id: id ?? transcript.id };
  insertTranscript(db, known);
  if (Object.keys(change).length > 0) updateTranscript(db, known.id, change);
  return known.id;
};

/** A transcript that must exist. */
export const transcriptIn = (db: Database, id: string): Transcript => {
  const transcript = findTranscript(db, id);
  if (transcript === undefined) throw new Error(`There is no transcript ${id}.`);
  return transcript;
};
