import { once } from 'node:events';
import { request } from 'node:http';
import { connect as connectSocket, createServer } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openGuardedProxy } from '../../../../electron/core/engines/net/guarded-proxy.ts';
import { createHttpClient } from '../../../../electron/core/engines/net/http-client.ts';
import type {
  ConnectionRecord,
  HttpClient,
  NetworkPolicy,
} from '../../../../electron/core/engines/net/types.ts';
import {
  createPageReader,
  explainYtDlp,
  parsePageRecording,
} from '../../../../electron/core/engines/pages/yt-dlp.ts';
import { ensurePrograms } from '../../../support/debian.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { file, startUrlServer, type UrlServer } from '../../../support/url-server.ts';

const available = ensurePrograms(['yt-dlp'], ['yt-dlp']);
const OPEN: NetworkPolicy = { allowPrivateAddresses: true, offline: false };

let urls: UrlServer;
let log: ConnectionRecord[];
let clients: HttpClient[];

const clientWith = (policy: NetworkPolicy): HttpClient => {
  const client = createHttpClient({
    policy: () => policy,
    version: '1',
    onConnection: (each) => log.push(each),
  });
  clients.push(client);
  return client;
};

beforeAll(async () => {
  urls = await startUrlServer();
});
afterAll(() => urls.close());
beforeEach(() => {
  log = [];
  clients = [];
});
afterEach(async () => {
  for (const client of clients) await client.close();
});

describe.skipIf(!available)('yt-dlp behind the address guard', () => {
  const inspect = async (policy: NetworkPolicy, path: string, maxBytes = 1e9) => {
    const folder = temporaryFolder();
    try {
      const reader = createPageReader(clientWith(policy), process.env);
      const limits = { folder: folder, url: urls.url(path), maxBytes, stallSeconds: 120 };
      return await reader.inspect('/usr/bin/yt-dlp', { ...limits, signal: new AbortController().signal });
    } finally {
    }
  };

  it('cannot reach a private address that is not allowed', async () => {
    urls.set('/page', file(Buffer.from('<html></html>'), { type: 'text/html' }));
    const before = urls.requests.length;
    await expect(inspect({ ...OPEN, allowPrivateAddresses: false }, '/page')).rejects.toMatchObject({
      code: 'address_not_allowed',
    });
    expect(urls.requests.length).toBe(before);
    expect(log[0]).toMatchObject({ purpose: 'page', address: null });
  });

  it('cannot connect while Earshot is offline', async () => {
    const before = urls.requests.length;
    await expect(inspect({ ...OPEN, offline: true }, '/page')).rejects.toMatchObject({ code: 'offline' });
    expect(urls.requests.length).toBe(before);
  });

  it('is ended when it exceeds the download limit', async () => {
    const page = Buffer.from(`<html>${'<p>more</p>'.repeat(400_000)}</html>`);
    urls.set('/large', file(page, { type: 'text/html' }));
    await expect(inspect(OPEN, '/large', 2_000_000)).rejects.toMatchObject({ code: 'download_too_large' });
  });
});

