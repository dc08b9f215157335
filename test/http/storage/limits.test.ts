import { request as rawRequest } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { bearer, errorOf, form, freshStorage, newUser, objectsIn, upload } from './support/client.ts';

const root = temporaryFolder();
const storage = await freshStorage({ dataDir: root });
const objects = join(root, 'objects');
const MIB = 1024 ** 2;
const send = (user: { key: string }, body: FormData, at = storage) =>
  fetch(`${at.url}/v1/storage/upload`, {
    method: 'POST',
    headers: { authorization: `Bearer ${user.key}` },
    body,
  });

describe('the storage quota', () => {
  it('is enforced and reported', async () => {
    const user = newUser(storage, { storage_limit: 1000 });
    await upload(user, 'a.txt', 'x'.repeat(600));
    expect((await user.client.call('storageInfo')).data).toEqual({
      totalStorageUsed: 600,
      totalStorageUsedFormatted: '600 B',
      fileCount: 1,
      storageLimit: 1000,
      storageLimitFormatted: '1000 B',
      availableStorage: 400,
      availableStorageFormatted: '400 B',
      usagePercentage: 60,
    });
    expect(await errorOf(await send(user, form('b.txt', 'x'.repeat(401))))).toMatchObject({
      status: 507,
      code: 'storage_limit_exceeded',
    });
    await upload(user, 'c.txt', 'x'.repeat(400));
    expect((await user.client.call('storageInfo')).data.usagePercentage).toBe(100);
  });

  it('is a setting that applies at once to users without a limit of their own', async () => {
    const user = newUser(storage);
    expect((await user.client.call('storageInfo')).data.storageLimitFormatted).toBe('10 GB');
    storage.settings.change({ 'storage.limitBytes': 20 * 1024 ** 3 });
    expect((await user.client.call('storageInfo')).data.storageLimitFormatted).toBe('20 GB');
    storage.settings.change({ 'storage.limitBytes': null });
  });

  it('counts uploads in flight', async () => {
    const user = newUser(storage, { storage_limit: 10 * MIB });
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, i) => send(user, form(`${i}.txt`, 'x'.repeat(4 * MIB)))),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 201).length).toBeLessThanOrEqual(2);
    expect(statuses.filter((status) => ![201, 507].includes(status))).toEqual([]);
    const { data } = await user.client.call('storageInfo');
    expect(data.totalStorageUsed).toBe(4 * MIB * data.fileCount);
    // The reservation was released: a file of exactly the free size fits.
    await upload(user, 'rest.txt', 'x'.repeat(data.availableStorage));
  });

  it('is checked before a presigned body is read', async () => {
    const user = newUser(storage, { storage_limit: 10 });
    const { data } = await user.client.call('presignUpload', {
      body: { filename: 'a.txt', contentType: 'text/plain' },
    });
    const answer = await fetch(data.uploadUrl, {
      method: 'PUT',
      body: 'x'.repeat(11),
      headers: { 'content-type': 'text/plain' },
    });
    expect(await errorOf(answer)).toMatchObject({ status: 507, code: 'storage_limit_exceeded' });
  });
});

describe('the rate limits', () => {
  it('count uploads by address and deletions by user, and send the limits in headers', async () => {
    const limited = await freshStorage({
      settings: { 'limits.uploadsPer15Minutes': 3, 'limits.deletionsPer15Minutes': 2 },
    });
    const [one, two] = [newUser(limited), newUser(limited)];
    const first = await send(one, form('a.txt', 'x'), limited);
    expect(first.status).toBe(201);
    expect(Object.fromEntries(first.headers)).toMatchObject({
      'ratelimit-limit': '3',
      'ratelimit-remaining': '2',
    });
    const { data: kept } = (await first.json()) as { data: { file: { key: string } } };
    expect((await send(two, form('a.txt', 'x'), limited)).status).toBe(201);
    expect((await send(two, form('a.exe', 'x'), limited)).status).toBe(415);
    const refused = await send(one, form('b.txt', 'x'), limited);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await errorOf(refused)).toMatchObject({ status: 429, code: 'rate_limited' });
    const presigned = await one.client.call('presignUpload', {
      body: { filename: 'a.txt', contentType: 'text/plain' },
    });
    const put = await fetch(presigned.data.uploadUrl, {
      method: 'PUT',
      body: 'x',
      headers: { 'content-type': 'text/plain' },
    });
    expect(put.status).toBe(200);
    const remove = (user: typeof one, key: string) =>
      fetch(`${limited.url}/v1/storage/file${key}`, { method: 'DELETE', headers: bearer(user) });
    expect((await remove(one, kept.file.key)).status).toBe(200);
    expect((await remove(one, kept.file.key)).status).toBe(404);
    expect(await errorOf(await remove(one, presigned.data.fileKey))).toMatchObject({ status: 429 });
    expect((await remove(two, '/none')).status).toBe(404);
    limited.settings.change({ 'limits.uploadsPer15Minutes': 0 });
  });
});

/** Sends endless bytes as the file of a form, and resolves with the answer and the bytes sent by then. */
const endless = (url: string, key: string): Promise<{ status: number; body: string; sent: number }> =>
  new Promise((done, failed) => {
    const boundary = 'b'.repeat(20);
    const outgoing = rawRequest(url, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': `multipart/form-data; boundary=${boundary}`,
      },
    });
    const chunk = Buffer.alloc(MIB, 'x');
    let sent = 0;
    let answered = false;
    outgoing.on('response', (response) => {
      answered = true;
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (text: string) => {
        body += text;
      });
      response.on('end', () => {
        done({ status: response.statusCode ?? 0, body, sent });
        outgoing.destroy();
      });
    });
    outgoing.on('error', (error) => {
      if (!answered) failed(error);
    });
    const more = () => {
      while (!answered && !outgoing.destroyed) {
        sent += chunk.length;
        if (!outgoing.write(chunk)) {
          outgoing.once('drain', more);
          return;
        }
      }
    };
    outgoing.write(
      `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\nContent-Type: text/plain\r\n\r\n`,
    );
    more();
  });

