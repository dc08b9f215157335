import { once } from 'node:events';
import { request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { closeSlowBodies } from '../../../electron/core/http/slow-bodies.ts';

describe('closeSlowBodies', () => {
  let server: FastifyInstance;
  let port: number;

  beforeEach(async () => {
    server = Fastify();
    closeSlowBodies(server, { bytesPerSecond: 1000, overSeconds: 0.2 });
    server.addContentTypeParser('*', (_request, _payload, done) => done(null));
    server.post('/upload', async ({ raw }) => ({ bytes: (await buffer(raw)).length }));
    server.post('/busy', async ({ raw }) => {
      await delay(700);
      return { bytes: (await buffer(raw)).length };
    });
    server.post('/long', async ({ raw }) => {
      await buffer(raw);
      await delay(700);
      return {};
    });
    server.get('/events', async () => {
      await delay(700);
      return {};
    });
    port = Number(new URL(await server.listen({ port: 0, host: '127.0.0.1' })).port);
  });
  afterEach(() => server.close());

  /** Sends `count` parts of `bytes`, one each 20 ms; returns the status, or the code of the connection's error. */
  const send = async (path: string, bytes: number, count: number): Promise<number | string> => {
    const headers = { 'content-type': 'audio/wav', 'content-length': bytes * count };
    const upload = request({ host: '127.0.0.1', port, path, method: 'POST', headers });
    const answer = new Promise<number | string>((resolve) => {
      upload.on('response', ({ statusCode }) => resolve(statusCode ?? 0));
      upload.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''));
    });
    for (let i = 0; i < count && !upload.destroyed; i++) {
      upload.write(Buffer.alloc(bytes));
      await delay(20);
    }
    upload.end();
    if (!upload.closed) await Promise.race([once(upload, 'close'), answer]);
    return answer;
  };

  it('closes a body that arrives byte by byte', async () => {
    expect(await send('/upload', 1, 100)).toMatch(/^(ECONNRESET|EPIPE)$/);
  });

  it('lets a slow but steady upload through, however long it takes', async () => {
    expect(await send('/upload', 100, 50)).toBe(200);
  });

  it('does not take a handler that reads late, or works long, for a slow sender', async () => {
    expect(await send('/busy', 100, 2)).toBe(200);
    expect(await send('/long', 100, 2)).toBe(200);
    expect((await fetch(`http://127.0.0.1:${port}/events`)).status).toBe(200);
  });
});
