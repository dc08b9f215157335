import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Clock, systemClock } from '../../../../electron/core/base/clock.ts';
import { newId } from '../../../../electron/core/base/ids.ts';
import { silentLogger } from '../../../../electron/core/base/logger.ts';
import { dataPaths } from '../../../../electron/core/base/paths.ts';
import { EventHub } from '../../../../electron/core/services/events.ts';
import { createFiles, type Files } from '../../../../electron/core/services/files/create.ts';
import type { Upload } from '../../../../electron/core/services/files/uploads.ts';
import { SettingsService } from '../../../../electron/core/services/settings.ts';
import type { Database } from '../../../../electron/core/stores/database.ts';
import { filesOfUser, writeIntents } from '../../../../electron/core/stores/files.ts';
import { deleteUser, insertUser } from '../../../../electron/core/stores/users.ts';
import { objectsIn } from '../../../http/storage/support/objects.ts';
import { openTestDatabase } from '../../../support/database.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

/** Bytes that a user may store. */
const QUOTA = 100;
/** The time stands still, so that keys can only differ by being chosen one after the other. */
const clock: Clock = { ...systemClock, now: () => 1_800_000_000_000 };

let root: string;
let db: Database;
let files: Files;
let userId: string;
let published: string[];

const startFiles = async (): Promise<Files> => {
  const events = new EventHub();
  published = [];
  events.subscribe(userId, ({ event }) => published.push(event.type));
  const started = createFiles({
    db,
    paths: dataPaths(root),
    settings: new SettingsService(db, {}),
    clock,
    logger: silentLogger,
    events,
    secret: 'a secret for tests',
    baseUrl: () => '',
    environment: { EARSHOT_CLAMD_CONF: '', EARSHOT_CLAMSCAN: '' },
    onSourceDeleted() {},
  });
  await started.open();
  return started;
};

beforeEach(async () => {
  root = temporaryFolder();
  db = openTestDatabase(root);
  userId = newId('usr');
  const limits = { storageLimit: QUOTA, creditBudget: null };
  insertUser(db, { id: userId, name: userId, isOwner: false, createdAt: 0, ...limits });
  files = await startFiles();
});

const bytes = async function* (length: number): AsyncGenerator<Uint8Array> {
  for (let sent = 0; sent < length; sent += 10) yield Buffer.alloc(Math.min(10, length - sent), 'a');
};

const receive = (length: number): Promise<Upload> =>
  files.uploads.receive({ userId, source: bytes(length), maxBytes: 1000 });

const text = () => files.uploads.check({ userId, fileName: 'note.txt', declaredType: 'text/plain' });

/** Where the bytes of all objects lie: `staged` or `stored`. */
const objects = (): string[] =>
  objectsIn(join(root, 'objects')).map((path) => (path.includes('incoming') ? 'staged' : 'stored'));

const expectNothingLeft = async (): Promise<void> => {
  expect([objects(), writeIntents(db), filesOfUser(db, userId)]).toEqual([[], [], []]);
  // The whole quota is free again.
  const upload = await receive(QUOTA);
  await upload.abort();
};

describe('an upload', () => {
  it('is staged with a write intent until it is committed', async () => {
    const upload = await receive(30);
    expect([objects(), writeIntents(db).length, filesOfUser(db, userId)]).toEqual([['staged'], 1, []]);
    const { file } = await upload.commit(text());
    expect([objects(), writeIntents(db), filesOfUser(db, userId)]).toEqual([['stored'], [], [file]]);
    expect(file).toMatchObject({ size: 30, originalName: 'note.txt', mimeType: 'text/plain' });
    expect(published).toEqual(['file.created']);
  });

  it('leaves nothing behind when it is aborted', async () => {
    const upload = await receive(30);
    await upload.abort();
    await upload.abort();
    await expectNothingLeft();
    expect(published).toEqual([]);
  });

  it('cannot be aborted after its commit', async () => {
    const upload = await receive(30);
    const { file } = await upload.commit(text());
    await upload.abort();
    expect([objects(), filesOfUser(db, userId)]).toEqual([['stored'], [file]]);
  });

  it.each<[string, (upload: Upload) => Promise<unknown>, object]>([
    [
      'its content is of another type',
      (upload) => upload.commit(files.uploads.check({ userId, fileName: 'a.wav', declaredType: '' })),
      { code: 'content_mismatch' },
    ],
    [
      'the transaction fails',
      (upload) => {
        const onCommit = () => {
          throw new Error('no room');
        };
        return upload.commit(text(), { onCommit });
      },
      { message: 'no room' },
    ],
  ])('leaves nothing behind when %s', async (_, commit, error) => {
    await expect(commit(await receive(30))).rejects.toMatchObject(error);
    await expectNothingLeft();
  });

  it('leaves nothing behind when its user was deleted meanwhile', async () => {
    const upload = await receive(30);
    deleteUser(db, userId);
    await expect(upload.commit(text())).rejects.toMatchObject({ code: 'unauthorized' });
    expect([objects(), writeIntents(db)]).toEqual([[], []]);
  });

  it('is refused while it arrives, as soon as it exceeds a limit', async () => {
    await expect(receive(QUOTA + 1)).rejects.toMatchObject({ code: 'storage_limit_exceeded' });
    const tooMany = files.uploads.receive({ userId, source: bytes(50), maxBytes: 20 });
    await expect(tooMany).rejects.toMatchObject({ code: 'file_too_large' });
    await expectNothingLeft();
  });

  it('takes its part of the quota from its first byte to its end', async () => {
    const first = await receive(60);
    await expect(receive(60)).rejects.toMatchObject({ code: 'storage_limit_exceeded' });
    await first.commit(text());
    await expect(receive(60)).rejects.toMatchObject({ code: 'storage_limit_exceeded' });
    await (await receive(40)).commit(text());
  });

  it('never shares a key with another one of the same name and time', async () => {
    const uploads = await Promise.all([receive(10), receive(10), receive(10)]);
    const stored = await Promise.all(uploads.map((upload) => upload.commit(text())));
    expect(new Set(stored.map(({ file }) => file.key)).size).toBe(3);
  });
});

describe('after a crash', () => {
  it('a staged object is removed at the next start', async () => {
    await receive(30);
    files = await startFiles();
    await expectNothingLeft();
  });

  it('an object in place without its row is removed at the next start', async () => {
    const staged = await files.store.stage(bytes(30), () => {});
    const crash = () => {
      throw new Error('crash');
    };
    await expect(staged.commit(crash)).rejects.toThrow('crash');
    expect([objects(), writeIntents(db)]).toEqual([['stored'], [staged.object]]);
    files = await startFiles();
    await expectNothingLeft();
  });

  it('a committed file stays', async () => {
    const { file } = await (await receive(30)).commit(text());
    files = await startFiles();
    expect(await files.sweep()).toBe(0);
    expect([objects(), filesOfUser(db, userId)]).toEqual([['stored'], [file]]);
  });
});
