import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { systemCode } from '../../../electron/core/base/errors.ts';
import { objectsIn } from '../../http/storage/support/objects.ts';
import type { Random } from '../../support/random.ts';
import type { TestServer } from '../../support/server.ts';
import { until } from '../../support/until.ts';
import { storedFiles } from './actions.ts';
import {
  type KnownTranscript,
  type Library,
  MARKED_WORD,
  markOf,
  NOTE_SENTENCE,
  SECRET_SENTENCE,
  sha256,
} from './library.ts';

/** Generous, since a busy machine is no fault. */
const IDLE_MS = 300_000;

/** Opens the database for a moment only: a reader keeps the server from emptying the log. */
const inDatabase = <T>(dataDir: string, read: (db: BetterSqlite3.Database) => T): T => {
  const db = new BetterSqlite3(join(dataDir, 'earshot.db'), { readonly: true });
  try {
    return read(db);
  } finally {
    db.close();
  }
};

const count = (db: BetterSqlite3.Database, query: string): number => Number(db.prepare(query).pluck().get());

/** Waits until no job runs, and nothing is left to be analyzed, removed or scrubbed. */
const untilIdle = (dataDir: string): Promise<unknown> =>
  until(
    () =>
      inDatabase(
        dataDir,
        (db) =>
          count(db, `SELECT count(*) FROM transcripts WHERE status = 'processing'`) === 0 &&
          count(db, `SELECT count(*) FROM meta WHERE key = 'scrub' OR key LIKE 'outdated-analysis.%'`) ===
            0 &&
          count(db, 'SELECT count(*) FROM pending_objects') === 0,
      ),
    IDLE_MS,
  );

const SUMS: Readonly<Record<string, string>> = {
  'usage is not exact': `SELECT count(*) FROM storage_usage u WHERE bytes != (SELECT coalesce(sum(size), 0) FROM files WHERE user_id = u.user_id)
    OR files != (SELECT count(*) FROM files WHERE user_id = u.user_id)`,
  'statistics are not exact': `SELECT count(*) FROM statistics s WHERE transcripts != (SELECT count(*) FROM transcripts WHERE user_id = s.user_id)`,
  'a search entry has no transcript':
    'SELECT count(*) FROM search_rows WHERE transcript_id NOT IN (SELECT id FROM transcripts)',
  'a segment has no transcript':
    'SELECT count(*) FROM segments WHERE transcript_id NOT IN (SELECT id FROM transcripts)',
  'a segment is of no transcript, or was replaced': `SELECT count(*) FROM segments s LEFT JOIN segment_ranges r ON r.transcript_id = s.transcript_id
    WHERE s.id < coalesce(r.first_id, 0) OR s.id >= coalesce(r.first_id, 0) + 0x80000000`,
  'a key is doubled': 'SELECT count(*) - count(DISTINCT key) FROM files',
};

const databaseProblems = (dataDir: string): string[] =>
  inDatabase(dataDir, (db) => [
    ...(db.pragma('integrity_check', { simple: true }) === 'ok' ? [] : ['integrity_check failed']),
    ...Object.entries(SUMS).flatMap(([problem, query]) => (count(db, query) === 0 ? [] : [problem])),
  ]);

const transcriptProblems = async (server: TestServer, known: KnownTranscript): Promise<string[]> => {
  const { id, secret, isThere, isRedacted, name, notes } = known;
  const response = await server.fetch(`/v1/transcript/id/${id}`);
  const found = isThere.observe(response.ok);
  known.isBusy = false;
  if (!response.ok) return found === undefined ? [] : [`${id}: ${found}, status ${response.status}`];
  const t = await server.client.call('getTranscript', { params: { id } });
  const [first, ...rest] = t.segments.map(({ text }) => text);
  const word = (text: string | undefined) => notes.length > 0 && /\w*zq[a-p]{10}qz/.exec(text ?? '')?.[0];
  return [
    found,
    name.observe(t.name),
    isRedacted.observe(first !== SECRET_SENTENCE(secret)),
    ...notes.map((note, place) => note.observe(String(word(rest[place])))),
    notes.every((note, place) => rest[place] === NOTE_SENTENCE(note.known)) ? undefined : 'another sentence',
    t.text === t.segments.map(({ text }) => text).join(' ') ? undefined : 'text and segments differ',
    t.word_count === t.segments.flatMap(({ words = [] }) => words).length ? undefined : 'word_count is wrong',
    (first ?? '').includes(markOf(secret)) === !isRedacted.known ? undefined : 'half redacted',
  ].flatMap((problem) => (problem === undefined ? [] : [`${id}: ${problem}`]));
};

