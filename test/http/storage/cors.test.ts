import { describe, expect, it } from 'vitest';
import { bearer, errorOf, freshStorage, newUser, upload } from './support/client.ts';

const storage = await freshStorage({ settings: { 'network.allowedOrigins': ['https://office.example'] } });
const user = newUser(storage);
const other = newUser(storage);
const APP = 'https://app.example.com';

const { file } = await upload(user, 'a.txt', 'private');
const { file: open } = await upload(user, 'b.txt', 'public', { public: 'true' });
const presign = async () =>
  (await user.client.call('presignUpload', { body: { filename: 'c.txt', contentType: 'text/plain' } })).data
    .uploadUrl;
const preflight = (url: string, origin: string, method: string, headers = 'authorization') =>
  fetch(url, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': method,
      'access-control-request-headers': headers,
    },
  });
const read = (url: string, origin: string, headers = bearer(user)) =>
  fetch(url, { headers: { ...headers, origin } });
const configure = (allowedOrigins: string[], more = {}) =>
  user.client.call('configureCors', { body: { allowedOrigins, ...more } });

describe('without a CORS configuration', () => {
  it('the configuration is empty and no other origin is allowed', async () => {
    expect(await user.client.call('corsConfig')).toEqual({
      success: true,
      data: {
        allowedOrigins: [],
        allowedMethods: [],
        allowedHeaders: [],
        maxAgeSeconds: 0,
        lastUpdated: null,
      },
    });
    for (const answer of [
      await preflight(file.urls.download, APP, 'GET'),
      await preflight(await presign(), APP, 'PUT', 'content-type'),
      await read(file.urls.download, APP),
      await fetch(await presign(), {
        method: 'PUT',
        body: 'x',
        headers: { origin: APP, 'content-type': 'text/plain' },
      }),
    ]) {
      expect(answer.headers.get('access-control-allow-origin')).toBeNull();
      expect(await errorOf(answer)).toMatchObject({ status: 403, code: 'origin_not_allowed' });
    }
  });

  it('public files are served without CORS headers', async () => {
    for (const url of [open.urls.direct ?? '', open.urls.download]) {
      const answer = await read(url, APP, {});
      expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, null]);
      expect(answer.headers.get('vary')).toContain('Origin');
      await answer.text();
    }
  });
});

