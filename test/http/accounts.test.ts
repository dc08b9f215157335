import { statSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Route } from '../../electron/contract/route.ts';
import { routes } from '../../electron/contract/routes.ts';
import { fixture, ONE_SENTENCE } from '../support/fixtures.ts';
import { discard, startServer, type TestServer } from '../support/server.ts';
import { file, startUrlServer, type UrlServer } from '../support/url-server.ts';

let server: TestServer;
let remote: UrlServer;
let maria: string;

beforeAll(async () => {
  [server, remote] = await Promise.all([
    startServer({ quick: true, model: 'starter-parakeet' }),
    startUrlServer(),
  ]);
  const { data } = await server.client.call('createUser', { body: { name: 'María' } });
  maria = data.key.key;
});
afterAll(async () => {
  await Promise.all([discard(server), remote.close()]);
});

/** Sends a request with headers that `fetch` forbids. */
const raw = (
  path: string,
  headers: Record<string, string>,
  method = 'GET',
): Promise<{ status: number; body: string }> =>
  new Promise((resolve, reject) => {
    const asked = request(server.url + path, { method, headers }, (response) => {
      let body = '';
      response.on('data', (chunk: Buffer) => {
        body += chunk.toString();
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
    });
    asked.on('error', reject);
    asked.end();
  });

describe('API keys', () => {
  it('are required on every route that the contract does not exempt', async () => {
    const table: Record<string, Route> = routes;
    for (const route of Object.values(table)) {
      if (route.access !== 'key' && route.access !== 'owner') continue;
      const path = route.path.replaceAll(/\{\w+\}/g, 'x');
      for (const authorization of ['', 'Bearer wrong', 'Basic eDp5']) {
        const answer = await raw(path, authorization === '' ? {} : { authorization }, route.method);
        expect([route.method, path, answer.status]).toEqual([route.method, path, 401]);
        // The routes in OpenAI's and AssemblyAI's forms answer errors in those forms.
        const expected =
          route.errorForm === undefined
            ? { success: false, code: 'unauthorized' }
            : { error: expect.anything() };
        expect(JSON.parse(answer.body)).toMatchObject(expected);
      }
    }
    expect((await raw('/v1/health', {})).status).toBe(200);
    expect((await raw('/openapi.json', {})).status).toBe(200);
  });

  it('are shown once, rotated and revoked', async () => {
    const { data: made } = await server.client.call('createKey', { body: { name: 'script' } });
    expect(made.key).toMatch(/^ek_[0-9A-Za-z]{38}$/);
    expect(made.prefix).toBe(made.key.slice(0, 8));
    const listed = await server.fetch('/v1/keys');
    expect(await listed.text()).not.toContain(made.key);
    const rotated = await server.client.call('rotateKey', { params: { id: made.id } });
    await expect(server.as(made.key).call('listKeys')).rejects.toMatchObject({ status: 401 });
    await expect(server.as(rotated.data.key).call('listKeys')).resolves.toBeDefined();
    await server.client.call('revokeKey', { params: { id: made.id } });
    await expect(server.as(rotated.data.key).call('listKeys')).rejects.toMatchObject({ status: 401 });
    await expect(server.client.call('revokeKey', { params: { id: made.id } })).rejects.toMatchObject({
      code: 'key_not_found',
    });
  });

  it('that are wrong make an address wait, but not those who share it', async () => {
    const guess = (i: number) =>
      server.fetch('/v1/keys', { headers: { authorization: `Bearer guess-${i}` } });
    const statuses: number[] = [];
    for (let i = 0; i < 100; i++) statuses.push((await guess(i)).status);
    expect(statuses.slice(0, 15)).toEqual(Array.from({ length: 15 }, () => 401));
    const refused = await guess(100);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await refused.json()).toMatchObject({ code: 'rate_limited' });
    await expect(server.as(maria).call('listKeys')).resolves.toBeDefined();
    expect((await server.fetch('/v1/keys')).status).toBe(200);
  });

  it.runIf(process.platform !== 'win32')(
    'and other secrets are readable by the operating system’s user only',
    () => {
      for (const name of ['local-key', 'secret', 'server.json']) {
        expect(statSync(join(server.dataDir, name)).mode & 0o077).toBe(0);
      }
    },
  );
});

describe('two users', () => {
  it('cannot see, change or delete each other’s data, which looks missing', async () => {
    const url = remote.set('/a.wav', file(fixture(ONE_SENTENCE)));
    const mine = await server.client.call('createTranscript', {
      body: { audio_url: url, wait_until_complete: true },
    });
    const other = server.as(maria);
    expect(await other.call('recentTranscripts')).toEqual([]);
    expect((await other.call('listTranscripts')).data.stats.total_transcriptions).toBe(0);
    expect((await other.call('searchTranscripts', { query: { q: 'Northwind' } })).data.results).toEqual([]);
    const never = mine.id.replace(/.{4}$/, '0000');
    const paths = ['', '/sentences', '/audio', '/audio-url', '/peaks', '/export?format=srt'];
    const asked: [string, string, string?][] = [
      ...paths.map((path): [string, string] => ['GET', path]),
      ['DELETE', ''],
      ['POST', '/cancel'],
      ['POST', '/retry'],
      ['PATCH', '', '{"name":"x"}'],
      ['PATCH', '/queue', '{"position":1}'],
    ];
    for (const [method, path, body] of asked) {
      const [theirs, nobodys] = await Promise.all(
        [mine.id, never].map(async (id) => {
          const init = {
            method,
            headers: {
              authorization: `Bearer ${maria}`,
              ...(body === undefined ? {} : { 'content-type': 'application/json' }),
            },
          };
          const response = await server.fetch(
            `/v1/transcript/id/${id}${path}`,
            body === undefined ? init : { ...init, body },
          );
          const { request_id: _, ...answer } = await response.json();
          return { status: response.status, answer };
        }),
      );
      expect(theirs).toEqual(nobodys);
      expect(theirs?.status).toBe(404);
    }
    expect((await server.client.call('getTranscript', { params: { id: mine.id } })).status).toBe('completed');
  });

  it('have no rights of the owner', async () => {
    await expect(server.as(maria).call('listUsers')).rejects.toMatchObject({
      status: 403,
      code: 'forbidden',
    });
    await expect(server.as(maria).call('getSettings')).rejects.toMatchObject({ status: 403 });
  });

  it('cannot exceed their credit budget', async () => {
    const { data } = await server.client.call('createUser', { body: { name: 'poor', credit_budget: 0 } });
    const url = remote.set('/b.wav', file(fixture(ONE_SENTENCE)));
    await expect(
      server.as(data.key.key).call('createTranscript', { body: { audio_url: url } }),
    ).rejects.toMatchObject({
      status: 402,
      code: 'budget_exceeded',
    });
  });
});

describe('a credit budget', () => {
  it('holds for jobs side by side', async () => {
    const { data } = await server.client.call('createUser', { body: { name: 'many', credit_budget: 0.1 } });
    const client = server.as(data.key.key);
    const url = remote.set('/many.wav', file(fixture(ONE_SENTENCE)));
    const body = { audio_url: url, wait_until_complete: true };
    const all = await Promise.allSettled(
      Array.from({ length: 5 }, () => client.call('createTranscript', { body })),
    );
    const jobs = all.filter((one) => one.status === 'fulfilled').map(({ value }) => value);
    const completed = jobs.filter(({ status }) => status === 'completed');
    expect(completed).toHaveLength(1);
    expect(new Set(jobs.filter((job) => !completed.includes(job)).map(({ error }) => error?.code))).toEqual(
      new Set(['budget_exceeded']),
    );
    expect((await client.call('getUsage')).data.credits_used).toBe(completed[0]?.credits_used);
    expect(completed[0]?.credits_used).toBeLessThanOrEqual(0.1);
  });

  it('refuses a range whose price it does not cover, and reserves nothing for it', async () => {
    const { data } = await server.client.call('createUser', { body: { name: 'range', credit_budget: 0.1 } });
    const client = server.as(data.key.key);
    const url = remote.set('/range.wav', file(fixture(ONE_SENTENCE)));
    const create = (audio_end_at: number) =>
      client.call('createTranscript', { body: { audio_url: url, audio_end_at, wait_until_complete: true } });
    await expect(create(60)).rejects.toMatchObject({ status: 402, code: 'budget_exceeded' });
    expect((await create(2)).status).toBe('completed');
  });
});

describe('other programs and web pages', () => {
  it('reach the server only by its own host names', async () => {
    for (const host of ['evil.example', '127.0.0.1.evil.example', 'localhost.evil.example:80']) {
      const answer = await raw('/v1/health', { host });
      expect([answer.status, JSON.parse(answer.body).code]).toEqual([421, 'misdirected_request']);
    }
    for (const host of ['localhost:99', '127.0.0.1', '[::1]:3277'])
      expect((await raw('/v1/health', { host })).status).toBe(200);
  });

  it('of another origin are refused until a setting allows it', async () => {
    const headers = { authorization: `Bearer ${server.key}`, origin: 'https://app.example' };
    expect((await raw('/v1/keys', headers)).status).toBe(403);
    expect((await raw('/v1/keys', { ...headers, origin: 'null' })).status).toBe(403);
    expect((await raw('/v1/health', headers)).status).toBe(200);
    await server.client.call('patchSettings', {
      body: { 'network.allowedOrigins': ['https://app.example'] },
    });
    const response = await server.fetch('/v1/keys', { headers: { origin: 'https://app.example' } });
    expect(response.status).toBe(200);
    expect(response.headers.get('access-control-allow-origin')).toBe('https://app.example');
    expect(response.headers.get('vary')).toContain('Origin');
    expect((await raw('/v1/keys', { ...headers, origin: 'https://other.example' })).status).toBe(403);
  });
});

describe('the window', () => {
  it('exchanges its one-time token for a key, once', async () => {
    await expect(
      server.as(undefined).call('createSession', { body: { token: 'guess' } }),
    ).rejects.toMatchObject({ status: 401 });
  });
});

describe('settings', () => {
  it('are validated, stored and reset', async () => {
    await expect(
      server.client.call('patchSettings', { body: { 'engine.beamSize': 'many' } }),
    ).rejects.toMatchObject({ status: 400 });
    await expect(server.client.call('patchSettings', { body: { nonsense: 1 } })).rejects.toMatchObject({
      details: [{ path: 'nonsense' }],
    });
    const set = await server.client.call('patchSettings', {
      body: { 'engine.beamSize': 1, 'engine.parallel': 2 },
    });
    expect(set.data.find((setting) => setting.key === 'engine.beamSize')).toMatchObject({
      value: 1,
      source: 'stored',
    });
    expect(set.needs_restart).toEqual(['engine.parallel']);
    const back = await server.client.call('patchSettings', {
      body: { 'engine.beamSize': null, 'engine.parallel': null },
    });
    expect(back.needs_restart).toEqual([]);
  });

  it('limit the rate of requests', async () => {
    await server.client.call('patchSettings', { body: { 'limits.requestsPerMinute': 3 } });
    const answers = await Promise.all(
      Array.from({ length: 6 }, () =>
        server.fetch('/v1/keys', { headers: { authorization: `Bearer ${maria}` } }),
      ),
    );
    const refused = answers.find((answer) => answer.status === 429);
    expect(refused?.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(refused?.headers.get('ratelimit-limit')).toBe('3');
    expect(await refused?.json()).toMatchObject({ code: 'rate_limited' });
  });
});
