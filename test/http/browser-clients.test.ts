import { afterAll, beforeAll, expect, it } from 'vitest';
import { type InProcessServer, startInProcess } from '../support/server.ts';

const ORIGIN = 'https://app.example';
/** What the SDKs of OpenAI and AssemblyAI send from a web page. */
const SDK_HEADERS = 'authorization,content-type,x-stainless-arch,x-stainless-retry-count,user-agent';

let server: InProcessServer;

beforeAll(async () => {
  const settings = { 'network.allowedOrigins': [ORIGIN], 'limits.requestsPerMinute': 100 };
  server = await startInProcess({ settings });
});
afterAll(() => server.close());

const options = (path: string, headers: Readonly<Record<string, string>>) =>
  fetch(server.url + path, { method: 'OPTIONS', headers });

const preflight = (path: string, origin: string) =>
  options(path, {
    origin,
    'access-control-request-method': 'POST',
    'access-control-request-headers': SDK_HEADERS,
  });

it.each(['/v1/audio/transcriptions', '/v2/upload', '/mcp', '/cdn/usr_1/files/a.mp3'])(
  'a preflight of %s allows an allowed origin every header it asks for',
  async (path) => {
    const response = await preflight(path, ORIGIN);
    expect(response.status).toBe(204);
    expect(response.headers.get('access-control-allow-origin')).toBe(ORIGIN);
    expect(response.headers.get('access-control-allow-headers')).toBe(SDK_HEADERS);
  },
);

it('a preflight of another origin is refused', async () => {
  const response = await preflight('/v1/audio/transcriptions', 'https://other.example');
  expect(response.status).toBe(403);
  expect(response.headers.get('access-control-allow-headers')).toBeNull();
});

it('OPTIONS without an origin names the methods', async () => {
  const response = await options('/v1/keys', {});
  expect(response.status).toBe(204);
  expect(response.headers.get('allow')).toContain('POST');
  expect(response.headers.get('access-control-allow-origin')).toBeNull();
});

it('scripts of an allowed origin may read ranges, ETags and rate limits', async () => {
  const headers = { origin: ORIGIN, authorization: `Bearer ${server.key}` };
  const response = await fetch(`${server.url}/v1/keys`, { headers });
  const exposed = (response.headers.get('access-control-expose-headers') ?? '').toLowerCase().split(', ');
  const sent = [...response.headers.keys()].filter((name) => name.startsWith('ratelimit-'));
  expect(sent.length).toBeGreaterThan(0);
  expect(exposed).toEqual(
    expect.arrayContaining([...sent, 'accept-ranges', 'content-range', 'etag', 'retry-after']),
  );
});
