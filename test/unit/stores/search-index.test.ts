import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { sql as raw } from 'kysely';
import { describe, expect, it } from 'vitest';
import { CreateTranscript } from '../../../electron/contract/transcript.ts';
import { silentLogger } from '../../../electron/core/base/logger.ts';
import { SearchService } from '../../../electron/core/services/search.ts';
import { newTranscript } from '../../../electron/core/services/transcripts/create.ts';
import { type Database, openDatabase, query } from '../../../electron/core/stores/database.ts';
import { runPendingScrub } from '../../../electron/core/stores/scrub.ts';
import { markForScrub } from '../../../electron/core/stores/scrub-mark.ts';
import { rebuildIndexIfMarked } from '../../../electron/core/stores/search.ts';
import {
  findTranscript,
  insertTranscript,
  updateTranscript,
} from '../../../electron/core/stores/transcripts.ts';
import { insertUser } from '../../../electron/core/stores/users.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const USER = 'usr_1';
const SECRET = 'xylophonist';
/** Entries of the index without transcripts, which no page shows: older than the transcripts. */
const OLDER = 20_000;

const open = (folder: string): Database =>
  openDatabase(join(folder, 'earshot.db'), { logger: silentLogger, now: Date.now });

/** What the server does before it serves anything. */
const start = (folder: string): Database => {
  const db = open(folder);
  rebuildIndexIfMarked(db);
  runPendingScrub(db, Number.POSITIVE_INFINITY);
  return db;
};

const addTranscript = (db: Database, id: string, text: string, userId = USER): void => {
  const body = CreateTranscript.parse({ audio_url: 'https://example.org/a.wav' });
  const source = { name: 'a.wav', fileId: null };
  insertTranscript(db, { ...newTranscript(body, { userId, source, queueOrder: 1, now: 1 }), id });
  updateTranscript(db, id, { status: 'completed', text });
};

const withTranscripts = (folder: string): Database => {
  const db = start(folder);
  const limits = { storageLimit: null, creditBudget: null };
  insertUser(db, { id: USER, name: 'Ann', isOwner: true, createdAt: 1, ...limits });
  addTranscript(db, 'tr_1', `Call the ${SECRET} today.`);
  addTranscript(db, 'tr_2', 'Another text.');
  return db;
};

const found = (db: Database, text: string): string[] =>
  new SearchService(db).search(USER, text, 1, 10).results.map(({ id }) => id);

const bytesOf = (folder: string): string =>
  readdirSync(folder)
    .map((name) => readFileSync(join(folder, name)).toString('latin1'))
    .join('\n');

/** The files as a kill at this moment would leave them. */
const killed = (folder: string): string => {
  const copy = temporaryFolder();
  cpSync(folder, copy, { recursive: true });
  return copy;
};

