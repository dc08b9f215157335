import { join } from 'node:path';
import { CompiledQuery } from 'kysely';
import { describe, expect, it } from 'vitest';
import { silentLogger } from '../../electron/core/base/logger.ts';
import { openDatabase } from '../../electron/core/stores/database.ts';
import { type FileFilter, filePage, listFiles, listFolders } from '../../electron/core/stores/file-list.ts';
import { temporaryFolder } from './support/client.ts';
import { fillFiles } from './support/fill.ts';

const db = openDatabase(join(temporaryFolder(), 'plans.db'), { logger: silentLogger, now: Date.now });
const USER = fillFiles(db, 5000);
const PLAIN: FileFilter = { metadata: [], page: 1, limit: 20, sort: 'uploaded_at', order: 'desc' };

const planOf = (filter: Partial<FileFilter>): string => {
  const { sql, parameters } = filePage(USER, { ...PLAIN, ...filter }).compile();
  // EXPLAIN QUERY PLAN answers with rows of this form.
  const explain = CompiledQuery.raw(`EXPLAIN QUERY PLAN ${sql}`, [...parameters]);
  const steps = db.all<{ detail: string }>({ compile: () => explain as CompiledQuery<{ detail: string }> });
  return steps.map(({ detail }) => detail).join('; ');
};

describe('the plan of a page of files', () => {
  it.each([
    ['by time', {}, 'files_uploaded'],
    ['by name', { sort: 'name' }, 'files_name'],
    ['by size', { sort: 'size' }, 'files_size'],
    ['of a folder', { folder: 'f1' }, 'files_folder'],
    ['of a folder by name', { folder: 'f1', sort: 'name' }, 'files_folder_name'],
    ['of a folder by size', { folder: 'f1', sort: 'size' }, 'files_folder_size'],
  ] as const)('%s walks along an index, without sorting', (_, filter, index) => {
    const plan = planOf(filter);
    expect(plan).toContain(`USING INDEX ${index} (`);
    expect(plan).not.toContain('TEMP B-TREE');
  });

  it('finds metadata and parts of names through their indexes', () => {
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

  it('gives the right rows', () => {
    expect(listFiles(db, USER, PLAIN).total).toBe(5000);
    expect(listFiles(db, USER, { ...PLAIN, q: 'recording 4200' }).total).toBe(1);
    expect(listFiles(db, USER, { ...PLAIN, metadata: [['project', 'p3']] }).total).toBe(50);
    expect(listFolders(db, USER)).toHaveLength(10);
  });
});
