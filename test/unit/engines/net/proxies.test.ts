import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { messageOf } from '../../../../electron/core/base/errors.ts';
import { EnvironmentProxies } from '../../../../electron/core/engines/net/guarded-agent.ts';
import { createHttpClient } from '../../../../electron/core/engines/net/http-client.ts';
import type { NetworkPolicy, Resolve } from '../../../../electron/core/engines/net/types.ts';

type RecordingProxy = { readonly server: Server; readonly url: string; readonly requests: string[] };

/** Records the URLs that it is to fetch, and the hosts that it is to connect to. Answers 302 to `/to?URL`, else 204. */
const startProxy = async (): Promise<RecordingProxy> => {
  const requests: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    requests.push(url);
    const { pathname, search } = new URL(url);
    if (pathname === '/to') response.writeHead(302, { location: search.slice(1) }).end();
    else response.writeHead(204).end();
  });
  server.on('connect', ({ url = '' }, socket) => {
    requests.push(url);
    socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy got no port');
  return { server, url: `127.0.0.1:${address.port}`, requests };
};

let a: RecordingProxy;
let b: RecordingProxy;
beforeAll(async () => {
  [a, b] = await Promise.all([startProxy(), startProxy()]);
});
afterAll(() => {
  for (const { server } of [a, b]) {
    server.closeAllConnections();
    server.close();
  }
});

const PUBLIC_ONLY: NetworkPolicy = { allowPrivateAddresses: false, offline: false };

/** Sends a request for a model. Says which proxy got it; else that the host's name was resolved here, or the error's code. */
const send = async (
  url: string,
  environment: Readonly<Record<string, string>>,
  { policy = PUBLIC_ONLY, addresses = {} as Readonly<Record<string, string>> } = {},
): Promise<string> => {
  const resolved: string[] = [];
  const resolve: Resolve = async (host) => {
    resolved.push(host);
    const address = addresses[host];
    if (address === undefined) throw Object.assign(new Error('not found'), { code: 'ENOTFOUND' });
    return [{ address, family: address.includes(':') ? 6 : 4 }];
  };
  for (const { requests } of [a, b]) requests.length = 0;
  const client = createHttpClient({ policy: () => policy, version: '1', environment, resolve });
  try {
    const { body } = await client.open({ url, purpose: 'model' });
    body.destroy();
    return a.requests.length > 0 ? 'a' : 'b';
  } catch (error) {
    if (a.requests.length > 0) return 'a';
    if (b.requests.length > 0) return 'b';
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    return code === 'download_failed' && resolved.length > 0 ? 'direct' : code;
  } finally {
    await client.close();
  }
};

const last = (): string | undefined => [...a.requests, ...b.requests].at(-1);

describe('a proxy from the environment', () => {
  it.each([
    ['https://models.test/x', 'a'],
    ['http://models.test/x', 'b'],
    ['https://one.test/', 'direct'],
    ['https://deep.one.test/', 'direct'],
    ['https://notone.test/', 'a'],
    ['https://a.two.test/', 'direct'],
    ['https://three.test/', 'a'],
    ['https://three.test:444/', 'direct'],
    ['https://four.test./', 'direct'],
  ])('is used for %s: %s', async (url, expected) => {
    const environment = {
      HTTPS_PROXY: `http://${a.url}`,
      http_proxy: b.url,
      NO_PROXY: 'one.test, *.two.test three.test:444,.four.test',
    };
    expect(await send(url, environment)).toBe(expected);
  });

  it('serves the protocol that its variable names, and none by default', async () => {
    expect(await send('https://x.test', { HTTP_PROXY: a.url })).toBe('direct');
    expect(await send('http://x.test', { HTTPS_PROXY: a.url })).toBe('direct');
    expect(await send('https://x.test', { https_proxy: a.url, no_proxy: '*' })).toBe('direct');
    expect(await send('https://x.test', {})).toBe('direct');
  });

  it.each([
    ['::1', 'http://[::1]:1'],
    ['[::1]', 'http://[::1]:1'],
    ['[::1]:1', 'http://[::1]:1'],
    ['x.test ::1', 'http://[::1]:1'],
    ['127.0.0.1', 'http://127.0.0.1:1'],
  ])('is bypassed for an address: NO_PROXY=%s', async (noProxy, origin) => {
    const environment = { HTTP_PROXY: a.url, NO_PROXY: noProxy };
    const policy = { ...PUBLIC_ONLY, modelOrigin: origin };
    // The connection from here is refused: nothing listens on port 1.
    expect(await send(origin, environment, { policy })).toBe('download_failed');
    expect(await send(origin, { HTTP_PROXY: a.url }, { policy })).toBe('a');
  });

  it.each([
    ['fd00::5', 'http://[fd00::5]/', true],
    ['one.test, [FD00:0:0::5]:80 x.test', 'http://[fd00::5]/', true],
    ['FD00:0:0::5', 'http://[fd00::5]/', true],
    ['[fd00::5]:81', 'http://[fd00::5]/', false],
    ['fd00::5', 'http://[fd00::6]/', false],
    ['fd00::5', 'http://models.test/', false],
  ])('NO_PROXY=%s connects to %s itself: %s', async (noProxy, url, isDirect) => {
    const proxies = new EnvironmentProxies({ HTTP_PROXY: a.url, NO_PROXY: noProxy });
    const connected: string[] = [];
    const agent = await proxies.agent('http:', {
      connect: ({ hostname }, done) => {
        connected.push(hostname);
        done(new Error('reached'), null);
      },
    });
    if (agent === undefined) throw new Error('no proxy was found');
    a.requests.length = 0;
    const answer = await request(url, { dispatcher: agent }).then(({ statusCode }) => statusCode, messageOf);
    await proxies.close();
    expect({ answer, connected, asked: a.requests }).toEqual(
      isDirect
        ? { answer: 'reached', connected: ['fd00::5'], asked: [] }
        : { answer: 204, connected: [], asked: [url] },
    );
  });

  it('leaves an address that NO_PROXY lists under the address rule', async () => {
    const environment = { HTTP_PROXY: a.url, NO_PROXY: 'fd00::5' };
    expect(await send('http://[fd00::5]/', environment)).toBe('address_not_allowed');
    expect(a.requests).toEqual([]);
  });
});

describe('the address rule behind a proxy', () => {
  const environment = () => ({ HTTP_PROXY: a.url, HTTPS_PROXY: a.url });

  it.each([
    'http://10.1.2.3/',
    'http://127.0.0.1:8080/',
    'http://0x7f.1/',
    'http://2130706433/',
    'http://[::1]/',
    'http://[fd00::5]/',
    'http://[::ffff:10.0.0.1]/',
    'https://192.168.1.1/',
    'http://localhost/',
    'http://LOCALHOST./',
    'http://a.localhost/',
  ])('refuses %s, also after a redirect', async (url) => {
    expect(await send(url, environment(), { addresses: { localhost: '127.0.0.1' } })).not.toBe('a');
    expect(a.requests).toEqual([]);
    expect(await send(`http://mirror.test/to?${url}`, environment())).toBe('a');
    expect(a.requests).toHaveLength(1);
  });

  it('refuses a redirect to a name that leads to a private address', async () => {
    const addresses = { 'router.test': '192.168.1.1', 'cdn.test': '93.184.216.34' };
    await send('http://mirror.test/to?http://router.test/', environment(), { addresses });
    expect(a.requests).toEqual(['http://mirror.test/to?http://router.test/']);
    await send('http://mirror.test/to?http://cdn.test/x', environment(), { addresses });
    expect(last()).toBe('http://cdn.test/x');
    // A name that only the proxy knows is the proxy's to resolve.
    await send('http://mirror.test/to?http://other.test/x', environment(), { addresses });
    expect(last()).toBe('http://other.test/x');
  });

  it('lets the origin in the settings be private, and nothing that it redirects to', async () => {
    const policy = { ...PUBLIC_ONLY, modelOrigin: 'http://10.1.2.3' };
    expect(await send('http://10.1.2.3/x', environment(), { policy })).toBe('a');
    await send('http://10.1.2.3/to?http://10.1.2.4/', environment(), { policy });
    expect(a.requests).toEqual(['http://10.1.2.3/to?http://10.1.2.4/']);
  });

  it('connects from here to what NO_PROXY lists only where the rule allows it', async () => {
    const excluded = { ...environment(), NO_PROXY: 'router.test' };
    const addresses = { 'router.test': '192.168.1.1' };
    expect(await send('http://router.test/', excluded, { addresses })).toBe('address_not_allowed');
  });
});
