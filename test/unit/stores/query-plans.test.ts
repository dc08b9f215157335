import { join } from 'node:path';
import { CompiledQuery } from 'kysely';
import { describe, expect, it } from 'vitest';
import { silentLogger } from '../../../electron/core/base/logger.ts';
import { openDatabase } from '../../../electron/core/stores/database.ts';
import { type FileFilter, filePage, listFiles, listFolders } from '../../../electron/core/stores/files.ts';
import { waitingJobs } from '../../../electron/core/stores/jobs.ts';
import { type TranscriptFilter, transcriptPage } from '../../../electron/core/stores/transcripts.ts';
import { fillFiles } from '../../support/fill-files.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const db = openDatabase(join(temporaryFolder(), 'plans.db'), { logger: silentLogger, now: Date.now });
const FILES = 2000;
const USER = fillFiles(db, FILES);
const PLAIN: FileFilter = { metadata: [], page: 1, limit: 20, sort: 'uploaded_at', order: 'desc' };

const LIST = { page: 1, limit: 50, sort: 'created_at', order: 'desc' } as const;

const explained = (query: { compile(): { sql: string; parameters: readonly unknown[] } }): string => {
  const { sql, parameters } = query.compile();
  // EXPLAIN QUERY PLAN returns rows of this form.
  const explain = CompiledQuery.raw(`EXPLAIN QUERY PLAN ${sql}`, [...parameters]);
  const steps = db.all<{ detail: string }>({ compile: () => explain as CompiledQuery<{ detail: string }> });
  return steps.map(({ detail }) => detail).join('; ');
};

const planOf = (filter: Partial<FileFilter>): string => explained(filePage(USER, { ...PLAIN, ...filter }));

describe('the query plan of a page of files', () => {
  it.each([
    ['by time', {}, 'files_uploaded'],
    ['by name', { sort: 'name' }, 'files_name'],
    ['by size', { sort: 'size' }, 'files_size'],
    ['of a folder', { folder: 'f1' }, 'files_folder'],
    ['of a folder by name', { folder: 'f1', sort: 'name' }, 'files_folder_name'],
    ['of a folder by size', { folder: 'f1', sort: 'size' }, 'files_folder_size'],
  ] as const)('%s uses an index and needs no sorting', (_, filter, index) => {
    const plan = planOf(filter);
    expect(plan).toContain(`USING INDEX ${index} (`);
    expect(plan).not.toContain('TEMP B-TREE');
  });

  it('uses the indexes of metadata and of parts of names', () => {
    expect(planOf({ metadata: [['project', 'p3']] })).toMatch(
      /file_metadata USING PRIMARY KEY \(user_id=\? AND key=\? AND value=\?\)/,
    );
    expect(planOf({ q: 'recording 42' })).toContain('files_text VIRTUAL TABLE INDEX');
    for (const filter of [
      { metadata: [['project', 'p3']] as const },
      { q: 'recording 42' },
      { prefix: `/${USER}/f1/` },
    ]) {
      expect(planOf({ ...filter, folder: 'f1' })).not.toMatch(/files_(uploaded|name|size|folder)/);
    }
    expect(planOf({ prefix: `/${USER}/f1/` })).toContain('(key>? AND key<?)');
  });

  it('returns the right rows', () => {
    expect(listFiles(db, USER, PLAIN).total).toBe(FILES);
    expect(listFiles(db, USER, { ...PLAIN, q: 'recording 1200' }).total).toBe(1);
    expect(listFiles(db, USER, { ...PLAIN, metadata: [['project', 'p3']] }).total).toBe(FILES / 100);
    expect(listFolders(db, USER)).toHaveLength(10);
  });
});

describe('the query plan of a page of transcripts', () => {
  it.each<[string, Partial<TranscriptFilter>, string]>([
    ['newest first', {}, 'transcripts_created (user_id=?)'],
    ['by length', { sort: 'duration' }, 'transcripts_duration (user_id=?)'],
    ['of a state', { status: 'failed' }, 'transcripts_status (user_id=? AND status=?)'],
    ['stopped', { reason: 'cancelled' }, 'transcripts_status (user_id=? AND status=?)'],
    ['of a language', { language: 'de' }, 'transcripts_language (user_id=? AND language=?)'],
    ['of a model', { model: 'pro' }, 'transcripts_model (user_id=? AND model=?)'],
    ['since a day', { createdFrom: 1 }, 'transcripts_created (user_id=? AND created_at>?)'],
    [
      'of a model since a day',
      { model: 'pro', createdFrom: 1 },
      'transcripts_model (user_id=? AND model=? AND created_at>?)',
    ],
  ])('%s uses an index and needs no sorting', (_, filter, index) => {
    const plan = explained(transcriptPage(USER, { ...LIST, ...filter }, 1000).query);
    expect(explained(transcriptPage(USER, { ...LIST, ...filter, page: 20 }, 1000).query)).toBe(plan);
    expect(plan).toContain(`USING INDEX ${index}`);
    expect(plan).not.toContain('TEMP B-TREE');
  });

  it('uses an index to find the transcripts of a file', () => {
    expect(explained(transcriptPage(USER, { ...LIST, fileId: 'file_1' }, 1000).query)).toContain(
      'USING INDEX transcripts_file (file_id=?)',
    );
  });
});

it('finds the waiting jobs without reading what is finished', () => {
  const plan = explained(waitingJobs);
  expect(plan).toContain('t USING INDEX transcripts_queue');
  expect(plan).toContain('transcripts USING INDEX transcripts_queue');
});
