import { afterAll, beforeAll, expect, it } from 'vitest';
import { discard, startServer, type TestServer } from '../support/server.ts';

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
});
afterAll(() => discard(server));

it('serves the API reference and its script, with a policy against other hosts', async () => {
  const page = await fetch(`${server.url}/docs`);
  expect(page.status).toBe(200);
  const policy = page.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'");
  const nonce = /'nonce-([^']+)'/.exec(policy)?.[1];
  const html = await page.text();
  expect(html).toContain('/openapi.json');
  expect(html).toContain(`nonce="${nonce}"`);
  const script = await fetch(`${server.url}/docs/js/scalar.js`);
  expect(script.status).toBe(200);
  expect(script.headers.get('content-type')).toContain('javascript');
  expect((await script.text()).length).toBeGreaterThan(1_000_000);
});

it('serves /favicon.ico', async () => {
  const icon = await fetch(`${server.url}/favicon.ico`);
  expect([icon.status, icon.headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
  expect(await icon.text()).toContain('<svg');
});

it('serves nothing else below /docs', async () => {
  const other = await fetch(`${server.url}/docs/other`);
  expect(other.status).toBe(404);
  expect(await other.json()).toMatchObject({ success: false, code: 'route_not_found' });
});