describe('a CORS configuration', () => {
  it('is returned with its defaults and can be read', async () => {
    const { data, message } = await configure([APP, APP]);
    expect(message).toBeTruthy();
    const { updatedAt, ...rules } = data;
    expect(rules).toEqual({
      allowedOrigins: [APP],
      allowedMethods: ['GET', 'POST', 'PUT', 'DELETE'],
      allowedHeaders: ['*'],
      maxAgeSeconds: 3600,
    });
    expect((await user.client.call('corsConfig')).data).toEqual({ ...rules, lastUpdated: updatedAt });
  });

  it('applies at once to downloads, direct URLs and presigned URLs', async () => {
    await configure([APP]);
    const urls: [string, string][] = [
      [file.urls.download, 'GET'],
      [open.urls.direct ?? '', 'GET'],
      [await presign(), 'PUT'],
    ];
    for (const [url, method] of urls) {
      const answer = await preflight(url, APP, method, 'Authorization, X-Whatever');
      expect(answer.status).toBe(204);
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        'access-control-allow-origin': APP,
        'access-control-allow-methods': 'GET, POST, PUT, DELETE',
        'access-control-allow-headers': 'Authorization, X-Whatever',
        'access-control-max-age': '3600',
      });
      expect(answer.headers.get('vary')).toContain('Origin');
      expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
      expect((await preflight(url, 'https://evil.example', method)).status).toBe(403);
    }
    const got = await read(file.urls.download, APP);
    expect([got.status, got.headers.get('access-control-allow-origin')]).toEqual([200, APP]);
    expect(got.headers.get('access-control-expose-headers')).toContain('ETag');
    const sent = await fetch(await presign(), {
      method: 'PUT',
      body: 'x',
      headers: { origin: APP, 'content-type': 'text/plain' },
    });
    expect([sent.status, sent.headers.get('access-control-allow-origin')]).toEqual([200, APP]);
  });

  it('lets a script read why an upload was refused', async () => {
    await configure([APP]);
    const answer = await fetch(await presign(), {
      method: 'PUT',
      body: 'x',
      headers: { origin: APP, 'content-type': 'image/png' },
    });
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([415, APP]);
  });

  it('applies to nothing else, and to no other user', async () => {
    await configure(['*']);
    const { file: theirs } = await upload(other, 't.txt', 'theirs');
    for (const [url, method] of [
      [`${storage.url}/v1/storage/info`, 'GET'],
      [`${storage.url}/v1/storage/upload`, 'POST'],
      [`${storage.url}/v1/storage/file${file.key}`, 'DELETE'],
      [`${storage.url}/v1/keys`, 'GET'],
      [theirs.urls.download, 'GET'],
    ] as const) {
      const asked = await preflight(url, APP, method);
      expect([url, asked.status]).toEqual([url, 403]);
      const done = await fetch(url, { method, headers: { ...bearer(user), origin: APP } });
      expect([url, done.status, done.headers.get('access-control-allow-origin')]).toEqual([url, 403, null]);
    }
  });

  it('answers `*` with `*`, and never allows credentials', async () => {
    await configure(['*', APP]);
    for (const answer of [
      await preflight(file.urls.download, APP, 'GET'),
      await read(file.urls.download, APP),
    ]) {
      expect(answer.headers.get('access-control-allow-origin')).toBe('*');
      expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
    }
  });

  it('matches wildcard labels, schemes and ports exactly', async () => {
    await configure(['https://*.example.com', 'http://localhost:5173']);
    const allowed = async (origin: string) =>
      (await preflight(file.urls.download, origin, 'GET')).status === 204;
    expect(await allowed('https://a.example.com')).toBe(true);
    expect(await allowed('https://a.b.example.com')).toBe(true);
    expect(await allowed('http://localhost:5173')).toBe(true);
    for (const origin of [
      'https://example.com',
      'http://a.example.com',
      'https://a.example.com:8443',
      'https://aexample.com',
      'https://evil.com/.example.com',
      'https://.example.com',
      'http://localhost:5174',
      'null',
    ]) {
      expect([origin, await allowed(origin)]).toEqual([origin, false]);
    }
  });

  it('limits methods and headers', async () => {
    await configure([APP], { allowedMethods: ['GET'], allowedHeaders: ['Range', 'authorization'] });
    expect((await preflight(file.urls.download, APP, 'GET', 'range, Authorization')).status).toBe(204);
    expect((await preflight(file.urls.download, APP, 'HEAD', 'range')).status).toBe(204);
    expect((await preflight(file.urls.download, APP, 'GET', 'x-other')).status).toBe(403);
    expect((await preflight(await presign(), APP, 'PUT', 'range')).status).toBe(403);
  });

  it('is refused with a detail for each issue, and the old one stays', async () => {
    await configure([APP]);
    const response = await fetch(`${storage.url}/v1/storage/configure-cors`, {
      method: 'POST',
      headers: { ...bearer(user), 'content-type': 'application/json' },
      body: JSON.stringify({
        allowedOrigins: ['https://ok.example', 'ftp://x', 'https://x/path', 'https://a.*.com'],
        allowedMethods: ['GET', 'TRACE'],
        allowedHeaders: ['bad header'],
        maxAgeSeconds: 86_401,
      }),
    });
    const { status, code, details } = await errorOf(response);
    expect([status, code]).toEqual([400, 'invalid_request']);
    expect(details).toEqual([
      'allowedOrigins.1',
      'allowedOrigins.2',
      'allowedOrigins.3',
      'allowedMethods.1',
      'allowedHeaders.0',
      'maxAgeSeconds',
    ]);
    expect((await user.client.call('corsConfig')).data.allowedOrigins).toEqual([APP]);
    for (const body of ['{}', '{"allowedOrigins":[]}', '{"allowedOrigins":["*"],"credentials":true}']) {
      const answer = await fetch(`${storage.url}/v1/storage/configure-cors`, {
        method: 'POST',
        headers: { ...bearer(user), 'content-type': 'application/json' },
        body,
      });
      expect((await errorOf(answer)).status).toBe(400);
    }
  });
});

it('the allowed origins of the server are unaffected', async () => {
  const office = 'https://office.example';
  expect((await preflight(`${storage.url}/v1/storage/info`, office, 'GET')).status).toBe(204);
  const answer = await read(file.urls.download, office);
  expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, office]);
});
