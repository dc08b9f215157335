import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readBytes } from '../../../../electron/core/engines/ffmpeg/content-kind.ts';
import { createHttpClient } from '../../../../electron/core/engines/net/http-client.ts';
import {
  openRangeReader,
  type RangeReader,
  type RangeReaderOptions,
  type RangeReaderResult,
} from '../../../../electron/core/engines/net/range-reader/range-reader.ts';
import type { HttpClient } from '../../../../electron/core/engines/net/types.ts';
import { readWebPage } from '../../../../electron/core/engines/pages/yt-dlp.ts';
import { createRandom, SEED } from '../../../support/random.ts';
import {
  drip,
  type FileOptions,
  file,
  redirect,
  stall,
  startUrlServer,
  status,
  type UrlServer,
} from '../../../support/url-server.ts';

const random = createRandom(SEED);

describe('the range reader', () => {
  const body = random.bytes(3_000_000);
  let server: UrlServer;
  let client: HttpClient;
  const readers: RangeReader[] = [];

  const openAt = async (
    path: string,
    options: Partial<RangeReaderOptions> = {},
  ): Promise<RangeReaderResult> => {
    const result = await openRangeReader({
      client,
      url: server.url(path),
      maxBytes: 1e9,
      stallSeconds: 1,
      ...options,
    });
    if (result.supported) readers.push(result.reader);
    return result;
  };

  const reading = async (
    options: FileOptions = {},
    current: Buffer | (() => Buffer) = body,
  ): Promise<RangeReader> => {
    server.set('/a', file(current, options));
    const result = await openAt('/a');
    if (!result.supported) throw new Error(result.reason);
    return result.reader;
  };

  /** Reads as ffmpeg does: from a position to the end, with another request whenever a response ends. */
  const read = async (reader: RangeReader, first: number, length: number): Promise<Buffer> => {
    const parts: Buffer[] = [];
    let position = first;
    while (position < first + length) {
      const response = await fetch(reader.url, { headers: { range: `bytes=${position}-` } });
      expect(response.status).toBe(206);
      const part = Buffer.from(await response.arrayBuffer());
      parts.push(part);
      position += part.length;
    }
    return Buffer.concat(parts).subarray(0, length);
  };

  beforeEach(async () => {
    server = await startUrlServer();
    client = createHttpClient({
      policy: () => ({ allowPrivateAddresses: true, offline: false }),
      version: '0',
    });
  });

  afterEach(async () => {
    await Promise.all(readers.splice(0).map((reader) => reader.close()));
    await client.close();
    await server.close();
  });

  it('serves every byte of a file, and fetches each once', async () => {
    const reader = await reading({ type: 'audio/wav' });
    expect(reader).toMatchObject({
      totalBytes: body.length,
      contentType: 'audio/wav',
      fileName: 'a',
    });
    expect((await read(reader, 0, body.length)).equals(body)).toBe(true);
    expect(reader.bytesFetched()).toBe(body.length);
    expect(reader.failure()).toBeNull();
  });

  it('fetches little more than is read, and an index at the end only once', async () => {
    const reader = await reading();
    await read(reader, body.length - 10_000, 10_000);
    await read(reader, 1_500_000, 100_000);
    await read(reader, body.length - 10_000, 10_000);
    expect(reader.bytesFetched()).toBeLessThan(180_000);
    expect(server.bytesSent()).toBeLessThan(190_000);
  });

  it('fetches nothing before a position that is read, and nothing behind bytes that are cached', async () => {
    const reader = await reading();
    const before = reader.bytesFetched();
    expect((await read(reader, 1_500_001, 10)).equals(body.subarray(1_500_001, 1_500_011))).toBe(true);
    expect(server.requests.at(-1)?.headers.range).toMatch(/^bytes=1500001-/);
    const after = reader.bytesFetched();
    expect(after - before).toBeLessThan(50_000);
    await read(reader, 100, 10);
    await read(reader, 1_500_500, 10);
    expect(reader.bytesFetched()).toBe(after);
    // Up to where the cached bytes begin.
    await read(reader, 1_500_001 - 1000, 2000);
    expect(server.requests.at(-1)?.headers.range).toBe('bytes=1499001-1500000');
  });

  it('reads no more than the first 16 KB and the last of a recording to tell it from a web page', async () => {
    const reader = await reading();
    expect(await readWebPage(reader, new AbortController().signal)).toBeUndefined();
    expect(reader.bytesFetched()).toBe(17 * 1024);
    const html = Buffer.from(`<!doctype html><head>${' '.repeat(40_000)}<title>A talk</title>`);
    const page = await reading({}, html);
    expect(await readWebPage(page, new AbortController().signal)).toEqual({ title: 'A talk' });
  });

  it('requests more at a time the longer a file is read on', async () => {
    const reader = await reading();
    for (let at = 0; at < body.length; at += 1_000_000) await readBytes(reader, at, 1_000_000);
    expect(reader.bytesFetched()).toBe(body.length);
    expect(server.requests.length).toBeLessThan(30);
  });

  it('answers 404 for any other path', async () => {
    const reader = await reading();
    const { origin } = new URL(reader.url);
    expect((await fetch(`${origin}/`)).status).toBe(404);
    expect((await fetch(`${reader.url}x`)).status).toBe(404);
  });

  it('reports a server without ranges, with a content encoding, or with wrong ranges', async () => {
    server.set('/none', file(body, { ranges: false }));
    server.set('/gzip', file(body, { gzip: true }));
    server.set('/empty', file(Buffer.alloc(0)));
    server.set('/unknown', (_request, response) => {
      response.writeHead(206, { 'content-range': 'bytes 0-65535/*' }).end(body.subarray(0, 65_536));
    });
    for (const path of ['/none', '/gzip', '/empty', '/unknown', '/missing']) {
      expect(await openAt(path)).toMatchObject({ supported: false });
    }
  });

  it('reports a server that refuses ranges, or answers each from the beginning', async () => {
    const whole = file(body, { ranges: false });
    server.set('/refused', (request, response) =>
      (request.headers.range === undefined ? whole : status(403))(request, response),
    );
    server.set('/whole', file(body, { wrongRange: true }));
    server.set('/first', (request, response) => {
      request.headers.range = request.headers.range?.replace(/=(\d+)-(\d+)$/, (_range, first, last) => {
        return `=0-${Number(last) - Number(first)}`;
      });
      file(body)(request, response);
    });
    server.set('/elsewhere', (request, response) =>
      (/=0-/.test(request.headers.range ?? '') ? file(body) : status(403))(request, response),
    );
    for (const path of ['/refused', '/whole', '/first', '/elsewhere']) {
      expect([path, await openAt(path)]).toMatchObject([path, { supported: false }]);
    }
  });

  it('goes through redirects again whose cookies the file needs', async () => {
    server.set('/a', (_request, response) => {
      response.writeHead(302, { location: '/b', 'set-cookie': 'pass=1; Path=/' }).end();
    });
    server.set('/b', (request, response) =>
      (request.headers.cookie === 'pass=1' ? file(body) : status(200))(request, response),
    );
    const result = await openAt('/a');
    if (!result.supported) throw new Error(result.reason);
    expect((await read(result.reader, 1_000_000, 1000)).equals(body.subarray(1_000_000, 1_001_000))).toBe(
      true,
    );
  });

  it.each([
    ['another ETag', { etag: '"two"' }],
    ['another length', {}],
  ])('notices that the file changed: %s', async (_name, options) => {
    let current = file(body, { etag: '"one"' });
    server.set('/a', (request, response) => current(request, response));
    const result = await openAt('/a');
    if (!result.supported) throw new Error(result.reason);
    current = file(body.subarray(0, 2_900_000), { etag: '"one"', ...options });
    await expect(read(result.reader, 1_000_000, 1000)).rejects.toThrow();
    expect(result.reader.failure()).toMatchObject({
      code: 'download_failed',
      message: expect.stringContaining('changed'),
    });
  });

  it('rejects a range that it did not request', async () => {
    let wrong = false;
    server.set('/a', (request, response) => file(body, { wrongRange: wrong })(request, response));
    const result = await openAt('/a');
    if (!result.supported) throw new Error(result.reason);
    wrong = true;
    await expect(read(result.reader, 1_000_000, 1000)).rejects.toThrow();
    expect(result.reader.failure()).toMatchObject({ message: expect.stringContaining('another part') });
  });

  it('requests the rest of a truncated range', async () => {
    const reader = await reading({ cutEvery: 100_000 });
    expect((await read(reader, 500_000, 300_000)).equals(body.subarray(500_000, 800_000))).toBe(true);
  });

  it('reports a stall and an exceeded limit', async () => {
    let current = file(body);
    server.set('/a', (request, response) => current(request, response));
    const result = await openAt('/a');
    if (!result.supported) throw new Error(result.reason);
    current = stall(body, 0);
    await expect(read(result.reader, 1_000_000, 1000)).rejects.toThrow();
    expect(result.reader.failure()).toMatchObject({ code: 'download_timeout' });
    current = file(body);
    const limited = await openAt('/a', { maxBytes: 200_000 });
    if (!limited.supported) throw new Error(limited.reason);
    await expect(read(limited.reader, 0, 1_000_000)).rejects.toThrow();
    expect(limited.reader.failure()).toMatchObject({ code: 'download_too_large' });
  });

  it('reports a server that sends a byte now and then', async () => {
    let current = file(body);
    server.set('/a', (request, response) => current(request, response));
    const result = await openAt('/a', { minRate: { bytesPerSecond: 1000, overSeconds: 1 } });
    if (!result.supported) throw new Error(result.reason);
    current = drip(body);
    await expect(read(result.reader, 1_000_000, 1000)).rejects.toThrow();
    expect(result.reader.failure()).toMatchObject({ code: 'download_timeout' });
  });

  it('uses the redirected address, and resolves it again when it has expired', async () => {
    let link = '/signed-1';
    server.set('/a', (request, response) => redirect(link)(request, response));
    server.set('/signed-1', file(body));
    const result = await openAt('/a');
    if (!result.supported) throw new Error(result.reason);
    await read(result.reader, 1_000_000, 1000);
    expect(server.requests.filter(({ path }) => path === '/a')).toHaveLength(1);
    link = '/signed-2';
    server.set('/signed-1', status(403));
    server.set('/signed-2', file(body));
    const part = await read(result.reader, 2_000_000, 1000);
    expect(part.equals(body.subarray(2_000_000, 2_001_000))).toBe(true);
  });

  it('ends when its signal aborts', async () => {
    const abort = new AbortController();
    server.set('/a', file(body));
    const result = await openAt('/a', { signal: abort.signal });
    if (!result.supported) throw new Error(result.reason);
    abort.abort();
    await expect(read(result.reader, 0, 1000)).rejects.toThrow();
    expect(result.reader.failure()).toMatchObject({ code: 'cancelled' });
  });
});
