import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { InProcessServer } from '../../support/server.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { zip } from '../../support/zip.ts';
import { ensureClamav, MARKER, startClamd, writeSignatures } from './support/clamav.ts';
import { errorOf, form, freshStorage, newUser, objectsIn, type User, upload } from './support/client.ts';

const available = ensureClamav();
const MIB = 1024 ** 2;

const refusal = async (
  storage: InProcessServer,
  user: User,
  name: string,
  bytes: Uint8Array<ArrayBuffer> | string,
) =>
  errorOf(
    await fetch(`${storage.url}/v1/storage/upload`, {
      method: 'POST',
      headers: { authorization: `Bearer ${user.key}` },
      body: form(name, bytes),
    }),
  );

describe.skipIf(!available)('a scan by ClamAV', async () => {
  const folder = temporaryFolder();
  const database = writeSignatures(folder);
  const daemon = available ? await startClamd(folder, database, 2 * MIB) : undefined;
  afterAll(() => daemon?.stop());
  const conf = daemon?.conf ?? '';

  it('through clamd refuses a file that only its signatures match, and stores nothing', async () => {
    const root = temporaryFolder();
    const storage = await freshStorage({ dataDir: root, environment: { EARSHOT_CLAMD_CONF: conf } });
    const user = newUser(storage);
    expect(await storage.files.scanner.engine()).toBe('clamav');
    const { upload_info } = await upload(user, 'a.txt', 'harmless');
    expect(upload_info.scan).toEqual({ engine: 'clamav', clean: true });
    for (const [name, bytes] of [
      ['b.txt', `before ${MARKER} after`],
      ['b.zip', zip({ 'inner.txt': MARKER })],
      ['b.csv', `${'x'.repeat(MIB)}${MARKER}`],
    ] as const) {
      expect(await refusal(storage, user, name, bytes)).toMatchObject({ status: 422, code: 'infected_file' });
    }
    expect(objectsIn(root).filter((path) => path.includes('/objects/'))).toHaveLength(1);
  });

  it('through clamscan refuses it as well', async () => {
    const storage = await freshStorage({
      environment: { EARSHOT_CLAMSCAN: 'clamscan', EARSHOT_CLAMAV_DATABASE: database },
    });
    const user = newUser(storage);
    expect(await storage.files.scanner.engine()).toBe('clamav');
    expect((await upload(user, 'a.txt', 'harmless')).upload_info.scan.engine).toBe('clamav');
    expect(await refusal(storage, user, 'b.txt', MARKER)).toMatchObject({ code: 'infected_file' });
  });

  it('is done by clamscan for a file above the limits of clamd', async () => {
    const large = `${'x'.repeat(3 * MIB)}${MARKER}`;
    const alone = await freshStorage({ environment: { EARSHOT_CLAMD_CONF: conf } });
    const user = newUser(alone);
    expect((await upload(user, 'large.txt', large)).upload_info.scan.engine).toBe('builtin');
    const both = await freshStorage({
      environment: {
        EARSHOT_CLAMD_CONF: conf,
        EARSHOT_CLAMSCAN: 'clamscan',
        EARSHOT_CLAMAV_DATABASE: database,
      },
    });
    expect(await refusal(both, newUser(both), 'large.txt', large)).toMatchObject({ code: 'infected_file' });
    const strict = await freshStorage({
      environment: { EARSHOT_CLAMD_CONF: conf },
      settings: { 'storage.requireClamav': true },
    });
    expect(await refusal(strict, newUser(strict), 'large.txt', large)).toMatchObject({
      status: 503,
      code: 'scanner_unavailable',
    });
  });

  it('is not reported when clamscan has no signatures', async () => {
    const storage = await freshStorage({
      environment: { EARSHOT_CLAMSCAN: 'clamscan', EARSHOT_CLAMAV_DATABASE: temporaryFolder() },
    });
    expect(await storage.files.scanner.engine()).toBe('builtin');
    expect((await upload(newUser(storage), 'a.txt', 'x')).upload_info.scan.engine).toBe('builtin');
  });
});

describe('without ClamAV', () => {
  it('the built-in scanner checks uploads, unless ClamAV is required', async () => {
    const root = temporaryFolder();
    const storage = await freshStorage({ dataDir: root, settings: { 'storage.requireClamav': true } });
    const user = newUser(storage);
    expect(await refusal(storage, user, 'a.txt', 'x')).toMatchObject({
      status: 503,
      code: 'scanner_unavailable',
    });
    expect((await user.client.call('storageInfo')).data.fileCount).toBe(0);
    expect(objectsIn(join(root, 'objects'))).toEqual([]);
  });
});
