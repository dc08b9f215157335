import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { resultOf, runEarshot } from '../../support/command-line.ts';
import { fixture, ONE_SENTENCE } from '../../support/fixtures.ts';
import { SYNTHETIC, spawnEarshot } from '../../support/server.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';
import { type Behavior, startUrlServer, type UrlServer } from '../../support/url-server.ts';

const NOTE = 'Another command uses the service of this one, which ends after it.';
const WAITS = 'Waiting for another command, which uses the data folder.';

let remote: UrlServer;

beforeAll(async () => {
  remote = await startUrlServer();
});
afterAll(() => remote.close());

/** Serves a recording once it is released. */
const heldRecording = (path: string): { readonly url: string; release(): void; isAsked(): boolean } => {
  let release: () => void = () => {};
  let isAsked = false;
  const released = new Promise<void>((done) => {
    release = done;
  });
  const behavior: Behavior = (_request, response) => {
    isAsked = true;
    void released.then(() => response.end(fixture(ONE_SENTENCE)));
  };
  return { url: remote.set(path, behavior), release: () => release(), isAsked: () => isAsked };
};

const transcribe = (dataDir: string, url: string): Promise<ChildProcess> => {
  const options = ['-m', 'starter-parakeet', '-f', 'txt', ...SYNTHETIC, '--allow-private-addresses'];
  return spawnEarshot(['transcribe', url, ...options, '--data-dir', dataDir]);
};

/** What a process has printed so far. */
const output = (child: ChildProcess): (() => string) => {
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => (said += chunk.toString()));
  return () => said;
};

it('a command’s own service ends after the commands that use it', async () => {
  const dataDir = temporaryFolder();
  const [first, second] = [heldRecording('/first.wav'), heldRecording('/second.wav')];
  const owner = await transcribe(dataDir, first.url);
  const said = output(owner);
  const ownerEnd = once(owner, 'close');
  await until(first.isAsked);
  const guestEnd = resultOf(await transcribe(dataDir, second.url));
  const database = new BetterSqlite3(join(dataDir, 'earshot.db'), { readonly: true });
  const asked = database.prepare("SELECT count(*) FROM transcripts WHERE name = 'second.wav'").pluck();
  await until(() => asked.get() === 1);
  database.close();
  first.release();
  await until(() => said().includes(NOTE));
  expect([said().includes('Good morning'), owner.exitCode]).toEqual([true, null]);
  second.release();
  expect(await guestEnd).toMatchObject({ code: 0, out: expect.stringContaining('Good morning') });
  expect(await ownerEnd).toEqual([0, null]);
});

it('a service that starts beside a command waits for it, and stays', async () => {
  const dataDir = temporaryFolder();
  const held = heldRecording('/held.wav');
  const commandEnd = resultOf(await transcribe(dataDir, held.url));
  await until(held.isAsked);
  const service = await spawnEarshot(['serve', '--port', '0', '--data-dir', dataDir]);
  const said = output(service);
  await until(() => said().includes(WAITS));
  held.release();
  expect((await commandEnd).code).toBe(0);
  await until(() => said().includes('Ctrl-C stops'));
  expect(await runEarshot(dataDir, 'keys', 'list')).toMatchObject({ code: 0, err: '' });
  const end = once(service, 'close');
  service.kill('SIGTERM');
  expect(await end).toEqual([0, null]);
});

/** Two suffice for a race; each is a process. */
const COMMANDS = ['list', 'list'];

it('commands that start at once all find a service', async () => {
  const dataDir = temporaryFolder();
  const results = await Promise.all(COMMANDS.map((command) => runEarshot(dataDir, 'keys', command)));
  expect(results.map(({ code }) => code)).toEqual(COMMANDS.map(() => 0));
  // The one whose service the others use says so where they take long.
  for (const { err } of results) expect(['', `${NOTE}\n`]).toContain(err);
});
