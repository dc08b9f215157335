import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parseClamdConf, parseClamdReply } from '../../../electron/core/engines/scan/clamd.ts';
import { parseClamscan } from '../../../electron/core/engines/scan/clamscan.ts';
import { EicarDetector } from '../../../electron/core/engines/scan/eicar.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { zip } from '../../support/zip.ts';
import { ensureClamav, MARKER, startClamd, writeSignatures } from './support/clamav.ts';
import { errorOf, form, freshStorage, newUser, objectsIn, type User, upload } from './support/client.ts';
import type { Storage } from './support/start.ts';

const available = ensureClamav();
const MIB = 1024 ** 2;

const refusal = async (storage: Storage, user: User, name: string, bytes: Uint8Array<ArrayBuffer> | string) =>
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
    const storage = await freshStorage({ root, environment: { EARSHOT_CLAMD_CONF: conf } });
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
    const storage = await freshStorage({ root, settings: { 'storage.requireClamav': true } });
    const user = newUser(storage);
    expect(await refusal(storage, user, 'a.txt', 'x')).toMatchObject({
      status: 503,
      code: 'scanner_unavailable',
    });
    expect((await user.client.call('storageInfo')).data.fileCount).toBe(0);
    expect(objectsIn(join(root, 'objects'))).toEqual([]);
  });

  it('the EICAR signature is found across chunk boundaries', () => {
    const text = `head X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR-${'STANDARD'}-ANTIVIRUS-TEST-FILE!$H+H* tail`;
    for (let size = 1; size < text.length; size++) {
      const detector = new EicarDetector();
      for (let at = 0; at < text.length; at += size) detector.update(Buffer.from(text.slice(at, at + size)));
      expect([size, detector.isFound]).toEqual([size, true]);
    }
    const clean = new EicarDetector();
    clean.update(Buffer.from(text.replace('STANDARD', 'STANDART')));
    expect(clean.isFound).toBe(false);
  });
});

describe('ClamAV’s answers', () => {
  it('are parsed', () => {
    expect(parseClamdReply('stream: OK\0')).toEqual({ state: 'clean' });
    expect(parseClamdReply('stream: Win.Test.EICAR_HDB-1 FOUND\0')).toEqual({
      state: 'infected',
      signature: 'Win.Test.EICAR_HDB-1',
    });
    expect(parseClamdReply('INSTREAM size limit exceeded. ERROR\0')).toEqual({ state: 'too_large' });
    expect(parseClamdReply('stream: Heuristics.Limits.Exceeded.MaxFileSize FOUND\0')).toEqual({
      state: 'too_large',
    });
    expect(parseClamdReply('')).toEqual({ state: 'error', reason: 'no answer' });
    expect(parseClamscan('/x/y: OK\n', 0)).toEqual({ state: 'clean' });
    expect(parseClamscan('/x/y: Empty file\n', 0)).toEqual({ state: 'clean' });
    expect(parseClamscan('/x/y: Some.Thing FOUND\n', 1)).toEqual({
      state: 'infected',
      signature: 'Some.Thing',
    });
    expect(parseClamscan('', 0).state).toBe('error');
    expect(parseClamscan('', 2).state).toBe('error');
  });

  it('count up to the size limits of its configuration', () => {
    const conf = '# comment\nLocalSocket /run/clamd.ctl\nStreamMaxLength 25M\nMaxFileSize 10k\n';
    expect(parseClamdConf(conf)).toEqual({ address: { path: '/run/clamd.ctl' }, maxBytes: 10_240 });
    expect(
      parseClamdConf('TCPSocket 3310\nTCPAddr 10.0.0.1\nMaxFileSize 0\nMaxScanSize 0\nStreamMaxLength 1G'),
    ).toEqual({
      address: { host: '10.0.0.1', port: 3310 },
      maxBytes: 1024 ** 3,
    });
    expect(parseClamdConf('MaxFileSize 10M')).toBeUndefined();
  });
});
