import { once } from 'node:events';
import { request } from 'node:http';
import type { Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { closeSlowBodies } from '../../../electron/core/http/server.ts';

const PART_MS = 20;
const LONG_MS = 700;

describe('closeSlowBodies', () => {
  let server: FastifyInstance;
  let port: number;
  /** The server's end of the latest request's connection. */
  let socket: Socket | undefined;
  const received = (): number => socket?.bytesRead ?? 0;
  /** Resolves when a handler has begun; `work` lets it end. */
  let begun: PromiseWithResolvers<void>;
  let work: PromiseWithResolvers<void>;

  beforeEach(async () => {
    // The clock of the rate: time passes between the parts of a body and not while the machine is busy.
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] });
    begun = Promise.withResolvers();
    work = Promise.withResolvers();
    const working = (): Promise<void> => {
      begun.resolve();
      return work.promise;
    };
    server = Fastify();
    closeSlowBodies(server, { bytesPerSecond: 1000, overSeconds: 0.2 });
    server.server.on('request', (message) => {
      socket = message.socket;
    });
    server.addContentTypeParser('*', (_request, _payload, done) => done(null));
    server.post('/upload', async ({ raw }) => ({ bytes: (await buffer(raw)).length }));
    server.post('/busy', async ({ raw }) => {
      await working();
      return { bytes: (await buffer(raw)).length };
    });
    server.post('/long', async ({ raw }) => {
      await buffer(raw);
      await working();
      return {};
    });
    server.get('/events', async () => {
      await working();
      return {};
    });
    port = Number(new URL(await server.listen({ port: 0, host: '127.0.0.1' })).port);
  });
  afterEach(async () => {
    await server.close();
    vi.useRealTimers();
  });

  /** Sends `count` parts of `bytes`, one each 20 ms; returns the status, or the code of the connection's error. */
  const send = (path: string, bytes: number, count: number) => {
    const headers = { 'content-type': 'audio/wav', 'content-length': bytes * count };
    const upload = request({ host: '127.0.0.1', port, path, method: 'POST', headers, agent: false });
    const answer = new Promise<number | string>((resolve) => {
      upload.on('response', ({ statusCode }) => resolve(statusCode ?? 0));
      upload.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''));
    });
    const isGone = () => upload.destroyed || socket?.destroyed === true;
    const sent = async (): Promise<void> => {
      socket = undefined;
      for (let part = 0; part < count && !isGone(); part++) {
        const before = received();
        upload.write(Buffer.alloc(bytes));
        const hasArrived = () => isGone() || received() >= before + bytes;
        await expect.poll(hasArrived, { interval: 1 }).toBe(true);
        vi.advanceTimersByTime(PART_MS);
      }
      upload.end();
    };
    return { answer, sent: sent() };
  };

  const statusOf = async (path: string, bytes: number, count: number): Promise<number | string> => {
    const { answer, sent } = send(path, bytes, count);
    await sent;
    return answer;
  };

  it('closes a body that arrives byte by byte', async () => {
    expect(await statusOf('/upload', 1, 100)).toMatch(/^(ECONNRESET|EPIPE)$/);
  });

  it('lets a slow but steady upload through, however long it takes', async () => {
    expect(await statusOf('/upload', 100, 50)).toBe(200);
  });

  it.each(['/busy', '/long'])('does not take a handler for a slow sender: %s', async (path) => {
    const { answer, sent } = send(path, 100, 2);
    await Promise.all([sent, begun.promise]);
    vi.advanceTimersByTime(LONG_MS);
    work.resolve();
    expect(await answer).toBe(200);
  });

  it('does not take an answer without an end for a slow sender', async () => {
    const asked = request({ host: '127.0.0.1', port, path: '/events', agent: false }).end();
    await begun.promise;
    vi.advanceTimersByTime(LONG_MS);
    work.resolve();
    const [response] = await once(asked, 'response');
    expect(response).toMatchObject({ statusCode: 200 });
  });
});
