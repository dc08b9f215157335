import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { addStorageCommands } from '../../../electron/cli/storage.ts';
import { createClient } from '../../../electron/contract/client.ts';
import { messageOf } from '../../../electron/core/base/errors.ts';
import { silentLogger } from '../../../electron/core/base/logger.ts';
import { openDatabase } from '../../../electron/core/stores/database.ts';
import { lockFolder } from '../../../electron/core/stores/lock.ts';
import { writeSetting } from '../../../electron/core/stores/settings.ts';
import { CLI_ENTRY } from '../../support/paths.ts';
import { type InProcessServer, startInProcess } from '../../support/server.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { bearer, newUser, objectsIn, upload } from './support/client.ts';

type Result = { code: number; out: string; err: string };

// Ignore the machine's own ClamAV.
beforeAll(() => {
  vi.stubEnv('EARSHOT_CLAMD_CONF', '');
  vi.stubEnv('EARSHOT_CLAMSCAN', '');
});
afterAll(() => {
  vi.unstubAllEnvs();
});

/** Captures what is written to a stream meanwhile. */
const taken = (stream: NodeJS.WriteStream): { text(): string; restore(): void } => {
  let text = '';
  const spy = vi.spyOn(stream, 'write').mockImplementation((chunk, encoding, done) => {
    text += String(chunk);
    const callback = typeof encoding === 'function' ? encoding : done;
    callback?.();
    return true;
  });
  return { text: () => text, restore: () => spy.mockRestore() };
};

/** Runs the command in this process: starting Node for each call would take most of the test's time. */
const earshot = async (...args: string[]): Promise<Result> => {
  const program = new Command().exitOverride();
  addStorageCommands(program);
  const [out, err] = [taken(process.stdout), taken(process.stderr)];
  process.exitCode = 0;
  try {
    await program.parseAsync(['storage', ...args], { from: 'user' });
    return { code: Number(process.exitCode ?? 0), out: out.text(), err: err.text() };
  } catch (error) {
    return { code: 1, out: out.text(), err: messageOf(error) };
  } finally {
    process.exitCode = 0;
    out.restore();
    err.restore();
  }
};

/** A data folder with two mirrors in its settings, filled and closed. */
const filled = async (
  fill: (storage: InProcessServer) => Promise<void>,
): Promise<{ root: string; mirror: string }> => {
  const root = temporaryFolder();
  const mirror = temporaryFolder();
  mkdirSync(root, { recursive: true });
  const db = openDatabase(join(root, 'earshot.db'), { logger: silentLogger, now: Date.now });
  writeSetting(db, 'storage.mirrors', [mirror]);
  db.close();
  const storage = await startInProcess({ dataDir: root });
  await fill(storage);
  await storage.close();
  return { root, mirror };
};

const flip = (path: string) => {
  const bytes = readFileSync(path);
  bytes.writeUInt8(bytes.readUInt8(2) ^ 4, 2);
  writeFileSync(path, bytes);
};

