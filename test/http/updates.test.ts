import { createServer } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { discard, startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
/** What the feed answers next. */
let answer = '';
let status = 200;
let asked = 0;
const feed = createServer((_request, response) => {
  asked++;
  response.writeHead(status, { 'content-type': 'application/json' }).end(answer);
});
let url = '';

beforeAll(async () => {
  await new Promise<void>((resolve) => feed.listen(0, '127.0.0.1', resolve));
  const address = feed.address();
  if (address === null || typeof address === 'string') throw new Error('The feed has no port.');
  url = `http://127.0.0.1:${address.port}/latest`;
  server = await startServer({});
});
afterAll(async () => {
  await discard(server);
  feed.close();
});

const check = async () => (await server.client.call('checkForUpdate')).data;
const connections = async () =>
  (await server.client.call('listConnections', { query: {} })).data.filter(
    ({ purpose }) => purpose === 'update',
  );

it('connects to nothing without a feed, and not by itself with one', async () => {
  expect((await check()).problem?.code).toBe('not_set');
  await server.client.call('patchSettings', { body: { 'updates.feed': url } });
  expect([asked, await connections()]).toEqual([0, []]);
});

it.each([
  ['99.0.0', 'version', 'url', true],
  ['v99.1.0', 'tag_name', 'html_url', true],
  ['0.0.1', 'version', 'url', false],
])('reads %s from %s', async (version, versionField, urlField, isNewer) => {
  answer = JSON.stringify({ [versionField]: version, [urlField]: 'https://example.com/new', other: 1 });
  expect(await check()).toMatchObject({
    latest: version.replace('v', ''),
    is_newer: isNewer,
    url: 'https://example.com/new',
    problem: null,
  });
});

it.each([
  ['no JSON', '<html>', 200],
  ['another object', '{"version":"soon","url":"https://example.com/"}', 200],
  ['a link that is no page', '{"version":"99.0.0","url":"javascript:alert(1)"}', 200],
  ['an error', '{"version":"99.0.0","url":"https://example.com/"}', 500],
  ['more than a feed', `"${'x'.repeat(2_000_000)}"`, 200],
])('refuses %s', async (_what, text, code) => {
  answer = text;
  status = code;
  expect(await check()).toMatchObject({
    latest: null,
    is_newer: false,
    url: null,
    problem: { code: 'answer' },
  });
  status = 200;
});

it('counts as an outbound connection, and is refused in offline mode', async () => {
  const before = await connections();
  expect(before.length).toBe(asked);
  expect(before[0]).toMatchObject({ host: new URL(url).host, error: null });
  await server.client.call('patchSettings', { body: { 'network.offline': true } });
  const count = asked;
  expect((await check()).problem?.code).toBe('offline');
  expect(asked).toBe(count);
  await server.client.call('patchSettings', {
    body: { 'network.offline': false, 'updates.feed': 'http://127.0.0.1:1/' },
  });
  expect((await check()).problem?.code).toBe('unreachable');
});
