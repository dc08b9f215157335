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
  raw,
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

  it('follows a redirect whose location has raw bytes, as servers mean it', async () => {
    const target = '/Vorträge/会議 1.mp3';
    server.set(target, file(Buffer.from('sound')));
    const location = Buffer.from(target).toString('latin1');
    for (const code of [302, 308]) {
      server.set('/a', redirect(location, code));
      const response = await client().open({ url: server.url('/a'), purpose: 'audio' });
      expect(await text(response.body)).toBe('sound');
      expect(response.url).toBe(server.url('/Vortr%C3%A4ge/%E4%BC%9A%E8%AD%B0%201.mp3'));
    }
  });

  it('sends the cookies of a redirect to where they belong, for this request alone', async () => {
    const other = await startUrlServer();
    other.set('/back', redirect(server.url('/files/c')));
    const cookies = [
      'session=a=1; HttpOnly; SameSite=Lax',
      'below=2; Path=/files',
      'elsewhere=3; Path=/other',
      'gone=4; Max-Age=0',
      'foreign=5; Domain=example.com',
      'tls=6; Secure',
      'replaced=7',
    ];
    server.set('/a', (_request, response) => {
      response.writeHead(302, { location: '/b', 'set-cookie': cookies }).end();
    });
    const atOther = `http://localhost:${other.port}/back`;
    server.set('/b', (_request, response) => {
      response.writeHead(303, { location: atOther, 'set-cookie': 'replaced=8; Path=/' }).end();
    });
    server.set('/files/c', file(Buffer.from('sound')));
    const asking = client();
    const response = await asking.open({ url: server.url('/a'), purpose: 'audio' });
    expect(await text(response.body)).toBe('sound');
    expect(response.movedTo).toBeNull();
    expect(server.requests.map(({ path, headers }) => [path, headers.cookie])).toEqual([
      ['/a', undefined],
      ['/b', 'session=a=1; replaced=7'],
      ['/files/c', 'session=a=1; below=2; replaced=8'],
    ]);
    expect(other.requests[0]?.headers.cookie).toBeUndefined();
    await text((await asking.open({ url: server.url('/files/c'), purpose: 'audio' })).body);
    expect(server.requests.at(-1)?.headers.cookie).toBeUndefined();
    await other.close();
  });

  it.each([
    [
      'an equal duplicate Content-Length',
      'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nsound',
    ],
    ['a list of equal lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 5, 5\r\n\r\nsound'],
    [
      'a length beside chunks',
      'HTTP/1.1 200 OK\r\nContent-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nsound\r\n0\r\n\r\n',
    ],
    [
      'an unsolicited 100 Continue',
      'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nsound',
    ],
    ['a Shoutcast server', 'ICY 200 OK\r\nicy-name: Radio\r\nContent-Type: audio/mpeg\r\n\r\nsound'],
    ['headers that end in LF alone', 'HTTP/1.1 200 OK\nContent-Length: 5\nX-Folded: a\n b\n\nsound'],
    ['a line that is no header', 'HTTP/1.1 200 OK\r\nPHP Notice in line 3\r\nContent-Length: 5\r\n\r\nsound'],
  ])('reads the answer of a server with %s', async (_name, answer) => {
    const url = server.set('/a', raw(answer));
    const asking = client();
    for (const count of [1, 2]) {
      const response = await asking.open({ url, purpose: 'audio' });
      expect(response.status).toBe(200);
      expect(await text(response.body)).toBe('sound');
      // The first answer is requested twice; then the origin is known.
      expect(server.requests).toHaveLength(count + 1);
      expect(log).toHaveLength(count);
      expect(log.at(-1)).toMatchObject({ address: '127.0.0.1', bytes: 5, error: null });
    }
  });

  it('reads a head that arrives byte by byte, and a redirect behind one', async () => {
    server.set('/a', (request) => {
      const bytes = Buffer.from(
        'HTTP/1.1 100 Continue\n\nHTTP/1.1 302 Found\nLocation: /b\nContent-Length: 0\n\n',
      );
      const send = (at: number): void => {
        if (at === bytes.length) request.socket.end();
        else request.socket.write(bytes.subarray(at, at + 1), () => setImmediate(send, at + 1));
      };
      send(0);
    });
    server.set('/b', file(Buffer.from('sound')));
    const response = await client().open({ url: server.url('/a'), purpose: 'audio' });
    expect(await text(response.body)).toBe('sound');
  });

  it.each([
    ['different lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nsound'],
    ['another protocol', 'SSH-2.0-OpenSSH_9.2\r\n'],
    ['an endless head', `HTTP/1.1 200 OK\n${'X-Filling: 0123456789\n'.repeat(10_000)}\nsound`],
  ])('still refuses an answer with %s', async (_name, answer) => {
    const url = server.set('/a', raw(answer));
    await expect(client().open({ url, purpose: 'audio', stallSeconds: 5 })).rejects.toMatchObject({
      code: 'download_failed',
    });
  });

  it('sends a body once, whatever is answered', async () => {
    const url = server.set('/a', raw('ICY 200 OK\r\n\r\nfine'));
    const posting = client().open({ url, purpose: 'audio', method: 'POST', body: '{}' });
    await expect(posting).rejects.toMatchObject({ code: 'download_failed' });
    expect(server.requests).toHaveLength(1);
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