describe('earshot storage verify', () => {
  it('repairs a flipped byte and a missing copy, and names files that are lost', async () => {
    const { root, mirror } = await filled(async (storage) => {
      const user = newUser(storage);
      for (const name of ['one', 'two', 'three']) await upload(user, `${name}.txt`, `content of ${name}`);
    });
    const all = await earshot('verify', '--data-dir', root);
    expect([all.code, all.err]).toEqual([0, expect.stringContaining('Every byte of every copy is right.')]);
    const [a = '', b = '', c = ''] = objectsIn(join(root, 'objects'));
    flip(a);
    rmSync(b);
    flip(c);
    const copy = objectsIn(mirror).find((path) => path.endsWith(c.slice(-32)));
    flip(copy ?? '');
    const found = await earshot('verify', '--data-dir', root, '--json');
    expect(JSON.parse(found.out)).toMatchObject({
      files: 3,
      mended: 2,
      lost: 2,
      away: 0,
      unknown: 0,
      folders: ['local', 'mirror-1'],
    });
    expect(found.code).toBe(1);
    flip(c);
    const again = await earshot('verify', '--data-dir', root, '--json');
    expect(JSON.parse(again.out)).toMatchObject({ mended: 1, lost: 0 });
    expect((await earshot('verify', '--data-dir', root)).code).toBe(0);
  });

  it('counts objects without a file, and removes them on request', async () => {
    const { root } = await filled(async (storage) => {
      await upload(newUser(storage), 'a.txt', 'a');
    });
    const stray = join(root, 'objects', 'ab', 'cd', `abcd${'0'.repeat(28)}`);
    mkdirSync(join(stray, '..'), { recursive: true });
    writeFileSync(stray, 'x');
    const report = await earshot('verify', '--data-dir', root, '--json');
    expect([report.code, JSON.parse(report.out).unknown]).toEqual([0, 1]);
    await earshot('verify', '--data-dir', root, '--remove-unknown');
    expect(objectsIn(join(root, 'objects'))).toHaveLength(1);
  });

  it('is a command of the program', () => {
    const help = execFileSync(process.execPath, [CLI_ENTRY, 'storage', '--help']).toString();
    for (const name of ['verify', 'export', 'import']) expect(help).toContain(name);
  });

  it('refuses a folder without data, or one in use', async () => {
    const { root } = await filled(async () => {});
    const lock = lockFolder(join(root, 'earshot.lock'), () => ' (somebody)');
    expect((await earshot('verify', '--data-dir', root)).err).toContain(
      'Another Earshot is using this data folder',
    );
    lock.release();
    const nothing = await earshot('verify', '--data-dir', temporaryFolder());
    expect([nothing.code, nothing.err]).toEqual([1, expect.stringContaining('no Earshot data')]);
  });
});