describe('the search index', () => {
  it('changes with the text and the name', () => {
    const db = withTranscripts(temporaryFolder());
    expect(found(db, SECRET)).toEqual(['tr_1']);
    updateTranscript(db, 'tr_1', { text: 'Call the [PERSON] today.' });
    updateTranscript(db, 'tr_2', { name: 'Quarterly zeppelin' });
    expect(found(db, SECRET)).toEqual([]);
    expect(found(db, 'zeppelin')).toEqual(['tr_2']);
  });

  it("never matches the column of owners, nor finds another's transcripts", () => {
    const db = withTranscripts(temporaryFolder());
    addTranscript(db, 'tr_3', 'They wrote usr1 and usr2 on the wall.');
    const searches = () => ['usr1', 'usr2', 'us', 'usr*', '"usr1 and"', 'text'].map((q) => found(db, q));
    const alone = searches();
    expect(alone).toEqual([['tr_3'], ['tr_3'], ['tr_3'], ['tr_3'], ['tr_3'], ['tr_2']]);
    const limits = { storageLimit: null, creditBudget: null };
    insertUser(db, { id: 'usr_2', name: 'Bob', isOwner: false, createdAt: 1, ...limits });
    addTranscript(db, 'tr_4', 'Another text, by usr1.', 'usr_2');
    expect(searches()).toEqual(alone);
    const search = new SearchService(db).search('usr_2', 'usr1', 1, 10);
    expect(search.results.map(({ id }) => id)).toEqual(['tr_4']);
    expect(search.pagination.total).toBe(1);
  });

  it('ranks up to 20,000 matches; of more come those in a name, then the newest, each once', () => {
    const db = withTranscripts(temporaryFolder());
    addTranscript(db, 'tr_3', 'Budget, budget, budget.');
    addTranscript(db, 'tr_4', 'The budget is late.');
    updateTranscript(db, 'tr_1', { name: 'The budget' });
    const search = (q: string, page: number) => new SearchService(db).search(USER, q, page, 2);
    const idsOf = (q: string, page: number) => search(q, page).results.map(({ id }) => id);
    // A word in a name counts as five in a text.
    expect([idsOf('budget', 1), idsOf('budget', 2)]).toEqual([['tr_1', 'tr_3'], ['tr_4']]);
    db.run(
      query(raw`
        INSERT INTO search_index (rowid, owner, name, body)
        WITH RECURSIVE rows (row) AS (SELECT -1 UNION ALL SELECT row - 1 FROM rows WHERE row > ${-OLDER})
        SELECT row, ${USER.replace('_', '')}, 'older', 'budget' FROM rows`),
    );
    for (const q of ['budget', 'budget ', '"budget"']) {
      expect([idsOf(q, 1), idsOf(q, 2)], q).toEqual([['tr_1', 'tr_4'], ['tr_3']]);
      expect(Math.abs(search(q, 1).results[0]?.score ?? 1), q).toBe(0);
      expect(search(q, 1).pagination.total, q).toBe(OLDER + 3);
    }
  });

  it('does not change when the transaction fails', () => {
    const db = withTranscripts(temporaryFolder());
    expect(() =>
      db.transaction(() => {
        updateTranscript(db, 'tr_2', { text: 'A zeppelin.' });
        throw new Error('later');
      }),
    ).toThrow('later');
    expect(found(db, 'zeppelin')).toEqual([]);
    expect(found(db, 'another')).toEqual(['tr_2']);
  });

  it('hides a transcript while its text is still to be redacted', () => {
    const db = withTranscripts(temporaryFolder());
    const { options } = findTranscript(db, 'tr_1') ?? {};
    if (options === undefined) throw new Error('There is no such transcript.');
    updateTranscript(db, 'tr_1', { status: 'processing', options: { ...options, topics: true } });
    expect(found(db, SECRET)).toEqual(['tr_1']);
    updateTranscript(db, 'tr_1', { status: 'processing', options: { ...options, redact_pii: true } });
    expect(found(db, SECRET)).toEqual([]);
    updateTranscript(db, 'tr_1', { status: 'completed', options });
    expect(found(db, SECRET)).toEqual(['tr_1']);
  });

  it('does not hold a transcript before it completes', () => {
    const db = withTranscripts(temporaryFolder());
    addTranscript(db, 'tr_3', 'A zeppelin.');
    updateTranscript(db, 'tr_3', { status: 'failed' });
    const body = CreateTranscript.parse({ audio_url: 'https://example.org/a.wav' });
    const source = { name: 'a.wav', fileId: null };
    insertTranscript(db, {
      ...newTranscript(body, { userId: USER, source, queueOrder: 1, now: 1 }),
      id: 'tr_4',
    });
    updateTranscript(db, 'tr_4', { text: 'Another zeppelin.', name: 'zeppelin' });
    expect(found(db, 'zeppelin')).toEqual(['tr_3']);
  });

  it('is rebuilt from the texts where a migration asks for it', () => {
    const folder = temporaryFolder();
    withTranscripts(folder).close();
    const file = new BetterSqlite3(join(folder, 'earshot.db'));
    file.exec(`UPDATE transcripts SET text = 'Call the [PERSON] today.' WHERE id = 'tr_1'`);
    file.exec(`UPDATE transcripts SET text = 'A zeppelin.' WHERE id = 'tr_2'`);
    file.exec(`UPDATE meta SET value = '0' WHERE key = 'clean'`);
    file.exec(`INSERT INTO meta (key, value) VALUES ('search.rebuild', '1'), ('scrub', 'index')`);
    file.close();
    const db = start(folder);
    expect(found(db, SECRET)).toEqual([]);
    expect(found(db, 'zeppelin')).toEqual(['tr_2']);
    db.close();
    expect(bytesOf(folder)).not.toContain(SECRET);
  });
});

describe('a crash right after the commit of a redaction', () => {
  it('leaves no word of the old text after the next start', () => {
    const folder = temporaryFolder();
    const db = withTranscripts(folder);
    db.transaction(() => {
      updateTranscript(db, 'tr_1', { text: 'Call the [PERSON] today.' });
      markForScrub(db, 'index');
    });
    const copy = killed(folder);
    expect(bytesOf(copy)).toContain(SECRET);
    const after = start(copy);
    expect(found(after, SECRET)).toEqual([]);
    expect(bytesOf(copy)).not.toContain(SECRET);
    expect(found(after, 'call')).toEqual(['tr_1']);
  });

  it('keeps the wider scope when two changes are pending', () => {
    const folder = temporaryFolder();
    const db = withTranscripts(folder);
    updateTranscript(db, 'tr_1', { text: '' });
    markForScrub(db, 'index');
    markForScrub(db, 'log');
    runPendingScrub(db);
    expect(bytesOf(folder)).not.toContain(SECRET);
  });
});
