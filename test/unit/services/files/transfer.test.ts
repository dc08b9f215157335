import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { systemClock } from '../../../../electron/core/base/clock.ts';
import { newId } from '../../../../electron/core/base/ids.ts';
import { silentLogger } from '../../../../electron/core/base/logger.ts';
import { dataPaths } from '../../../../electron/core/base/paths.ts';
import { EventHub } from '../../../../electron/core/services/events.ts';
import { createFiles } from '../../../../electron/core/services/files/create.ts';
import { importFile, listExports } from '../../../../electron/core/services/files/transfer.ts';
import { SettingsService } from '../../../../electron/core/services/settings.ts';
import { insertUser } from '../../../../electron/core/stores/users.ts';
import { openTestDatabase } from '../../../support/database.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

it('an import beside a service at work rests, however small its files are', async () => {
  const root = temporaryFolder();
  const db = openTestDatabase(root);
  const userId = newId('usr');
  const limits = { storageLimit: null, creditBudget: null };
  insertUser(db, { id: userId, name: 'Ann', isOwner: true, createdAt: 0, ...limits });
  const files = createFiles({
    db,
    paths: dataPaths(root),
    settings: new SettingsService(db, {}),
    clock: systemClock,
    logger: silentLogger,
    events: new EventHub(),
    secret: 'a secret for tests',
    baseUrl: () => '',
    environment: { EARSHOT_CLAMD_CONF: '', EARSHOT_CLAMSCAN: '' },
    onSourceDeleted() {},
  });
  await files.open();
  const path = join(root, 'note.txt');
  writeFileSync(path, 'a small note');
  const source = async function* () {
    yield Buffer.from('a small note');
  };
  const upload = await files.uploads.receive({ userId, source: source(), maxBytes: 1000 });
  await upload.commit(files.uploads.check({ userId, fileName: 'note.txt', declaredType: 'text/plain' }));
  const [file] = listExports(files, { limit: 1 }).files;
  if (file === undefined) throw new Error('nothing to import');

  const timers = vi.spyOn(globalThis, 'setTimeout');
  const timersOf = async (throttle: boolean): Promise<number> => {
    await files.service.remove(userId, file.key);
    timers.mockClear();
    expect(await importFile(files, { path, file, throttle })).toBe('imported');
    return timers.mock.calls.length;
  };
  const atFullSpeed = await timersOf(false);
  // One rest after the bytes, and one after the commit.
  expect(await timersOf(true)).toBe(atFullSpeed + 2);
  await files.close();
});
