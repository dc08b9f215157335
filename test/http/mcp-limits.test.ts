import { afterAll, beforeAll, expect, it } from 'vitest';
import { type InProcessServer, startInProcess } from '../support/server.ts';

let server: InProcessServer;

beforeAll(async () => {
  server = await startInProcess({ settings: { 'limits.requestsPerMinute': 10 } });
});
afterAll(() => server.close());

const batch = async (calls: number): Promise<number> => {
  const response = await fetch(`${server.url}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${server.key}`,
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
    },
    body: JSON.stringify(
      Array.from({ length: calls }, (_, id) => ({ jsonrpc: '2.0', id, method: 'tools/list', params: {} })),
    ),
  });
  await response.text();
  return response.status;
};

it('each call of a batch counts', async () => {
  expect(await batch(4)).toBe(200);
  expect(await batch(4)).toBe(200);
  expect(await batch(4)).toBe(429);
  expect(await batch(1)).toBe(429);
});
