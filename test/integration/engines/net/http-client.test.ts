import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createHttpClient } from '../../../../electron/core/engines/net/http-client.ts';
import type {
  ConnectionRecord,
  HttpClient,
  HttpClientOptions,
  NetworkPolicy,
} from '../../../../electron/core/engines/net/types.ts';
import {
  file,
  garbage,
  redirect,
  stall,
  startUrlServer,
  status,
  type UrlServer,
} from '../../../support/url-server.ts';

const OPEN: NetworkPolicy = { allowPrivateAddresses: true, offline: false };

describe('the HTTP client', () => {
  let server: UrlServer;
  let clients: HttpClient[];
  let log: ConnectionRecord[];

  const client = (options: Partial<HttpClientOptions> = {}): HttpClient => {
    const made = createHttpClient({
      policy: () => OPEN,
      version: '1.2.3',
      onConnection: (record) => log.push(record),
      ...options,
    });
    clients.push(made);
    return made;
  };

  beforeEach(async () => {
    server = await startUrlServer();
    clients = [];
    log = [];
  });

  afterEach(async () => {
    await Promise.all(clients.map((made) => made.close()));
    await server.close();
  });

  it('sends its User-Agent, requests identity encoding and logs the connection', async () => {
    const url = server.set('/a', file(Buffer.from('hello')));
    const response = await client().open({ url, purpose: 'audio' });
    expect(response.status).toBe(200);
    expect(await text(response.body)).toBe('hello');
    expect(server.requests[0]?.headers).toMatchObject({
      'user-agent': 'Earshot/1.2.3',
      'accept-encoding': 'identity',
    });
    expect(log).toEqual([
      { host: `127.0.0.1:${server.port}`, address: '127.0.0.1', purpose: 'audio', bytes: 5, error: null },
    ]);
  });

  it('rejects a private address before connecting, and logs it', async () => {
    const refusing = client({ policy: () => ({ allowPrivateAddresses: false, offline: false }) });
    await expect(refusing.open({ url: server.url('/a'), purpose: 'audio' })).rejects.toMatchObject({
      code: 'address_not_allowed',
    });
    expect(server.requests).toEqual([]);
    expect(log).toMatchObject([
      { address: null, bytes: 0, error: expect.stringContaining('public internet') },
    ]);
  });

  it('checks the resolved address rather than the host name', async () => {
    const refusing = client({
      policy: () => ({ allowPrivateAddresses: false, offline: false }),
      resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    });
    const url = `http://music.example:${server.port}/a`;
    await expect(refusing.open({ url, purpose: 'audio' })).rejects.toMatchObject({
      code: 'address_not_allowed',
    });
    expect(server.requests).toEqual([]);
  });

  it('resolves once per connection, and connects to the address that it checked', async () => {
    let lookups = 0;
    const rebinding = client({
      resolve: async () => {
        lookups++;
        return [{ address: lookups === 1 ? '127.0.0.1' : '127.0.0.2', family: 4 }];
      },
    });
    server.set('/a', file(Buffer.from('hello')));
    const response = await rebinding.open({
      url: `http://rebind.example:${server.port}/a`,
      purpose: 'audio',
    });
    expect(await text(response.body)).toBe('hello');
    expect(lookups).toBe(1);
    expect(log[0]?.address).toBe('127.0.0.1');
  });

  it('checks every redirect', async () => {
    let calls = 0;
    const tightening = client({
      policy: () => ({ allowPrivateAddresses: ++calls === 1, offline: false }),
    });
    const url = server.set('/a', redirect('/b'));
    await expect(tightening.open({ url, purpose: 'audio' })).rejects.toMatchObject({
      code: 'address_not_allowed',
    });
    expect(server.requests.map(({ path }) => path)).toEqual(['/a']);
  });

  it('does not reuse a socket opened while private addresses were allowed', async () => {
    let allow = true;
    const changing = client({ policy: () => ({ allowPrivateAddresses: allow, offline: false }) });
    const url = server.set('/a', file(Buffer.from('hello')));
    await text((await changing.open({ url, purpose: 'audio' })).body);
    allow = false;
    await expect(changing.open({ url, purpose: 'audio' })).rejects.toMatchObject({
      code: 'address_not_allowed',
    });
  });

  it('does not connect while offline', async () => {
    const offline = client({ policy: () => ({ allowPrivateAddresses: true, offline: true }) });
    await expect(offline.open({ url: server.url('/a'), purpose: 'model' })).rejects.toMatchObject({
      code: 'offline',
    });
    expect(server.requests).toEqual([]);
  });

  it('follows five redirects and no more', async () => {
    for (let i = 0; i < 6; i++) server.set(`/${i}`, redirect(`/${i + 1}`, [301, 302, 303, 307, 308][i % 5]));
    server.set('/6', file(Buffer.from('end')));
    const response = await client().open({ url: server.url('/1'), purpose: 'audio' });
    expect(await text(response.body)).toBe('end');
    expect(response.url).toBe(server.url('/6'));
    await expect(client().open({ url: server.url('/0'), purpose: 'audio' })).rejects.toMatchObject({
      code: 'download_failed',
      message: expect.stringContaining('more than 5 times'),
    });
  });

  it('ends a redirect loop', async () => {
    const url = server.set('/loop', redirect('/loop'));
    await expect(client().open({ url, purpose: 'audio' })).rejects.toMatchObject({
      code: 'download_failed',
    });
    expect(server.requests).toHaveLength(6);
  });

  it('does not follow a redirect to another scheme', async () => {
    const url = server.set('/a', redirect('file:///etc/passwd'));
    await expect(client().open({ url, purpose: 'audio' })).rejects.toMatchObject({
      code: 'download_failed',
      message: expect.stringContaining('file:'),
    });
  });

  it('sends the credentials of a URL to its own origin only', async () => {
    const other = await startUrlServer();
    const target = other.set('/b', file(Buffer.from('ok')));
    server.set('/a', redirect(target));
    const url = `http://maria:s%40crets@127.0.0.1:${server.port}/a`;
    await text((await client().open({ url, purpose: 'audio' })).body);
    const sent = `Basic ${Buffer.from('maria:s@crets').toString('base64')}`;
    expect(server.requests[0]?.headers.authorization).toBe(sent);
    expect(other.requests[0]?.headers.authorization).toBeUndefined();
    await other.close();
  });

  it('returns any status without an error', async () => {
    const url = server.set('/a', status(404));
    const response = await client().open({ url, purpose: 'audio' });
    expect(response.status).toBe(404);
    response.body.destroy();
  });

  it.each([0, 100])('ends a server that stalls after %i bytes', async (after) => {
    const url = server.set('/a', stall(Buffer.alloc(1000), after));
    const fetching = async (): Promise<string> =>
      text((await client().open({ url, purpose: 'audio', stallSeconds: 1 })).body);
    await expect(fetching()).rejects.toMatchObject({
      code: 'download_timeout',
      message: expect.stringContaining('1 seconds'),
    });
  });

  it('explains a server that does not speak HTTP or refuses the connection', async () => {
    const url = server.set('/a', garbage);
    await expect(client().open({ url, purpose: 'audio' })).rejects.toMatchObject({
      code: 'download_failed',
      message: expect.stringContaining('does not speak HTTP'),
    });
    const closed = await startUrlServer();
    const closedUrl = closed.url('/');
    await closed.close();
    await expect(client().open({ url: closedUrl, purpose: 'audio' })).rejects.toMatchObject({
      code: 'download_failed',
      message: expect.stringContaining('refused the connection'),
    });
  });

  it('can be cancelled before and during the body', async () => {
    const url = server.set('/a', stall(Buffer.alloc(1000), 10));
    await expect(client().open({ url, purpose: 'audio', signal: AbortSignal.abort() })).rejects.toMatchObject(
      { code: 'cancelled' },
    );
    const abort = new AbortController();
    const response = await client().open({ url, purpose: 'audio', signal: abort.signal });
    const reading = text(response.body);
    abort.abort();
    await expect(reading).rejects.toMatchObject({ code: 'cancelled' });
  });
});
