import { createHash } from 'node:crypto';
import { readdirSync, readlinkSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { until } from '../../support/until.ts';
import { bearer, errorOf, freshStorage, newUser, upload } from './support/client.ts';

const storage = await freshStorage();
const user = newUser(storage);
const stranger = newUser(storage);
const text = Array.from({ length: 120_000 }, (_, i) => `line ${i}`).join('\n');
const bytes = Buffer.from(text);
const { file } = await upload(user, 'Grüße – 日本語 "x".txt', text);
const get = (headers: Record<string, string> = {}, init: RequestInit = {}, url = file.urls.download) =>
  fetch(url, { ...init, headers: { ...bearer(user), ...headers } });
const body = async (response: Response) => Buffer.from(await response.arrayBuffer());

describe('a download', () => {
  it('sends all bytes with the file’s headers', async () => {
    const response = await get();
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-length': String(bytes.length),
      'content-type': 'text/plain',
      'accept-ranges': 'bytes',
      etag: `"${createHash('md5').update(bytes).digest('hex')}"`,
      'content-disposition':
        'attachment; filename="Gru_e _ ___ _x_.txt"; filename*=UTF-8\'\'Gr%C3%BC%C3%9Fe%20%E2%80%93%20%E6%97%A5%E6%9C%AC%E8%AA%9E%20%22x%22.txt'.replace(
          'Gru_e',
          'Gru_e',
        ),
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, no-cache',
    });
    expect((await body(response)).equals(bytes)).toBe(true);
  });

  it('answers HEAD with the same headers and no body', async () => {
    const [full, head] = [await get(), await get({}, { method: 'HEAD' })];
    await full.arrayBuffer();
    for (const name of ['content-length', 'etag', 'last-modified', 'content-type', 'accept-ranges']) {
      expect(head.headers.get(name)).toBe(full.headers.get(name));
    }
    expect((await body(head)).length).toBe(0);
  });

  it.each([
    ['bytes=0-0', 0, 1],
    ['bytes=0-', 0, bytes.length],
    ['bytes=-5', bytes.length - 5, bytes.length],
    ['bytes=262143-262145', 262_143, 262_146],
    [`bytes=100-${bytes.length + 50}`, 100, bytes.length],
    [`bytes=-${bytes.length * 2}`, 0, bytes.length],
    [`bytes=5-9,${bytes.length}-`, 5, 10],
  ])('sends the range of %s', async (range, start, end) => {
    const response = await get({ range });
    expect(response.status).toBe(206);
    expect(response.headers.get('content-range')).toBe(`bytes ${start}-${end - 1}/${bytes.length}`);
    expect(response.headers.get('content-length')).toBe(String(end - start));
    expect((await body(response)).equals(bytes.subarray(start, end))).toBe(true);
  });

  it('sends the same bytes to a client that is slower than the disk', async () => {
    const count = 2 ** 19;
    const numbers = Array.from({ length: count }, (_, i) => `${i}`.padStart(15, '0')).join('\n');
    const { file: long } = await upload(user, 'numbers.txt', numbers);
    const response = await get({}, {}, long.urls.download);
    const chunks: Uint8Array[] = [];
    for await (const chunk of response.body ?? []) {
      chunks.push(chunk);
      await setImmediate();
    }
    expect(Buffer.concat(chunks).equals(Buffer.from(numbers))).toBe(true);
  });

  it('sends several ranges as a multipart body', async () => {
    const response = await get({ range: 'bytes=0-4, 300000-300009, -3' });
    expect(response.status).toBe(206);
    const boundary = /^multipart\/byteranges; boundary=(\w+)$/.exec(
      response.headers.get('content-type') ?? '',
    )?.[1];
    const got = (await body(response)).toString();
    expect(response.headers.get('content-length')).toBe(String(got.length));
    const size = bytes.length;
    const part = (start: number, end: number) =>
      `--${boundary}\r\nContent-Type: text/plain\r\nContent-Range: bytes ${start}-${end - 1}/${size}\r\n\r\n${bytes.subarray(start, end)}\r\n`;
    expect(got).toBe(`${part(0, 5)}${part(300_000, 300_010)}${part(size - 3, size)}--${boundary}--\r\n`);
  });

  it('ignores ranges that are malformed, of another unit, overlapping or too many', async () => {
    const many = `bytes=${Array.from({ length: 40 }, (_, i) => `${i * 2}-${i * 2}`).join(',')}`;
    for (const range of ['bytes=5-2', 'bytes=a-b', 'lines=0-5', 'bytes=', 'bytes=0-10,5-20', many]) {
      const response = await get({ range });
      expect([range, response.status]).toEqual([range, 200]);
      await response.arrayBuffer();
    }
  });

  it('answers a range outside the file with 416 and the size', async () => {
    for (const range of [`bytes=${bytes.length}-`, 'bytes=-0']) {
      const response = await get({ range });
      expect(response.headers.get('content-range')).toBe(`bytes */${bytes.length}`);
      expect(await errorOf(response)).toMatchObject({ status: 416, code: 'range_not_satisfiable' });
    }
  });

  it('answers conditional requests', async () => {
    const first = await get({}, { method: 'HEAD' });
    const etag = first.headers.get('etag') ?? '';
    const modified = first.headers.get('last-modified') ?? '';
    const past = new Date(Date.parse(modified) - 5000).toUTCString();
    const status = async (headers: Record<string, string>) => {
      const response = await get(headers);
      await response.arrayBuffer();
      return response.status;
    };
    expect(await status({ 'if-none-match': etag })).toBe(304);
    expect(await status({ 'if-none-match': `"x", W/${etag}` })).toBe(304);
    expect(await status({ 'if-none-match': '*' })).toBe(304);
    expect(await status({ 'if-none-match': '"x"', 'if-modified-since': modified })).toBe(200);
    expect(await status({ 'if-modified-since': modified })).toBe(304);
    expect(await status({ 'if-modified-since': past })).toBe(200);
    expect(await status({ 'if-modified-since': 'no date' })).toBe(200);
    expect(await status({ range: 'bytes=0-1', 'if-range': etag })).toBe(206);
    expect(await status({ range: 'bytes=0-1', 'if-range': '"x"' })).toBe(200);
    expect(await status({ range: 'bytes=0-1', 'if-range': modified })).toBe(206);
    expect(await status({ range: 'bytes=0-1', 'if-range': past })).toBe(200);
    expect(await status({ range: 'bytes=0-1', 'if-range': `W/${etag}` })).toBe(200);
  });

  it('accepts keys with or without the first slash, percent-encoded or not, in NFC or NFD', async () => {
    const { key } = file;
    const base = `${storage.url}/v1/storage/download/`;
    const forms = [
      key,
      key.slice(1),
      encodeURIComponent(key),
      encodeURIComponent(key.slice(1)),
      encodeURI(key.normalize('NFD')).slice(1),
    ];
    for (const path of forms) {
      const response = await get({ range: 'bytes=0-3' }, {}, base + path);
      expect([path, response.status]).toEqual([path, 206]);
      await response.arrayBuffer();
    }
  });

  it('sends a private file only to its owner', async () => {
    const as = (headers: Record<string, string>, path: string) =>
      fetch(`${storage.url}/v1/storage/download${path}`, { headers }).then(errorOf);
    expect(await as({}, file.key)).toMatchObject({ status: 401, code: 'unauthorized' });
    expect(await as({}, '/no/such/file')).toMatchObject({ status: 401, code: 'unauthorized' });
    expect(await as(bearer(stranger), file.key)).toMatchObject({ status: 404, code: 'file_not_found' });
    expect(await as(bearer(stranger), '/no/such/file')).toMatchObject({
      status: 404,
      code: 'file_not_found',
    });
    const direct = await fetch(`${storage.url}/cdn${file.key}`, { headers: bearer(user) });
    expect(await errorOf(direct)).toMatchObject({ status: 404, code: 'file_not_found' });
  });

  it('can have a signed URL that expires, needs no key and cannot be altered', async () => {
    const signed = async (expires: number): Promise<string> => {
      const params = { fileKey: file.key };
      const { data } = await user.client.call('downloadUrl', { params, query: { expires } });
      return data.url;
    };
    const url = await signed(60);
    const response = await fetch(url, { headers: { range: 'bytes=0-5' } });
    expect([response.status, await response.text()]).toEqual([206, 'line 0']);
    const altered = url.slice(0, -1) + (url.endsWith('A') ? 'B' : 'A');
    expect(await errorOf(await fetch(altered))).toMatchObject({ status: 403, code: 'signature_invalid' });
    const brief = await signed(1);
    await until(async () => (await fetch(brief)).status !== 200);
    expect(await errorOf(await fetch(brief))).toMatchObject({ status: 403, code: 'signature_expired' });
  });
});