const fileProblems = async (server: TestServer, library: Library): Promise<string[]> => {
  const keys = await storedFiles(server);
  const problems: string[] = [];
  for (const file of library.files) {
    const fileKey = keys.get(`${file.word}.txt`);
    const problem = file.isThere.observe(fileKey !== undefined);
    file.isBusy = false;
    if (problem !== undefined) problems.push(`file ${file.word}: ${problem}`);
    if (fileKey === undefined) continue;
    const response = await server.client.send('downloadFile', { params: { fileKey } });
    const bytes = Buffer.from(await response.arrayBuffer());
    if (sha256(bytes) !== file.sha256) problems.push(`file ${file.word}: other bytes`);
  }
  const objects = objectsIn(join(server.dataDir, 'objects')).map((path) => basename(path));
  const rows = inDatabase(server.dataDir, (db) => db.prepare('SELECT object FROM files').pluck().all());
  if (objects.toSorted().join() !== rows.map(String).toSorted().join())
    problems.push('objects and rows differ');
  return problems;
};

const settingProblems = async (server: TestServer, library: Library): Promise<string[]> => {
  const { data } = await server.client.call('getSettings');
  const values = new Map(data.map(({ key, value }) => [key, value]));
  return [...library.settings].flatMap(([key, known]) => {
    const problem = known.value.observe(Number(values.get(key)));
    known.isBusy = false;
    return problem === undefined ? [] : [`${key}: ${problem}`];
  });
};

const wordsOf = ({ name, notes, secret, isRedacted }: KnownTranscript): string[] => [
  name.known,
  ...notes.map((note) => note.known),
  ...(isRedacted.known ? [] : [secret]),
];

/** Searches for words of some transcripts, and for some that no transcript contains any more. */
const searchProblems = async (
  server: TestServer,
  library: Library,
  gone: readonly string[],
  random: Random,
): Promise<string[]> => {
  const some = <T>(items: readonly T[]): T[] =>
    items.length === 0 ? [] : Array.from({ length: 12 }, () => random.pick(items));
  const there = library.transcripts.filter(({ isThere }) => isThere.known);
  const expected = [
    ...some(there.flatMap((t) => wordsOf(t).map((word) => ({ word, id: t.id })))),
    ...some(gone).map((word) => ({ word, id: '' })),
  ];
  const problems: string[] = [];
  for (const { word, id } of expected) {
    const { data } = await server.client.call('searchTranscripts', { query: { q: word } });
    const found = data.results.map((hit) => hit.id).join();
    if (found !== id) problems.push(`search for ${word} finds "${found}" instead of "${id}"`);
  }
  return problems;
};

/** Empty for a file that is removed meanwhile, as an outdated backup is. */
const contentOf = (path: string): string => {
  try {
    return readFileSync(path, 'latin1');
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
    return '';
  }
};

/** Words in any byte of the folder that should no longer be there. */
const byteProblems = (dataDir: string, library: Library): string[] => {
  const live = new Set([...library.liveWords()].map(markOf));
  return readdirSync(dataDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .flatMap((entry) => {
      const path = join(entry.parentPath, entry.name);
      const words = contentOf(path).match(MARKED_WORD) ?? [];
      return [...new Set(words)]
        .filter((word) => !live.has(word))
        .map((word) => `${word} is left in ${path.slice(dataDir.length)}`);
    });
};

/**
 * As `byteProblems`, once no replaced text is kept to be brought back, and there is a new backup: outdated ones are
 * renewed by themselves, too, but within minutes.
 */
const byteProblemsAfterBackup = async (server: TestServer, library: Library): Promise<string[]> => {
  for (const { id, isThere } of library.transcripts) {
    if (isThere.known) await server.client.call('forgetEdits', { params: { id } });
  }
  await untilIdle(server.dataDir);
  await server.client.call('createBackup');
  return byteProblems(server.dataDir, library);
};

/** Waits until a started server is idle, and compares everything that it holds with what was acknowledged. */
export const checkLibrary = async (
  server: TestServer,
  library: Library,
  gone: readonly string[],
  random: Random,
): Promise<string[]> => {
  await untilIdle(server.dataDir);
  const problems: string[] = [];
  for (const known of library.transcripts) problems.push(...(await transcriptProblems(server, known)));
  problems.push(...(await fileProblems(server, library)), ...(await settingProblems(server, library)));
  const { data } = await server.client.call('listTranscripts', { query: { limit: 1 } });
  const expected = library.transcripts.filter(({ isThere }) => isThere.known).length;
  if (data.pagination.total !== expected)
    problems.push(`${data.pagination.total} transcripts are listed instead of ${expected}`);
  problems.push(
    ...(await searchProblems(server, library, gone, random)),
    ...databaseProblems(server.dataDir),
    ...(await byteProblemsAfterBackup(server, library)),
  );
  return problems;
};
