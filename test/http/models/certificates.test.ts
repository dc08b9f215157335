import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { catalogueLine, install, starterBytes } from '../../support/model-mirror.ts';
import { discard, startServer, type TestServer } from '../../support/server.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { file } from '../../support/url-server.ts';

let folder: string;
let mirror: Server;
let baseUrl = '';
const model = starterBytes();

beforeAll(async () => {
  folder = temporaryFolder();
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
  const kind = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2'];
  execFileSync('openssl', [...kind, '-keyout', key, '-out', certificate, ...names], { stdio: 'pipe' });
  mirror = createServer({ key: readFileSync(key), cert: readFileSync(certificate) }, file(model));
  mirror.listen(0, '127.0.0.1');
  await once(mirror, 'listening');
  const address = mirror.address();
  if (address === null || typeof address === 'string') throw new Error('the mirror got no port');
  baseUrl = `https://127.0.0.1:${address.port}`;
});

afterAll(async () => {
  mirror.closeAllConnections();
  mirror.close();
});

const installFrom = async (env: Readonly<Record<string, string>>) => {
  const server: TestServer = await startServer({ args: [], env });
  try {
    await server.client.call('patchSettings', {
      body: { 'models.baseUrl': baseUrl, 'models.catalogue': [catalogueLine('base', model)] },
    });
    return await install(server, 'base');
  } finally {
    await discard(server);
  }
};

describe("a company mirror's certificate", () => {
  it('is trusted if the system trusts it', async () => {
    // Without a system store in a file, use Node's variable for additional certificates instead.
    const store = process.platform === 'linux' ? 'SSL_CERT_FILE' : 'NODE_EXTRA_CA_CERTS';
    expect(await installFrom({ [store]: join(folder, 'cert.pem') })).toMatchObject({ installed: true });
  });

  it('is rejected if no trusted authority signed it', async () => {
    const model = await installFrom({});
    expect(model.installed).toBe(false);
    expect(model.download?.error).toContain('has a certificate that nobody vouches for');
  });
});
