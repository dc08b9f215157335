import { setImmediate } from 'node:timers/promises';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { routes } from '../../../electron/contract/routes.ts';
import { AppError } from '../../../electron/core/base/errors.ts';
import { addErrorHandlers, toAppError } from '../../../electron/core/http/errors.ts';

const systemError = (code: string): Error => Object.assign(new Error(`secret path, ${code}`), { code });

describe('anything thrown', () => {
  it.each<[string, unknown, string, number]>([
    ['an AppError stays itself', new AppError('conflict', 'Taken.'), 'conflict', 409],
    ['a full disk has a code of its own', systemError('ENOSPC'), 'disk_full', 507],
    ['a full database, too', systemError('SQLITE_FULL'), 'disk_full', 507],
    ['any other error is internal', systemError('EIO'), 'internal_error', 500],
    ['a string is internal', 'secret', 'internal_error', 500],
    ['nothing is internal', undefined, 'internal_error', 500],
  ])('becomes an AppError: %s', (_, thrown, code, status) => {
    const error = toAppError(thrown);
    expect([error.code, error.status]).toEqual([code, status]);
    expect(error.message).not.toContain('secret');
  });
});

describe('the error handlers', () => {
  const logged: object[] = [];
  let server: FastifyInstance;

  beforeAll(async () => {
    server = Fastify({ bodyLimit: 100 });
    const log = (fields: object) => logged.push(fields);
    const quiet = () => {};
    const logger = { debug: quiet, info: quiet, warn: quiet, error: log };
    addErrorHandlers(server, Object.values(routes), logger);
    const openAi = { config: { route: routes.openAiTranscribe } };
    server.get('/crash', () => Promise.reject(new Error('secret')));
    server.get('/openai', openAi, () => Promise.reject(new AppError('unauthorized', 'A key is needed.')));
    server.get('/file', (_request, reply) => {
      reply.headers({ etag: '"1"', 'content-disposition': 'inline', 'cache-control': 'public' });
      throw new AppError('file_not_found', 'There is no such file.', { headers: { 'x-more': '1' } });
    });
    server.post('/json', () => ({}));
    await server.ready();
  });
  afterAll(() => server.close());

  it('hide and log what is internal', async () => {
    const response = await server.inject('/crash');
    expect(response.statusCode).toBe(500);
    expect(response.body).not.toContain('secret');
    expect(response.json()).toMatchObject({ success: false, code: 'internal_error' });
    expect(logged.map((fields) => 'stack' in fields && String(fields.stack))).toEqual([
      expect.stringContaining('secret'),
    ]);
  });

  it('leave no timer once the body has been read', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const { statusCode } = await server.inject({
        method: 'POST',
        url: '/json',
        headers: { 'content-type': 'application/json' },
        payload: '{',
      });
      const headers = { 'content-type': 'x/y' };
      const refused = await server.inject({ method: 'POST', url: '/json', headers, payload: 'x'.repeat(50) });
      expect([statusCode, refused.statusCode]).toEqual([400, 415]);
      await setImmediate();
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  it('keep headers of a file away from the error, and send those of the error', async () => {
    const { headers } = await server.inject('/file');
    expect(headers).not.toHaveProperty('etag');
    expect(headers).not.toHaveProperty('content-disposition');
    expect(headers).not.toHaveProperty('cache-control');
    expect(headers).toMatchObject({ 'x-more': '1', 'content-type': 'application/json; charset=utf-8' });
  });

  it('use OpenAI’s form on OpenAI’s routes', async () => {
    const response = await server.inject('/openai');
    expect(response.headers['www-authenticate']).toBe('Bearer');
    expect(response.json()).toEqual({
      error: {
        message: 'A key is needed.',
        type: 'authentication_error',
        param: null,
        code: 'invalid_api_key',
      },
    });
  });

  it.each<[string, string, string, number, string]>([
    ['no JSON', '{', 'application/json', 400, 'invalid_request'],
    ['another type', '<a/>', 'application/xml', 415, 'unsupported_media_type'],
    ['too many bytes', JSON.stringify('x'.repeat(200)), 'application/json', 413, 'request_too_large'],
  ])('translate Fastify’s errors: a body with %s', async (_, payload, type, status, code) => {
    const request = { method: 'POST', url: '/json', payload, headers: { 'content-type': type } } as const;
    const response = await server.inject(request);
    expect([response.statusCode, response.json().code]).toEqual([status, code]);
    expect(response.headers.connection).not.toBe('close');
  });

  it('answer a known path with another method by 405, and an unknown one by 404', async () => {
    const wrongMethod = await server.inject({ method: 'DELETE', url: '/v1/health' });
    expect([wrongMethod.statusCode, wrongMethod.headers.allow]).toEqual([405, 'GET']);
    const withKey = await server.inject({ method: 'PUT', url: '/v1/storage/file/usr/folder/name.wav' });
    expect([withKey.statusCode, withKey.headers.allow]).toEqual([405, 'GET, PATCH, DELETE']);
    const unknown = await server.inject('/v1/nothing');
    expect([unknown.statusCode, unknown.json().code]).toEqual([404, 'route_not_found']);
  });
});
