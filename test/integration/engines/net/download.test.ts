import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '../../../../electron/core/base/errors.ts';
import {
  download,
  reopenForRevalidation,
  saveRevalidationState,
} from '../../../../electron/core/engines/net/download.ts';
import { createHttpClient } from '../../../../electron/core/engines/net/http-client.ts';
import type {
  DownloadOptions,
  DownloadResult,
  HttpClient,
} from '../../../../electron/core/engines/net/types.ts';
import { createRandom, SEED } from '../../../support/random.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import {
  drip,
  endless,
  file,
  htmlPage,
  stall,
  startUrlServer,
  status,
  type UrlServer,
} from '../../../support/url-server.ts';

const random = createRandom(SEED);

const sha = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

describe('download', () => {
  const body = random.bytes(1_000_000);
  let server: UrlServer;
  let client: HttpClient;
  let folder: string;
  let destination: string;

  const get = (path: string, options: Partial<DownloadOptions> = {}): Promise<DownloadResult> =>
    download(client, {
      url: server.url(path),
      destination,
      purpose: 'audio',
      ...options,
      limits: { maxBytes: 10_000_000, retryDelay: 5, stallSeconds: 1, ...options.limits },
    });

  /** Expects the file to be complete, correct, and alone in its folder. */
  const expectWhole = async (bytes: Buffer): Promise<void> => {
    expect(sha(await readFile(destination))).toBe(sha(bytes));
    expect(await readdir(folder)).toEqual(['part']);
  };

  beforeEach(async () => {
    server = await startUrlServer();
    client = createHttpClient({
      policy: () => ({ allowPrivateAddresses: true, offline: false }),
      version: '0',
    });
    folder = temporaryFolder();
    destination = join(folder, 'part');
  });

  afterEach(async () => {
    await client.close();
    await server.close();
  });

  it('downloads a file with its name, type and ETag, and reports progress', async () => {
    server.set('/Größe 1.mp3', file(body, { type: 'audio/mpeg', etag: '"v1"' }));
    const seen: number[] = [];
    const result = await get('/Gr%C3%B6%C3%9Fe%201.mp3', { onProgress: ({ bytes }) => seen.push(bytes) });
    expect(result).toEqual({
      bytes: body.length,
      bytesFetched: body.length,
      contentType: 'audio/mpeg',
      fileName: 'Größe 1.mp3',
      etag: '"v1"',
      lastModified: null,
      finalUrl: server.url('/Gr%C3%B6%C3%9Fe%201.mp3'),
    });
    expect(seen.at(-1)).toBe(body.length);
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
    await expectWhole(body);
  });

  it('resumes after every broken connection without fetching a byte twice', async () => {
    server.set('/a', file(body, { cutEvery: 100_000 }));
    const result = await get('/a');
    expect(result.bytesFetched).toBe(body.length);
    expect(server.requests.length).toBeGreaterThanOrEqual(10);
    expect(server.requests[1]?.headers).toMatchObject({
      range: expect.stringMatching(/^bytes=\d+-$/),
      'if-range': '"f4240"',
    });
    await expectWhole(body);
  });

  it('resumes with a weak ETag or with Last-Modified alone', async () => {
    server.set('/weak', file(body, { cutEvery: 600_000, etag: 'W/"1"' }));
    expect((await get('/weak')).bytesFetched).toBe(body.length);
    await expectWhole(body);
    server.set(
      '/date',
      file(body, { cutEvery: 600_000, etag: null, lastModified: 'Wed, 01 Jul 2026 10:00:00 GMT' }),
    );
    expect((await get('/date')).bytesFetched).toBe(body.length);
    await expectWhole(body);
  });

  it('resumes in another call, as after a restart', async () => {
    server.set('/a', file(body, { cutEvery: 300_000 }));
    await expect(get('/a', { limits: { maxBytes: 10_000_000, maxTries: 0 } })).rejects.toMatchObject({
      code: 'download_failed',
    });
    expect((await readdir(folder)).sort()).toEqual(['part', 'part.resume.json']);
    server.set('/a', file(body));
    const result = await get('/a');
    expect(result).toMatchObject({ bytes: body.length, bytesFetched: expect.any(Number) });
    expect(result.bytesFetched).toBeLessThan(900_000);
    await expectWhole(body);
  });

  it.each([
    { how: 'an ETag', proof: { etag: '"v1"' } },
    { how: 'a weak ETag', proof: { etag: 'W/"v1"' } },
    { how: 'a date', proof: { etag: null, lastModified: 'Wed, 01 Jul 2026 10:00:00 GMT' } },
  ])('fetches one byte of a whole file that its server knows again by $how', async ({ proof }) => {
    server.set('/a', file(body, proof));
    const result = await get('/a');
    await saveRevalidationState(destination, { ...result, url: server.url('/a') });
    expect(await reopenForRevalidation(destination)).toBe(true);
    expect((await get('/a')).bytesFetched).toBe(1);
    await expectWhole(body);
  });

  it('restarts a file that changed on its server or has no validator', async () => {
    server.set('/a', file(body, { etag: '"v1"' }));
    await saveRevalidationState(destination, { ...(await get('/a')), url: server.url('/a') });
    expect(await reopenForRevalidation(destination)).toBe(true);
    const other = random.bytes(body.length);
    server.set('/a', file(other, { etag: '"v2"' }));
    expect((await get('/a')).bytesFetched).toBe(other.length);
    await expectWhole(other);
    await saveRevalidationState(destination, {
      url: server.url('/a'),
      bytes: 9,
      etag: null,
      lastModified: null,
    });
    expect(await reopenForRevalidation(destination)).toBe(false);
    await expectWhole(other);
  });

  it('is marked as incomplete before its first byte, even if it cannot resume', async () => {
    server.set('/a', file(body, { etag: null }));
    const seen: string[][] = [];
    await get('/a', { onProgress: () => seen.push(readdirSync(folder).sort()) });
    expect(seen.length).toBeGreaterThan(1);
    expect(seen.every((names) => names.includes('part.resume.json'))).toBe(true);
    await expectWhole(body);
  });

  it('restarts if the resume state is damaged or belongs to another address', async () => {
    server.set('/a', file(body));
    await writeFile(destination, 'something else');
    await writeFile(`${destination}.resume.json`, '{"version": 1, "url"');
    expect((await get('/a')).bytesFetched).toBe(body.length);
    await expectWhole(body);
  });

  it('restarts when the file changed in between', async () => {
    const second = random.bytes(800_000);
    let current = body;
    server.set(
      '/a',
      file(() => current, {
        cutEvery: 500_000,
        onRequest: (count) => {
          if (count === 2) current = second;
        },
      }),
    );
    expect((await get('/a')).bytes).toBe(second.length);
    await expectWhole(second);
  });

  it('restarts when a server that ignores If-Range sends the rest of another version', async () => {
    const second = random.bytes(body.length);
    let current = body;
    server.set(
      '/a',
      file(() => current, {
        cutEvery: 600_000,
        etag: 'W/"one"',
        onRequest: (count) => {
          if (count === 2) current = second;
        },
      }),
    );
    server.set('/b', (request, response) => {
      const weak = current === body ? 'W/"one"' : 'W/"two"';
      file(() => current, { cutEvery: 600_000, etag: weak })(request, response);
      current = second;
    });
    await get('/b');
    await expectWhole(second);
  });

  it('handles servers that answer ranges wrongly or not at all', async () => {
    server.set('/none', file(body, { ranges: false, cutEvery: 900_000 }));
    await expect(get('/none')).rejects.toMatchObject({
      code: 'download_failed',
      message: expect.stringMatching(/had sent \d+ of 1000000 bytes/),
    });
    let count = 0;
    server.set('/wrong', (request, response) => {
      count++;
      file(body, count === 1 ? { cutEvery: 300_000 } : { wrongRange: request.headers.range !== undefined })(
        request,
        response,
      );
    });
    await get('/wrong');
    await expectWhole(body);
  });

  it('decodes a content encoding that was not requested', async () => {
    server.set('/a', file(body, { gzip: true }));
    expect((await get('/a')).bytes).toBe(body.length);
    await expectWhole(body);
    server.set('/twice', (_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip, BR' }).end(brotliCompressSync(gzipSync(body)));
    });
    await get('/twice');
    await expectWhole(body);
    server.set('/often', file(body, { headers: { 'content-encoding': 'gzip,'.repeat(6) } }));
    await expect(get('/often')).rejects.toMatchObject({ message: expect.stringContaining('5 times') });
  });

  it.each(['aws-chunked', 'utf-8', 'binary', 'none', 'UTF-8, identity', 'mp3'])(
    'takes the bytes as they are where the content encoding is %s',
    async (encoding) => {
      server.set('/a', file(body, { headers: { 'content-encoding': encoding }, cutEvery: 400_000 }));
      const result = await get('/a');
      expect(result).toMatchObject({ bytes: body.length, bytesFetched: body.length });
      await expectWhole(body);
    },
  );

  it.each([403, 400, 404, 501])('fetches the whole file where a range is answered with %i', async (code) => {
    server.set('/a', (request, response) => {
      if (request.headers.range === undefined) {
        const isFirst = server.requests.length === 1;
        file(body, isFirst ? { cutEvery: 300_000 } : {})(request, response);
      } else status(code)(request, response);
    });
    await get('/a');
    await expectWhole(body);
    expect(server.requests.map(({ headers }) => headers.range !== undefined)).toEqual([false, true, false]);
  });

  it('stops a decompression bomb at the limit', async () => {
    server.set('/a', file(Buffer.alloc(50_000_000), { gzip: true }));
    await expect(get('/a')).rejects.toMatchObject({ code: 'download_too_large' });
  });

  it('explains a wrong Content-Length', async () => {
    server.set('/long', file(body, { announcedLength: 2_000_000, ranges: false }));
    await expect(get('/long')).rejects.toMatchObject({
      code: 'download_failed',
      message: expect.stringMatching(/had sent \d+ of 2000000 bytes/),
    });
  });

  it.each([
    [404, /answered 404 Not Found\. There is no file/],
    [403, /403 Forbidden/],
    [500, /500 Internal Server Error\. That is a fault of the server/],
  ])('fails at once on %i, saying so', async (code, message) => {
    server.set('/a', status(code));
    await expect(get('/a')).rejects.toMatchObject({
      code: 'download_failed',
      message: expect.stringMatching(message),
    });
    expect(server.requests).toHaveLength(1);
  });

  it('retries while a server is busy', async () => {
    let count = 0;
    server.set('/a', (request, response) => {
      count++;
      (count < 3 ? status(503) : file(body))(request, response);
    });
    await get('/a');
    await expectWhole(body);
  });

  it('ends when the server sends a byte now and then', async () => {
    server.set('/drip', drip(body));
    const minRate = { bytesPerSecond: 1000, overSeconds: 1 };
    await expect(get('/drip', { limits: { maxBytes: 1e7, minRate } })).rejects.toMatchObject({
      code: 'download_timeout',
      message: expect.stringContaining('1000 bytes a second'),
    });
  });

  it('gives up on a server that breaks off after a few bytes of each answer', async () => {
    let requests = 0;
    server.set('/crumbs', file(body, { cutEvery: 100, onRequest: (count) => (requests = count) }));
    await expect(get('/crumbs')).rejects.toMatchObject({ code: 'download_failed' });
    expect(requests).toBe(5);
  });

  it('ends on a stall, an endless stream and a file over the limit', async () => {
    server.set('/stall', stall(body, 50_000));
    await expect(get('/stall')).rejects.toMatchObject({ code: 'download_timeout' });
    server.set('/endless', endless());
    await expect(get('/endless')).rejects.toMatchObject({
      code: 'download_too_large',
      message: expect.stringContaining('9.54 MB'),
    });
    server.set('/large', file(body));
    await expect(get('/large', { limits: { maxBytes: 999_999 } })).rejects.toMatchObject({
      code: 'download_too_large',
    });
    await get('/large', { limits: { maxBytes: 1_000_000 } });
  });

  it('accepts an HTML page and an empty file, whose content is checked later', async () => {
    server.set('/page', htmlPage);
    expect((await get('/page')).contentType).toBe('text/html');
    server.set('/empty', file(Buffer.alloc(0)));
    expect(await get('/empty')).toMatchObject({ bytes: 0, bytesFetched: 0 });
    await expectWhole(Buffer.alloc(0));
  });

  it('shows the head of the file before it receives the rest, and stops if that is refused', async () => {
    const seen: Uint8Array[] = [];
    const checkHead = async (head: Uint8Array) => void seen.push(head);
    server.set('/long', file(body));
    await get('/long', { checkHead });
    server.set('/short', file(body.subarray(0, 100)));
    await get('/short', { checkHead });
    expect(seen.map((head) => sha(Buffer.from(head)))).toEqual([
      sha(body.subarray(0, 65_536)),
      sha(body.subarray(0, 100)),
    ]);
    server.set('/endless', endless());
    const refused = new AppError('not_media', 'This is a web page.');
    await expect(get('/endless', { checkHead: () => Promise.reject(refused) })).rejects.toBe(refused);
  });

  it('can be cancelled, also while it waits for a retry', async () => {
    server.set('/stall', stall(body, 50_000));
    const abort = new AbortController();
    const stalled = get('/stall', { signal: abort.signal, onProgress: () => abort.abort() });
    await expect(stalled).rejects.toMatchObject({ code: 'cancelled' });
    const waiting = new AbortController();
    server.set('/busy', (request, response) => {
      status(503)(request, response);
      response.once('close', () => waiting.abort());
    });
    const tries = get('/busy', {
      signal: waiting.signal,
      limits: { maxBytes: 1e9, retryDelay: 60_000 },
    });
    await expect(tries).rejects.toMatchObject({ code: 'cancelled' });
  });

  it('reports a full disk, before and while writing', async () => {
    server.set('/huge', (_request, response) => {
      response.writeHead(200, { 'content-length': String(1e14) });
      response.write('x');
    });
    await expect(get('/huge', { limits: { maxBytes: Number.MAX_SAFE_INTEGER } })).rejects.toMatchObject({
      code: 'disk_full',
    });
    await symlink('/dev/full', join(folder, 'full'));
    server.set('/a', file(body));
    await expect(get('/a', { destination: join(folder, 'full') })).rejects.toMatchObject({
      code: 'disk_full',
      message: expect.stringContaining('Free some space'),
    });
  });
});
