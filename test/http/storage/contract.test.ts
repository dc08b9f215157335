import { describe, expect, it } from 'vitest';
import { routes } from '../../../electron/contract/routes.ts';
import { bearer, form, freshStorage, newUser, upload } from './support/client.ts';
import { answerCheck } from './support/openapi.ts';

const storage = await freshStorage();
const user = newUser(storage);
const check = await answerCheck(storage.url);
const { file } = await upload(user, 'a.txt', 'hello', {
  folder: 'in',
  public: 'true',
  metadata: '{"a":{"b":[1,null]}}',
});
const json = { 'content-type': 'application/json' };

/** Sends a request and checks its answer against the document. */
const call = async (
  method: string,
  template: string,
  fill: string,
  init: RequestInit = {},
  key: Record<string, string> = bearer(user),
): Promise<{ status: number; code: string | undefined }> => {
  const path = template.replace(/\/?\{\w+\}$/, fill === '' ? '' : `/${fill.replace(/^\//, '')}`);
  const [at = '', query = ''] = path.split('?');
  const response = await fetch(`${storage.url}${at}${query === '' ? '' : `?${query}`}`, {
    method,
    ...init,
    headers: { ...key, ...Object.fromEntries(new Headers(init.headers)) },
  });
  const body: { code?: string } = JSON.parse(await response.text());
  expect(check(method, template.split('?')[0] ?? '', response.status, body)).toBeUndefined();
  return { status: response.status, code: body.code };
};

describe('every answer matches the OpenAPI document', () => {
  it('for valid requests', async () => {
    const FILE = '/v1/storage/file/{fileKey}';
    const good: [string, string, string, RequestInit, number][] = [
      ['POST', '/v1/storage/upload', '', { body: form('b.txt', 'x') }, 201],
      [
        'POST',
        '/v1/storage/presigned-upload',
        '',
        { body: '{"filename":"a.txt","contentType":"text/plain"}', headers: json },
        200,
      ],
      ['GET', FILE, file.key, {}, 200],
      ['PATCH', FILE, file.key, { body: '{"metadata":{"x":1}}', headers: json }, 200],
      ['GET', '/v1/storage/info', '', {}, 200],
      ['GET', '/v1/storage/cors-config', '', {}, 200],
      ['POST', '/v1/storage/configure-cors', '', { body: '{"allowedOrigins":["*"]}', headers: json }, 200],
      ['GET', '/v1/storage/cors-config', '', {}, 200],
      ['GET', '/v1/storage/files', '', {}, 200],
      ['GET', '/v1/storage/download-url/{fileKey}', file.key, {}, 200],
      ['GET', '/v1/storage/links/{fileKey}', file.key, {}, 200],
      ['DELETE', FILE, file.key, {}, 200],
    ];
    for (const [method, path, fill, init, status] of good) {
      expect([method, path, await call(method, path, fill, init)]).toEqual([
        method,
        path,
        { status, code: undefined },
      ]);
    }
  });

  it('for invalid requests', async () => {
    const FILE = '/v1/storage/file/{fileKey}';
    const bad: [string, string, string, RequestInit, number, string][] = [
      ['POST', '/v1/storage/upload', '', { body: '{}', headers: json }, 415, 'unsupported_media_type'],
      ['POST', '/v1/storage/upload', '', { body: form('a.exe', 'x') }, 415, 'unsupported_file_type'],
      ['POST', '/v1/storage/upload', '', { body: form('a.mp3', 'x') }, 422, 'content_mismatch'],
      [
        'POST',
        '/v1/storage/presigned-upload',
        '',
        { body: '{"filename":"a.txt"}', headers: json },
        400,
        'invalid_request',
      ],
      ['POST', '/v1/storage/presigned-upload', '', { body: '{', headers: json }, 400, 'invalid_request'],
      [
        'POST',
        '/v1/storage/presigned-upload',
        '',
        { body: '{"filename":"a","contentType":"x/y"}', headers: json },
        415,
        'unsupported_file_type',
      ],
      ['PUT', '/v1/storage/presigned/{token}', 'no.token', { body: 'x' }, 403, 'signature_invalid'],
      ['GET', '/v1/storage/presigned/{token}', 'no.token', {}, 403, 'signature_invalid'],
      ['GET', FILE, '/none', {}, 404, 'file_not_found'],
      ['DELETE', FILE, '/none', {}, 404, 'file_not_found'],
      ['PATCH', FILE, '/none', { body: '{"public":true}', headers: json }, 404, 'file_not_found'],
      ['PATCH', FILE, '/none', { body: '{}', headers: json }, 400, 'invalid_request'],
      ['PATCH', FILE, '/none', { body: '{"colour":1}', headers: json }, 400, 'invalid_request'],
      ['GET', '/v1/storage/download/{fileKey}', '/none', {}, 404, 'file_not_found'],
      ['GET', '/cdn/{fileKey}', '/none', {}, 404, 'file_not_found'],
      ['GET', '/v1/storage/download-url/{fileKey}', '/none', {}, 404, 'file_not_found'],
      ['GET', '/v1/storage/links/{fileKey}', '/none', {}, 404, 'file_not_found'],
      [
        'POST',
        '/v1/storage/configure-cors',
        '',
        { body: '{"allowedOrigins":["x"]}', headers: json },
        400,
        'invalid_request',
      ],
    ];
    for (const [method, path, fill, init, status, code] of bad) {
      expect([method, path, await call(method, path, fill, init)]).toEqual([method, path, { status, code }]);
    }
  });

  it('for requests without a key', async () => {
    const protectedRoutes = Object.values(routes).filter(
      ({ tag, access }) => tag === 'Storage' && access === 'key',
    );
    expect(protectedRoutes).toHaveLength(16);
    for (const { method, path } of protectedRoutes) {
      const sent = await call(method, path, path.includes('{') ? '/x' : '', {}, {});
      expect([path, sent]).toEqual([path, { status: 401, code: 'unauthorized' }]);
    }
  });
});

it('deeply nested JSON is refused', async () => {
  const deep = `{"filename":"a.txt","contentType":"text/plain","metadata":{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}}`;
  const { status } = await call('POST', '/v1/storage/presigned-upload', '', { body: deep, headers: json });
  expect(status).toBe(400);
});
