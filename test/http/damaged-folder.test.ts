import { once } from 'node:events';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import BetterSqlite3 from 'better-sqlite3';
import { beforeAll, describe, expect, it } from 'vitest';
import { spawnEarshot, startServer } from '../support/server.ts';
import { smallDisk } from '../support/small-disk.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const dataDir = temporaryFolder();
const path = (name: string) => join(dataDir, name);

beforeAll(async () => {
  const server = await startServer({ dataDir });
  await server.stop();
});

/** Starts a server that is expected to refuse; returns its exit code and the lines on stderr. */
const refusal = async (folder = dataDir): Promise<{ code: number; lines: string[] }> => {
  const child = await spawnEarshot(['serve', '--port', '0', '--data-dir', folder]);
  if (child.stderr === null) throw new Error('no output to read');
  const closed = once(child, 'close');
  const said = await text(child.stderr);
  const [code] = await closed;
  return { code, lines: said.trim().split('\n') };
};

describe('a damaged data folder is explained in one line', () => {
  it.each([0, 10])('a secret of %d bytes', async (length) => {
    const secret = readFileSync(path('secret'));
    truncateSync(path('secret'), length);
    const refused = await refusal();
    writeFileSync(path('secret'), secret);
    expect(refused).toEqual({ code: 1, lines: [expect.stringContaining('file secret')] });
  });

  it('garbage in the lock file', async () => {
    writeFileSync(path('earshot.lock'), 'garbage '.repeat(1000));
    const refused = await refusal();
    rmSync(path('earshot.lock'));
    expect(refused).toEqual({ code: 1, lines: [expect.stringContaining('lock file earshot.lock')] });
  });

  it('a file where a folder should be', async () => {
    writeFileSync(path('file'), 'x');
    for (const folder of [path('file'), path('file/below')]) {
      const refused = await refusal(folder);
      expect(refused).toEqual({ code: 1, lines: [expect.stringContaining('There is a file where')] });
    }
  });

  it('a folder on a disk that is read-only', async ({ skip }) => {
    const disk = await smallDisk(64);
    if (disk === undefined) return skip('this account cannot mount a small file system');
    try {
      const folder = join(disk.path, 'data');
      await (await startServer({ dataDir: folder })).stop();
      disk.makeReadOnly();
      const sentence = expect.stringContaining('The data folder cannot be written');
      expect(await refusal(folder)).toEqual({ code: 1, lines: [sentence] });
      expect(await refusal(join(disk.path, 'new'))).toEqual({ code: 1, lines: [sentence] });
    } finally {
      await disk.release();
    }
  });

  it('a folder that cannot be written', async () => {
    // `/proc` refuses even root.
    if (process.platform !== 'linux') return;
    const refused = await refusal('/proc/earshot');
    expect(refused).toEqual({ code: 1, lines: [expect.stringContaining('data folder')] });
  });
});

it('garbage in server.json and in stored settings does not prevent the start', async () => {
  const file = new BetterSqlite3(path('earshot.db'));
  file.exec(`INSERT INTO settings VALUES ('engine.beamSize', '{garbage'), ('network.pages', '"maybe"')`);
  file.close();
  writeFileSync(path('server.json'), '{garbage');
  const server = await startServer({ dataDir });
  writeFileSync(path('server.json'), 'garbage');
  // It could be starting or ending, so it gets 30 s.
  expect(await refusal()).toEqual({
    code: 1,
    lines: [
      expect.stringContaining('Waiting for another command'),
      expect.stringContaining('Another Earshot is using'),
    ],
  });
  const { data } = await server.client.call('getSettings');
  expect(data.find(({ key }) => key === 'engine.beamSize')?.source).toBe('default');
  await server.stop();
});

it.runIf(process.platform !== 'win32')('modes that let others read are mended', async () => {
  for (const name of ['.', 'logs', 'objects', 'transcripts']) chmodSync(path(name), 0o755);
  for (const name of ['earshot.db', 'logs/earshot.log']) chmodSync(path(name), 0o644);
  mkdirSync(path('foreign'), { mode: 0o755 });
  const server = await startServer({ dataDir });
  const modeOf = (name: string) => statSync(path(name)).mode & 0o777;
  const files = readdirSync(dataDir).filter((name) => name.startsWith('earshot.'));
  expect(files).toContain('earshot.db-wal');
  for (const name of [...files, 'logs/earshot.log']) expect([name, modeOf(name)]).toEqual([name, 0o600]);
  for (const name of ['logs', 'objects', 'transcripts']) expect([name, modeOf(name)]).toEqual([name, 0o700]);
  expect(modeOf('foreign')).toBe(0o755);
  await server.stop();
});