describe('the guarded proxy', () => {
  const open = (policy: NetworkPolicy) =>
    openGuardedProxy({
      client: clientWith(policy),
      purpose: 'page',
      maxBytes: 1e6,
      stallSeconds: 5,
      signal: new AbortController().signal,
      onBytes: () => {},
      onExceeded: () => {},
    });

  const connect = (proxy: string, authority: string): Promise<number> => {
    const { hostname, port, username, password } = new URL(proxy);
    const login = Buffer.from(`${username}:${password}`).toString('base64');
    return new Promise((resolve, reject) => {
      request({
        host: hostname,
        port,
        method: 'CONNECT',
        path: authority,
        headers: { 'proxy-authorization': `Basic ${login}` },
      })
        .on('connect', (response, socket) => {
          socket.destroy();
          resolve(response.statusCode ?? 0);
        })
        .on('error', reject)
        .end();
    });
  };

  it('rejects clients without its credentials', async () => {
    const proxy = await open(OPEN);
    const bare = new URL(proxy.url);
    const before = urls.requests.length;
    const status = await new Promise((resolve, reject) => {
      request({ host: bare.hostname, port: bare.port, path: urls.url('/page') }, (response) => {
        response.resume();
        resolve(response.statusCode);
      })
        .on('error', reject)
        .end();
    });
    expect(status).toBe(407);
    bare.password = 'guess';
    expect(await connect(bare.href, `127.0.0.1:${urls.port}`)).toBe(407);
    expect(urls.requests.length).toBe(before);
    await proxy.close();
  });

  it('tunnels only to allowed addresses, however they are written', async () => {
    const guarded = await open({ ...OPEN, allowPrivateAddresses: false });
    for (const name of ['127.0.0.1', 'localhost', '127.1', '0x7f000001', '[::1]', '[::ffff:127.0.0.1]']) {
      expect(await connect(guarded.url, `${name}:${urls.port}`)).toBe(502);
    }
    expect(guarded.failure()?.code).toBe('address_not_allowed');
    await guarded.close();
    const free = await open(OPEN);
    expect(await connect(free.url, `127.0.0.1:${urls.port}`)).toBe(200);
    await free.close();
    expect(log.filter(({ address }) => address !== null)).toMatchObject([
      { host: `127.0.0.1:${urls.port}`, address: '127.0.0.1', purpose: 'page', error: null },
    ]);
  });

  it('forwards what a client sends together with its CONNECT', async () => {
    const echo = createServer((socket) => socket.pipe(socket)).listen(0, '127.0.0.1');
    await once(echo, 'listening');
    const address = echo.address();
    const target = `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
    const proxy = await open(OPEN);
    const { hostname, port, username, password } = new URL(proxy.url);
    const login = Buffer.from(`${username}:${password}`).toString('base64');
    const socket = connectSocket(Number(port), hostname);
    socket.write(`CONNECT ${target} HTTP/1.1\r\nProxy-Authorization: Basic ${login}\r\n\r\nfirst bytes`);
    let received = '';
    let isOpen = false;
    for await (const chunk of socket.setEncoding('utf8')) {
      received += chunk;
      if (!isOpen && received.includes('\r\n\r\n')) {
        isOpen = true;
        socket.write(', and more');
      }
      if (received.endsWith(', and more')) break;
    }
    expect(received).toMatch(/^HTTP\/1\.1 200 [^\n]*\r\n\r\nfirst bytes, and more$/);
    socket.destroy();
    await proxy.close();
    echo.close();
  });
});

describe('the output of yt-dlp', () => {
  const entry = { title: 'T', ext: 'mp3', protocol: 'https', url: 'https://example.com/a.mp3' };
  const parse = (output: unknown) => parsePageRecording(JSON.stringify(output));

  it('yields the first of several recordings', () => {
    const found = parse({ _type: 'playlist', playlist_count: 7, entries: [entry] });
    expect(found).toMatchObject({ title: 'T', count: 7, file: { url: entry.url } });
  });

  it.each([
    ['an empty list', { _type: 'playlist', entries: [] }],
    ['a recording that could not be read', { _type: 'playlist', entries: [null] }],
    ['a live broadcast', { ...entry, is_live: true }],
    ['another protocol', { ...entry, protocol: 'rtmp', url: 'rtmp://example.com/a' }],
    ['a file of this machine', { ...entry, url: 'file:///etc/passwd' }],
  ])('refuses %s', (_what, output) => {
    expect(() => parse(output)).toThrow(expect.objectContaining({ code: 'not_media' }));
  });

  it('leaves out cookies and credentials', () => {
    const headers = {
      'User-Agent': 'UA',
      Cookie: 'a=b',
      Authorization: 'Bearer x',
      Referer: 'https://e.com/',
    };
    expect(parse({ ...entry, http_headers: headers }).file?.headers).toEqual({
      'user-agent': 'UA',
      referer: 'https://e.com/',
    });
  });

  it('drops implausible chapters', () => {
    const chapter = (title: string, start_time: number, end_time: number) => ({
      title,
      start_time,
      end_time,
    });
    const chapters = [chapter('A', 0, 5), chapter(' \u0007', 5, 9), chapter('C', 9, 9)];
    expect(parse({ ...entry, chapters }).chapters).toEqual([{ title: 'A', start: 0, end: 5 }]);
  });

  it('becomes an error message without addresses and advice', () => {
    expect(
      explainYtDlp(
        'WARNING: x\n\u001b[0;31mERROR:\u001b[0m [youtube] abc: Private video https://youtu.be/abc; please report this issue on https://github.com/x\n',
      ),
    ).toMatchObject({
      code: 'download_failed',
      message: 'yt-dlp could not get the recording: [youtube] abc: Private video the address',
    });
    expect(explainYtDlp('ERROR: Unsupported URL: https://example.com')).toMatchObject({ code: 'not_media' });
  });
});
