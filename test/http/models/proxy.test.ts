import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { catalogueLine, install, starterBytes } from '../../support/model-mirror.ts';
import { discard, startServer, type TestServer } from '../../support/server.ts';
import { file, startUrlServer, type UrlServer } from '../../support/url-server.ts';

const model = starterBytes();
let mirror: UrlServer;
let proxy: Server;
let proxyUrl: string;
/** The URLs that the proxy was requested to fetch. */
const requested: string[] = [];

beforeAll(async () => {
  mirror = await startUrlServer();
  mirror.set('/ggml-base.bin', file(model));
  // It resolves a name that only it knows, as a company's proxy does.
  proxy = createServer(async (request, response) => {
    requested.push(request.url ?? '');
    const answer = await fetch(mirror.url(new URL(request.url ?? '').pathname));
    response.writeHead(answer.status, { 'content-length': answer.headers.get('content-length') ?? '' });
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  proxy.on('connect', (request, socket) => {
    requested.push(request.url ?? '');
    const onward = connect(Number(new URL(mirror.url('/')).port), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      onward.pipe(socket).pipe(onward);
    });
    socket.on('error', () => onward.destroy());
    onward.on('error', () => socket.destroy());
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const address = proxy.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy got no port');
  proxyUrl = `http://127.0.0.1:${address.port}`;
});
afterAll(async () => {
  proxy.closeAllConnections();
  proxy.close();
  await mirror.close();
});

const withServer = async (
  env: Readonly<Record<string, string>>,
  use: (server: TestServer) => Promise<void>,
): Promise<void> => {
  const server = await startServer({ args: [], env });
  try {
    await server.client.call('patchSettings', {
      body: {
        'models.baseUrl': 'http://models.company.test',
        'models.catalogue': [catalogueLine('base', model)],
      },
    });
    requested.length = 0;
    await use(server);
  } finally {
    await discard(server);
  }
};

describe('a proxy from the environment', () => {
  it('serves model downloads, which are verified as usual, and is never used for a recording', () =>
    withServer({ HTTP_PROXY: proxyUrl, HTTPS_PROXY: proxyUrl }, async (server) => {
      expect(await install(server, 'base')).toMatchObject({ installed: true });
      expect(requested.length).toBeGreaterThan(0);
      expect(requested.every((address) => address.includes('models.company.test'))).toBe(true);
      const { data } = await server.client.call('listConnections');
      expect(data[0]).toMatchObject({ host: 'models.company.test', purpose: 'model' });
      requested.length = 0;
      const failed = await server.client.call('createTranscript', {
        body: { audio_url: 'http://models.company.test/a.wav', wait_until_complete: true },
      });
      expect(failed.error?.code).toBe('download_failed');
      expect(requested).toEqual([]);
    }));

  it('is bypassed for NO_PROXY and if its address is invalid', async () => {
    await withServer({ HTTP_PROXY: proxyUrl, NO_PROXY: '.company.test' }, async (server) => {
      expect((await install(server, 'base')).download?.error).toContain('models.company.test was not found');
      expect(requested).toEqual([]);
    });
    await withServer({ HTTP_PROXY: 'socks5://127.0.0.1:1' }, async (server) => {
      expect((await install(server, 'base')).download?.error).toContain('names a proxy that is not');
    });
  });
});