describe('an upload that is too large', () => {
  it('is refused by its Content-Length before the file is read', async () => {
    const user = newUser(storage);
    const statement = await new Promise<number>((done, failed) => {
      const outgoing = rawRequest(`${storage.url}/v1/storage/upload`, {
        method: 'POST',
        headers: {
          ...bearer(user),
          'content-type': 'multipart/form-data; boundary=x',
          'content-length': 2 * 1024 ** 3,
        },
      });
      outgoing.on('response', (response) => {
        done(response.statusCode ?? 0);
        outgoing.destroy();
      });
      outgoing.on('error', failed);
      outgoing.flushHeaders();
    });
    expect(statement).toBe(413);
  });

  it('is aborted as soon as it exceeds the limit, and leaves nothing behind', async () => {
    const user = newUser(storage, { storage_limit: 20 * MIB });
    const before = objectsIn(objects);
    const { status, body, sent } = await endless(`${storage.url}/v1/storage/upload`, user.key);
    expect([status, JSON.parse(body).code]).toEqual([507, 'storage_limit_exceeded']);
    expect(sent).toBeLessThan(40 * MIB);
    expect(objectsIn(objects)).toEqual(before);
    expect((await user.client.call('storageInfo')).data.totalStorageUsed).toBe(0);
  });
});

describe('a malformed form', () => {
  const user = newUser(storage);
  const type = 'multipart/form-data; boundary=XX';
  const post = (body: string, contentType = type) =>
    fetch(`${storage.url}/v1/storage/upload`, {
      method: 'POST',
      headers: { ...bearer(user), 'content-type': contentType },
      body,
    });
  const part = (head: string, content = 'x') => `--XX\r\n${head}\r\n\r\n${content}\r\n`;
  const FILE = 'Content-Disposition: form-data; name="file"; filename="a.txt"';

  it('is answered with 400, and the server goes on', async () => {
    const before = objectsIn(objects);
    const field = (name: string, value = 'x') =>
      part(`Content-Disposition: form-data; name="${name}"`, value);
    const bodies: [string, string?][] = [
      [''],
      ['garbage without any boundary'],
      [part(FILE)],
      [`${part(FILE).slice(0, -4)}`],
      [`--XX\r\n${FILE}`],
      ['--XX--\r\n'],
      ['--XX\r\n\r\n\r\n--XX--\r\n'],
      [`${part('Content-Disposition: nonsense')}--XX--`],
      [`${part(FILE)}${part(FILE)}--XX--`],
      [`${part('Content-Disposition: form-data; name="other"; filename="a.txt"')}--XX--`],
      [`${field('__proto__')}${part(FILE)}--XX--`],
      [`${field('toString')}${part(FILE)}--XX--`],
      [`${field('file')}--XX--`],
      [`${field('folder')}${field('folder')}${part(FILE)}--XX--`],
      [`${field('metadata', '{"a":'.repeat(5000))}${part(FILE)}--XX--`],
      [`${field('metadata', `{"a":${'['.repeat(7000)}${']'.repeat(7000)}}`)}${part(FILE)}--XX--`],
      [`${field('metadata', JSON.stringify({ a: 'x'.repeat(17_000) }))}${part(FILE)}--XX--`],
      [`${field('metadata', 'null')}${part(FILE)}--XX--`],
      [`${field('folder', 'x'.repeat(100_000))}${part(FILE)}--XX--`],
      [`${part(FILE)}${Array.from({ length: 50 }, (_, i) => field(`f${i}`)).join('')}--XX--`],
      [`${part(FILE)}--XX--`, 'multipart/form-data'],
      [`${part(FILE)}--XX--`, `multipart/form-data; boundary=${'y'.repeat(500)}`],
    ];
    for (const [body, contentType] of bodies) {
      const { status, code } = await errorOf(await post(body, contentType));
      expect([body.slice(0, 80), status, code]).toEqual([body.slice(0, 80), 400, 'invalid_request']);
    }
    expect(objectsIn(objects)).toEqual(before);
    // The parser ignores header lines beyond its limit.
    const filled = await post(`${part(`${FILE}\r\n${'X-Filler: y\r\n'.repeat(3000)}`)}--XX--`);
    expect([201, 400]).toContain(filled.status);
    await upload(user, 'still.txt', 'alive');
  });

  it('can end anywhere and leaves nothing behind', async () => {
    const body = `${part(FILE, 'y'.repeat(5000))}--XX--\r\n`;
    const head = `POST /v1/storage/upload HTTP/1.1\r\nHost: ${new URL(storage.url).host}\r\nAuthorization: Bearer ${user.key}\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n`;
    const before = objectsIn(objects);
    for (let cut = 0; cut < body.length; cut += 211) {
      await new Promise<void>((done) => {
        const socket = connect(Number(new URL(storage.url).port), '127.0.0.1', () => {
          socket.write(head + body.slice(0, cut), () => socket.destroy());
        });
        socket.on('close', () => done());
      });
    }
    await upload(user, 'after.txt', 'alive');
    await expect.poll(() => objectsIn(objects)).toHaveLength(before.length + 1);
  });
});