describe('a public file', () => {
  it('can be read by anyone, and stored HTML cannot run scripts', async () => {
    const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>document.title = "ran"</script></svg>';
    const { file: picture } = await upload(user, 'p.svg', svg, { public: 'true' });
    expect(picture.urls.direct).toBe(`${storage.url}/cdn${picture.key}`);
    for (const url of [
      picture.urls.direct ?? '',
      picture.urls.download,
      `${picture.urls.download}?inline=true`,
    ]) {
      const response = await fetch(url);
      expect(await response.text()).toBe(svg);
      expect(response.headers.get('content-security-policy')).toBe("sandbox; default-src 'none'");
      expect(response.headers.get('content-disposition')).toBe('attachment; filename=p.svg');
      expect(response.headers.get('content-type')).toBe('image/svg+xml');
    }
    const direct = await fetch(picture.urls.direct ?? '');
    expect(direct.headers.get('cache-control')).toMatch(/^public/);
    await direct.arrayBuffer();
    await user.client.call('patchFile', { params: { fileKey: picture.key }, body: { public: false } });
    expect((await fetch(picture.urls.direct ?? '')).status).toBe(404);
  });

  it('can be shown inline if it cannot run scripts', async () => {
    const { file: note } = await upload(user, 'n.txt', 'shown', { public: 'true' });
    const shown = await fetch(`${note.urls.download}?inline=true`);
    expect(shown.headers.get('content-disposition')).toBe('inline; filename=n.txt');
    await shown.text();
  });
});

describe('an empty file', () => {
  it('is stored and sent', async () => {
    const { file: empty } = await upload(user, 'empty.txt', '');
    const whole = await get({}, {}, empty.urls.download);
    expect([whole.status, await whole.text(), whole.headers.get('content-length')]).toEqual([200, '', '0']);
    expect((await get({ range: 'bytes=0-' }, {}, empty.urls.download)).status).toBe(416);
  });
});

/** Files below the object folder that this process, and so the server in it, has open. */
const openObjects = () =>
  readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).includes('/objects/');
    } catch {
      return false;
    }
  });

it.runIf(process.platform === 'linux')('a download stops reading when the client disconnects', async () => {
  // More than the connection's buffers hold, so that the file is still open.
  const content = 'x'.repeat(32 * 1024 * 1024);
  const { file: large } = await upload(user, 'large.txt', content);
  const leave = new AbortController();
  const response = await fetch(large.urls.download, { headers: bearer(user), signal: leave.signal });
  await response.body?.getReader().read();
  expect(openObjects()).toHaveLength(1);
  leave.abort();
  await vi.waitFor(() => expect(openObjects()).toEqual([]), { timeout: 90_000 });
});