describe('earshot storage export and import', () => {
  it('move all files to another installation', async () => {
    const { root } = await filled(async (storage) => {
      const user = newUser(storage);
      storage.accounts.changeUser(user.id, { name: 'Zoë' });
      await upload(user, 'Poznámka.txt', 'obsah', {
        folder: 'CON/in',
        metadata: '{"a":[1]}',
        public: 'true',
      });
      await upload(user, 'b.csv', 'a,b');
    });
    const folder = join(temporaryFolder(), 'export');
    const exported = await earshot('export', folder, '--data-dir', root);
    expect([exported.code, exported.err]).toEqual([0, expect.stringContaining('2 files')]);
    const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
      /\.\w+$/.test(path),
    );
    expect(
      paths
        .map((path) =>
          path
            .split(/[/\\]/)
            .slice(1)
            .join('/')
            .replace(/\d{8}T\d+Z/, 'T'),
        )
        .sort(),
    ).toEqual(['', '_CON/in/Poznámka_T.txt', 'files/b_T.csv']);
    expect((await earshot('export', folder, '--data-dir', root)).err).toContain('not empty');

    const other = temporaryFolder();
    const storage = await startInProcess({ dataDir: other });
    const user = newUser(storage);
    storage.accounts.changeUser(user.id, { name: 'Zoë' });
    await storage.close();
    expect((await earshot('import', folder, '--data-dir', other)).err).toContain('2 files imported, 0 there');
    expect((await earshot('import', folder, '--data-dir', other)).err).toContain('0 files imported, 2 there');

    const reopened = await startInProcess({ dataDir: other });
    const { files } = reopened.files.service.list(user.id, {
      page: 1,
      limit: 10,
      sort: 'name',
      order: 'desc',
      metadata: [['a', '1']],
    });
    expect(files).toMatchObject([
      { original_name: 'Poznámka.txt', folder: 'CON/in', public: true, metadata: { a: [1] } },
    ]);
    const read = await fetch(`${reopened.url}/v1/storage/download${files[0]?.key}`, {
      headers: bearer(user),
    });
    expect(await read.text()).toBe('obsah');
    await reopened.close();
  });

  it('refuse altered files and paths out of the folder', async () => {
    const { root } = await filled(async (storage) => {
      const user = newUser(storage);
      storage.accounts.changeUser(user.id, { name: 'Ann' });
      await upload(user, 'a.txt', 'original');
    });
    const folder = join(temporaryFolder(), 'export');
    await earshot('export', folder, '--data-dir', root);
    const manifest = join(folder, 'earshot-storage.jsonl');
    const entry = JSON.parse(readFileSync(manifest, 'utf8'));
    writeFileSync(join(folder, entry.path), 'altered!');
    writeFileSync(join(folder, '..', 'outside.txt'), 'original');
    writeFileSync(
      manifest,
      `${JSON.stringify(entry)}\n${JSON.stringify({ ...entry, path: '../outside.txt' })}\n`,
    );
    const other = temporaryFolder();
    const storage = await startInProcess({ dataDir: other });
    await storage.close();
    const result = await earshot('import', folder, '--data-dir', other, '--user', 'owner');
    expect(result.code).toBe(1);
    expect(result.err).toContain('not the one that was exported');
    expect(result.err).toContain('leads out of the folder');
    expect(objectsIn(join(other, 'objects'))).toEqual([]);
  });

  it('skip what cannot be imported, say why, and import the rest', async () => {
    const { root } = await filled(async (storage) => {
      const user = newUser(storage);
      storage.accounts.changeUser(user.id, { name: 'Ann' });
      for (const name of ['a', 'b']) await upload(user, `${name}.txt`, `content of ${name}`);
    });
    const folder = join(temporaryFolder(), 'export');
    await earshot('export', folder, '--data-dir', root);
    const manifest = join(folder, 'earshot-storage.jsonl');
    const [first = '', good = ''] = readFileSync(manifest, 'utf8').split('\n');
    const entry = JSON.parse(first);
    const bad: [change: object, reason: string][] = [
      [{ path: 'missing.txt' }, 'The file is missing'],
      [{ path: `${entry.path}/below` }, 'The file is missing'],
      [{ path: 'a\0b' }, 'must not contain NUL'],
      [{ path: entry.user.id }, 'This is not a file'],
      [{ path: 'pipe' }, 'This is not a file'],
      [{ path: 'link' }, 'leads out of the folder'],
      [{ id: 'file_good' }, 'line 7: id:'],
      [{ id: '../x' }, 'line 8: id:'],
      [{ uploaded_at: 9e15 }, 'line 9: uploaded_at:'],
      [{ modified_at: Date.UTC(10_000, 0) }, 'line 10: modified_at:'],
      [{ sha256: 'x' }, 'line 11: sha256:'],
      [{ key: `/${entry.user.id}/files/../../x.txt` }, 'not one that Earshot gives'],
      [{ key: `/${entry.user.id}/other/x.txt` }, 'not one that Earshot gives'],
      [{ key: `/${entry.user.id}/files/a\0b.txt` }, 'not one that Earshot gives'],
      [{ folder: '../x' }, 'folder is not valid'],
      [{ size: -1 }, 'line 16: size:'],
    ];
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    writeFileSync(join(folder, '..', 'outside.txt'), 'content of a');
    symlinkSync(join('..', 'outside.txt'), join(folder, 'link'));
    const lines = bad.map(([change]) => JSON.stringify({ ...entry, ...change }));
    const deep = `{"metadata":${'['.repeat(20_000)}${']'.repeat(20_000)}}`;
    writeFileSync(manifest, [...lines, '{"path":"tr', 'null', deep, good, ''].join('\n'));

    const other = temporaryFolder();
    await (await startInProcess({ dataDir: other })).close();
    const result = await earshot('import', folder, '--data-dir', other, '--user', 'owner');
    for (const [, reason] of bad) expect(result.err).toContain(reason);
    expect(result.err).toContain('1 file imported, 0 there already, 19 skipped.');
    expect(result.err).not.toContain('\0');
    expect(result.code).toBe(1);

    const reopened = await startInProcess({ dataDir: other });
    const client = createClient({ baseUrl: reopened.url, key: reopened.key });
    const { data } = await client.call('listFiles', {});
    expect(data.files.map(({ original_name: name }) => name)).toEqual([JSON.parse(good).original_name]);
    await reopened.close();
  });
});
