import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import BetterSqlite3 from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { segmentOf, storeTranscript } from '../support/long-transcript.ts';
import { filesWhose } from '../support/secrets.ts';
import { discard, startServer, type TestServer } from '../support/server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

let server: TestServer;

/** Two words that only one transcript has, without their beginnings, which the index shares between neighboring words. */
type Traces = readonly [string, string];

/** A transcript of each test, so that one start and one backup serve them all. */
const WORDS = {
  'deleted, after a while': ['Xylophonist', 'Quetzalcoatl'],
  'deleted, after a stop': ['Zymurgist', 'Popocatepetl'],
  'deleted, after a kill': ['Kapellmeister', 'Krakatau'],
  'replaced, after a while': ['Jabberwock', 'Huitzilopochtli'],
  'replaced, after a stop': ['Vexillologist', 'Tenochtitlan'],
  'replaced, after a kill': ['Ombudsman', 'Yggdrasil'],
  'deleted, while somebody reads': ['Mnemosynist', 'Ixtaccihuatl'],
} as const;
type Name = keyof typeof WORDS;
const ids = new Map<Name, string>();
const FILE_WORDS = ['Wainwright', 'Chimborazo'] as const;
/** Three signs of a file's name: a term of the index of parts of names, which has no neighbor with the same beginning. */
const FILE_SIGNS = 'ꙮ𒐫𒈙';
/** As the files are read. */
const FILE_TERM = Buffer.from(FILE_SIGNS).toString('latin1');

const tracesOf = ([one, other]: readonly [string, string]): Traces => [
  one.slice(1).toLowerCase(),
  other.slice(1).toLowerCase(),
];

const patch = async (name: Name, text: string): Promise<void> => {
  const segments = [{ id: 0, text }];
  const params = { id: ids.get(name) ?? '' };
  await server.client.call('patchTranscript', { params, body: { segments, name: text } });
};

/** Every file of the data folder that contains one of the words, in any case. */
const filesWith = (words: readonly [string, string]): string[] =>
  filesWhose(server.dataDir, (content) => {
    const text = content.toString('latin1').toLowerCase();
    return tracesOf(words).some((trace) => text.includes(trace));
  });

const expectInBackup = (words: readonly [string, string]): void =>
  expect(filesWith(words)).toContainEqual(expect.stringContaining(join('backups', 'earshot-')));
/** Asks seldom: each time reads the whole folder. */
const untilGone = (words: readonly [string, string]) =>
  until(() => filesWith(words).length === 0, 120_000, 2000);

const backups = async () => (await server.client.call('listBackups')).data;

/** Until there are two generations: their names tell seconds. */
const backUpTwice = () =>
  until(async () => {
    await server.client.call('createBackup');
    return (await backups()).length === 2;
  });

beforeAll(async () => {
  const dataDir = temporaryFolder();
  const store = () => storeTranscript(dataDir, [segmentOf(0, 0, ['Good', 'morning.'])]);
  // One stays, so that no table is empty.
  store();
  const names = Object.keys(WORDS).filter((key): key is Name => key in WORDS);
  for (const name of names) ids.set(name, store());
  server = await startServer({ dataDir, quick: true });
  for (const name of names) {
    const [one, other] = WORDS[name];
    await patch(name, `The ${one} met ${other}.`);
  }
  await backUpTwice();
  await server.stop();
  server = await startServer({ dataDir: server.dataDir });
  for (const words of Object.values(WORDS)) expectInBackup(words);
});
afterAll(() => discard(server));

const remove = (name: Name) =>
  server.client.call('deleteTranscript', { params: { id: ids.get(name) ?? '' } });
/** A text that is replaced can be brought back until its edits are forgotten. */
const replace = async (name: Name) => {
  await patch(name, 'The pianist met nobody.');
  await server.client.call('forgetEdits', { params: { id: ids.get(name) ?? '' } });
};

it('the name and the metadata of a deleted file are in no file after a while', async () => {
  const [name, guest] = FILE_WORDS;
  const body = new FormData();
  body.set('file', new File(['a note'], `${FILE_SIGNS} ${name}.txt`));
  body.set('metadata', JSON.stringify({ guest }));
  const { data } = await server.client.call('uploadFile', { body });
  await server.client.call('createBackup');
  expectInBackup(FILE_WORDS);
  await server.client.call('deleteFile', { params: { fileKey: data.file.key } });
  await untilGone(FILE_WORDS);
  await untilGone([`_${FILE_TERM}`, guest]);
});

const ACTS = { deleted: remove, replaced: replace } as const;

it.each(['deleted', 'replaced'] as const)('text that is %s is in no file after a while', async (how) => {
  const name = `${how}, after a while` as const;
  expectInBackup(WORDS[name]);
  await ACTS[how](name);
  await untilGone(WORDS[name]);
});

// What makes the service erase a text is tested above; a stop and a kill erase what is left, of both at once.
describe('text that is deleted or replaced', () => {
  const hows = ['deleted', 'replaced'] as const;
  const namesOf = (when: 'stop' | 'kill') => hows.map((how) => `${how}, after a ${when}` as const);
  const act = async (when: 'stop' | 'kill') => {
    for (const how of hows) await ACTS[how](`${how}, after a ${when}`);
  };

  it('is in no file after a stop', async () => {
    const names = namesOf('stop');
    for (const name of names) expectInBackup(WORDS[name]);
    await act('stop');
    await server.stop();
    const left = names.flatMap((name) => filesWith(WORDS[name]));
    server = await startServer({ dataDir: server.dataDir });
    expect(left).toEqual([]);
  });

  it('is in no file once a server that was killed answers again, and there is a backup', async () => {
    const names = namesOf('kill');
    await backUpTwice();
    for (const name of names) expectInBackup(WORDS[name]);
    await act('kill');
    await server.kill();
    // Of a copy that the kill interrupted.
    const interrupted = names.map((name) => `The ${WORDS[name][0]}.`).join(' ');
    writeFileSync(join(server.dataDir, 'backups', 'unfinished.db'), interrupted);
    server = await startServer({ dataDir: server.dataDir });
    for (const name of names)
      expect(filesWith(WORDS[name]).filter((path) => !path.includes('backups'))).toEqual([]);
    // A start waits for a new backup, but no longer than a few seconds.
    for (const name of names) await untilGone(WORDS[name]);
    await until(async () => (await backups()).length === 1);
  });
});

it('a stop waits for a program that reads the database, and erases then', async () => {
  const words = WORDS['deleted, while somebody reads'];
  const reader = new BetterSqlite3(join(server.dataDir, 'earshot.db'), { readonly: true });
  reader.exec('BEGIN');
  reader.prepare('SELECT count(*) FROM transcripts').get();
  await remove('deleted, while somebody reads');
  const stopped = server.stop();
  await delay(1500);
  expect(filesWith(words)).not.toEqual([]);
  reader.exec('COMMIT');
  reader.close();
  await stopped;
  expect(filesWith(words)).toEqual([]);
});
