import { once } from 'node:events';
import {
  closeSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { beforeEach, describe, expect, it } from 'vitest';
import { createClient } from '../../electron/contract/client.ts';
import { type CommandResult, runEarshot, runHere } from '../support/command-line.ts';
import { type InProcessServer, startInProcess } from '../support/server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

let dataDir: string;
let database: string;

const clientOf = ({ url, key }: InProcessServer) => createClient({ baseUrl: url, key });

const upload = async (server: InProcessServer, name: string, content: string): Promise<void> => {
  const body = new FormData();
  body.set('file', new File([content], name));
  await clientOf(server).call('uploadFile', { body });
};

const filesOf = async (server: InProcessServer): Promise<string[]> => {
  const { data } = await clientOf(server).call('listFiles', {});
  return data.files.map(({ original_name }) => original_name).toSorted();
};

type Outcome = { readonly code: unknown; readonly out: string };
const outcomeOf = ({ code, out, err }: CommandResult): Outcome => ({ code, out: out + err });
const doctor = async (...args: string[]): Promise<Outcome> =>
  outcomeOf(await runEarshot(dataDir, 'doctor', ...args));
const repair = async (): Promise<Outcome> => outcomeOf(await runHere(dataDir, 'doctor', '--repair', '--yes'));

const overwrite = (from: number, length: number, byte: number): void => {
  const file = openSync(database, 'r+');
  writeSync(file, Buffer.alloc(length, byte), 0, length, from);
  closeSync(file);
};

/** Overwrites the pages of one table or index. */
const damage = (name: string): void => {
  const file = new BetterSqlite3(database, { readonly: true });
  const pages = file.prepare('SELECT pageno FROM dbstat WHERE name = ?').pluck().all(name).map(Number);
  file.close();
  expect(pages.length).toBeGreaterThan(0);
  for (const page of pages) overwrite((page - 1) * 4096, 4096, 0xa5);
};

/** A library with a backup, and a file that is newer than it. */
const fill = async (withBackup = true): Promise<void> => {
  const server = await startInProcess({ dataDir });
  await upload(server, 'first.txt', 'the first note');
  await clientOf(server).call('createUser', { body: { name: 'Maria' } });
  if (withBackup) await clientOf(server).call('createBackup');
  await upload(server, 'second.txt', 'the second note');
  await server.close();
};

beforeEach(() => {
  dataDir = temporaryFolder();
  database = join(dataDir, 'earshot.db');
});

const aside = () => readdirSync(dataDir).filter((name) => name.startsWith('earshot.db.damaged-'));

const expectUsable = async (files: readonly unknown[]): Promise<void> => {
  const server = await startInProcess({ dataDir });
  expect(await filesOf(server)).toEqual(files);
  const { data } = await clientOf(server).call('listFiles', {});
  for (const { key, size } of data.files) {
    const answer = await fetch(`${server.url}/v1/storage/download${key}`, {
      headers: { authorization: `Bearer ${server.key}` },
    });
    expect((await answer.text()).length).toBe(size);
  }
  expect((await clientOf(server).call('storageInfo')).data.fileCount).toBe(files.length);
  await server.close();
};

const RECOVERED = expect.stringMatching(/^recovered \d{4}-\d\d-\d\d\.txt$/);

describe('earshot doctor on a damaged library', () => {
  it('says what happened and what can be done, and changes nothing', async () => {
    await fill();
    overwrite(0, 100, 0);
    const { code, out } = await doctor();
    expect(code).toBe(1);
    expect(out).toMatch(/Database +damaged\n.*Backup .*made \d{4}-/);
    expect(out).toContain('earshot doctor --repair');
    expect(aside()).toEqual([]);
    expect((await doctor('--repair')).out).toContain('--yes');
  });

  it('takes the backup where nothing can be read, and makes files of what it does not know', async () => {
    await fill();
    overwrite(0, 100, 0);
    const { code, out } = await doctor('--repair', '--yes');
    expect(out).toContain('1 stored file that');
    expect(code).toBe(0);
    expect(aside()).toHaveLength(1);
    await expectUsable(['first.txt', RECOVERED]);
  });

  it('reads what can be read, and takes the rest from the backup', async () => {
    await fill();
    damage('users');
    const { code, out } = await repair();
    expect(out).toMatch(/could not be read to their end: users; the rest is from the backup/);
    expect(code).toBe(0);
    await expectUsable(['first.txt', 'second.txt']);
    const file = new BetterSqlite3(database, { readonly: true });
    expect(file.prepare('SELECT count(*) FROM users').pluck().get()).toBe(2);
    file.close();
  });

  it('reads what can be read without a backup', async () => {
    await fill(false);
    damage('users');
    const { code, out } = await repair();
    expect(out).toContain('the rest is lost');
    expect(code).toBe(0);
    await expectUsable(['first.txt', 'second.txt']);
  });

  it('mends a damaged index without a loss', async () => {
    await fill();
    damage('files_uploaded');
    const { out } = await repair();
    expect(out).not.toContain('could not be read');
    await expectUsable(['first.txt', 'second.txt']);
  });

  it.each([
    ['an empty file', () => truncateSync(database, 0)],
    ['no file', () => rmSync(database)],
  ])('restores the backup over %s', async (_title, lose) => {
    await fill();
    lose();
    const { code } = await repair();
    expect(code).toBe(0);
    await expectUsable(['first.txt', RECOVERED]);
  });

  it('leaves a damaged backup aside', async () => {
    await fill();
    const [backup = ''] = readdirSync(join(dataDir, 'backups'));
    overwrite(0, 100, 0);
    const real = database;
    database = join(dataDir, 'backups', backup);
    overwrite(8192, 60_000, 0xa5);
    database = real;
    const { code } = await repair();
    expect(code).toBe(0);
    await expectUsable([RECOVERED, RECOVERED]);
  });

  it('keeps the audio of lost transcripts', async () => {
    await fill();
    overwrite(0, 100, 0);
    const stray = join(dataDir, 'transcripts', 'tr_lost');
    renameSync(temporaryFolder(), stray);
    const { out } = await repair();
    expect(out).toContain('audio of 1 lost transcript is');
    expect(readdirSync(join(dataDir, 'recovered'))).toEqual(['tr_lost']);
  });
});

it('a start that fails leaves the folder to the next one of the same process', async () => {
  const folder = temporaryFolder();
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const address = other.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  await expect(startInProcess({ dataDir: folder, port })).rejects.toThrow(`${port}`);
  other.close();
  const file = join(folder, 'secret');
  const secret = readFileSync(file);
  truncateSync(file, 10);
  await expect(startInProcess({ dataDir: folder })).rejects.toThrow('secret');
  writeFileSync(file, secret);
  await (await startInProcess({ dataDir: folder })).close();
});
