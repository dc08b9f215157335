import { equal, match, ok } from 'node:assert/strict';
import { appendFile, open, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { ApiError } from '../../electron/contract/client.ts';
import { spawnEarshot, type TestServer } from '../support/server.ts';
import { fillDisk, smallDisk } from '../support/small-disk.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { storeTalk } from '../support/written-talk.ts';
import { slow } from './support/behaviors.ts';
import type { Fault, FaultContext } from './support/context.ts';

const DATABASE = 'earshot.db';

/** Starts a server that must refuse the data folder; returns what it wrote to stderr. */
const refusedStart = async (dataDir: string): Promise<string> => {
  const child = await spawnEarshot(['serve', '--json', '--port', '0', '--data-dir', dataDir]);
  let stderr = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const code = await new Promise<number | null>((done) => child.once('close', done));
  ok(code !== 0, 'the start is refused');
  return stderr.trim();
};

/** Overwrites `bytes` bytes of a file. */
const overwrite = async (path: string, from: number, bytes: number): Promise<void> => {
  const file = await open(path, 'r+');
  await file.write(Buffer.alloc(bytes, 0xa5), 0, bytes, from);
  await file.close();
};

const damagedDatabase = (
  name: string,
  quick: boolean,
  damage: (path: string, size: number) => Promise<void>,
): Fault => ({
  name,
  quick,
  run: async (context) => {
    let server = await context.start();
    const id = await context.submit(server, context.urls.url('/short.wav'));
    await context.expectTruth(server, id, '/short.wav');
    await context.stop(server);
    const path = join(server.dataDir, DATABASE);
    const backup = await readFile(path);
    await damage(path, backup.length);
    const message = await refusedStart(server.dataDir);
    match(message, /database of this data folder is (damaged|missing or empty)/);
    equal(message.split('\n').length, 1, 'one line');
    ok((await readdir(join(server.dataDir, 'transcripts'))).includes(id), 'the audio is still there');
    await writeFile(path, backup);
    server = await context.start({ dataDir: server.dataDir });
    await context.expectTruth(server, id, '/short.wav');
    return `refused; with the earlier database everything is there: ${message.slice(0, 60)}…`;
  },
});

const onSmallDisk = (
  name: string,
  run: (context: FaultContext, server: TestServer, disk: string) => Promise<string>,
): Fault => ({
  name,
  quick: false,
  run: async (context) => {
    const disk = await smallDisk(160);
    if (disk === undefined) return 'skipped: this account cannot mount a small file system';
    try {
      const dataDir = join(disk.path, 'data');
      const server = await context.start({ dataDir });
      await context.truth(server, '/long.wav');
      const seen = await run(context, server, disk.path);
      await context.stop(server);
      return seen;
    } finally {
      await disk.release();
    }
  },
});

/** Starts a server whose wall clock can be set to `days` from the machine's. */
const startWithClock = async (context: FaultContext) => {
  const offset = join(temporaryFolder(), 'offset');
  const setClock = (days: number) => writeFile(offset, String(days * 24 * 3600 * 1000));
  await setClock(0);
  const shift = join(import.meta.dirname, 'support', 'shifted-clock.mjs');
  const server = await context.start({
    env: { NODE_OPTIONS: `--import ${shift}`, TEST_CLOCK_OFFSET: offset },
  });
  return { server, setClock };
};

export const dataFaults: readonly Fault[] = [
  damagedDatabase('a database with an overwritten header', false, (path) => overwrite(path, 0, 100)),
  damagedDatabase('a database with overwritten pages after a clean stop', false, (path, size) =>
    overwrite(path, 8192, size - 8192),
  ),
  damagedDatabase('an empty database file', false, (path) => truncate(path, 0)),
  damagedDatabase('a missing database file', false, (path) => rm(path)),
  {
    name: 'a torn write-ahead log after a kill -9',
    quick: true,
    run: async (context) => {
      let server = await context.start();
      const { promise: held, resolve: letEnd } = Promise.withResolvers<void>();
      const slowly = context.urls.set('/slow.wav', slow(context.short, 200_000, held));
      const ids = [await context.submit(server, slowly)];
      await context.reached(server, ids[0] ?? '', 'downloading');
      for (let i = 1; i < 2; i++) ids.push(await context.submit(server, context.urls.url('/short.wav')));
      await context.kill(server);
      letEnd();
      await appendFile(join(server.dataDir, `${DATABASE}-wal`), Buffer.alloc(5000, 0x5a));
      server = await context.start({ dataDir: server.dataDir });
      for (const id of ids) await context.expectTruth(server, id, '/short.wav');
      return 'all acknowledged jobs, one of them downloading, were there and completed';
    },
  },
  {
    name: 'a database of a newer version',
    quick: true,
    run: async () => {
      const dataDir = temporaryFolder();
      storeTalk(dataDir, 'Talk', [['A', 'Good morning.']]);
      const path = join(dataDir, DATABASE);
      const file = new BetterSqlite3(path);
      file.pragma('user_version = 999999');
      file.close();
      const message = await refusedStart(dataDir);
      match(message, /newer version of Earshot/);
      const after = new BetterSqlite3(path, { readonly: true });
      equal(after.pragma('user_version', { simple: true }), 999_999);
      after.close();
      return `refused, untouched: ${message.slice(0, 70)}…`;
    },
  },
  {
    name: 'the clock jumps a day ahead and two days back while downloading',
    quick: true,
    run: async (context) => {
      const { server, setClock } = await startWithClock(context);
      const download = async (path: string) => {
        const { promise: held, resolve: letEnd } = Promise.withResolvers<void>();
        const url = context.urls.set(path, slow(context.short, 200_000, held));
        const id = await context.submit(server, url);
        return { id, letEnd };
      };
      const ahead = await download('/ahead.wav');
      await context.reached(server, ahead.id, 'downloading');
      await setClock(1);
      const back = await download('/back.wav');
      ahead.letEnd();
      // The next download begins before this job ends.
      await context.ended(server, ahead.id);
      await context.reached(server, back.id, 'downloading');
      await setClock(-1);
      back.letEnd();
      const times = [];
      for (const { id } of [ahead, back]) {
        const { completed_at } = await context.expectTruth(server, id, '/short.wav');
        times.push(Date.parse(completed_at ?? '') - Date.now());
      }
      ok((times[0] ?? 0) > 3_600_000 && (times[1] ?? 0) < -3_600_000, 'the clock jumped');
      return 'a job completed a day ahead, the next one a day back, with the same text';
    },
  },
  {
    name: 'the clock jumps a day ahead and two days back while transcribing',
    quick: false,
    run: async (context) => {
      const { server, setClock } = await startWithClock(context);
      const { promise: held, resolve: letEnd } = Promise.withResolvers<void>();
      const id = await context.submitInProgress(server, held);
      await setClock(1);
      await context.reached(server, id, 'transcribing', 2);
      await setClock(-1);
      letEnd();
      const transcript = await context.expectTruth(server, id, '/long.wav');
      ok(Date.parse(transcript.completed_at ?? '') < Date.now() - 3_600_000, 'the clock jumped');
      await context.stop(server);
      const again = await context.start({ dataDir: server.dataDir });
      equal((await context.get(again, id)).text, transcript.text);
      return 'the job completed, same text';
    },
  },
  onSmallDisk('the disk fills up while transcribing', async (context, server, disk) => {
    const done = await context.submit(server, context.urls.url('/short.wav'));
    await context.expectTruth(server, done, '/short.wav');
    const id = await context.submitInProgress(server);
    const free = await fillDisk(disk);
    const other = await server.client
      .call('createTranscript', { body: { audio_url: context.urls.url('/short.wav') } })
      .then(
        () => 'accepted',
        (error: unknown) => (error instanceof ApiError ? `${error.status} ${error.code}` : String(error)),
      );
    equal((await server.fetch('/v1/health')).status, 200);
    equal((await context.get(server, done)).status, 'completed');
    await until(async () => (await server.fetch(`/v1/transcript/id/${id}`)).ok);
    await new Promise((resolve) => setTimeout(resolve, 15_000));
    const { status: whileFull } = await context.get(server, id);
    await free();
    await context.expectFailed(server, id, 'disk_full');
    await context.expectTruthAfterRetry(server, id, '/long.wav');
    await context.expectTruth(server, done, '/short.wav');
    return `a new job: ${other}; the running one: ${whileFull}, disk_full, and the same text after a retry`;
  }),
  onSmallDisk('the disk fills up while downloading', async (context, server, disk) => {
    const url = context.urls.set('/slow.wav', slow(context.long, 1_000_000));
    const id = await context.submit(server, url);
    await context.reached(server, id, 'downloading');
    const free = await fillDisk(disk);
    const failure = context.expectFailed(server, id, 'disk_full');
    await new Promise((resolve) => setTimeout(resolve, 8000));
    await free();
    await failure;
    await context.expectTruthAfterRetry(server, id, '/long.wav');
    return 'failed as disk_full; a retry gave the same text';
  }),
];
