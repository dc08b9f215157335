import { afterAll, beforeAll, expect, it } from 'vitest';
import { LoopPauses } from '../support/loop-pauses.ts';
import { discard, startServer, type TestServer } from '../support/server.ts';

const pauses = new LoopPauses();
let server: TestServer;

beforeAll(async () => {
  server = await startServer({ quick: true, env: pauses.env });
  await server.client.call('patchSettings', { body: { 'limits.uploadsPer15Minutes': 0 } });
});
afterAll(() => discard(server));

it.each([
  ['header', 'X-Nothing: 1'],
  ['name', 'Content-Disposition: form-data'],
])('a form of half a million parts without a %s is refused at its first ones', async (_, header) => {
  const body = `${`--b\r\n${header}\r\n\r\nx\r\n`.repeat(500_000)}--b--\r\n`;
  for (const path of ['/v1/storage/upload', '/v1/audio/transcriptions']) {
    await pauses.expectFree(server, async () => {
      const headers = { 'content-type': 'multipart/form-data; boundary=b' };
      const answer = await server.fetch(path, { method: 'POST', headers, body });
      expect(answer.status, `${path}: ${await answer.text()}`).toBe(400);
    });
  }
});
