import { afterAll, beforeAll, expect, it } from 'vitest';
import { type InProcessServer, startInProcess } from '../support/server.ts';

let server: InProcessServer;

beforeAll(async () => {
  server = await startInProcess({ settings: { 'limits.requestsPerMinute': 0 } });
});
afterAll(() => server.close());

const send = async (method: string, path: string, body: unknown) => {
  const response = await fetch(server.url + path, {
    method,
    headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
};
const audio_url = 'https://example.invalid/a.mp3';

it('null in a field that does not take it means that nothing was given', async () => {
  const empty = { language: null, prompt: null, summary_type: null, known_speakers: null, webhook_url: null };
  expect(await send('POST', '/v1/transcript', { audio_url, model: null, ...empty })).toMatchObject({
    status: 202,
    body: { model: 'mini', language: null },
  });
  const nested = { audio_url, known_speakers: [{ name: 'Ana', sample: null }], diarize: true };
  expect(await send('POST', '/v1/transcript', nested)).toMatchObject({ status: 202 });
});

it('null keeps its meaning where it has one, and does not stand for what is needed', async () => {
  expect(await send('PATCH', '/v1/settings', { 'engine.beamSize': null })).toMatchObject({ status: 200 });
  expect(await send('POST', '/v1/transcript', { audio_url: null })).toMatchObject({
    status: 400,
    body: { details: [{ path: 'audio_url' }] },
  });
  expect(await send('POST', '/v1/transcript', { audio_url, colour: null })).toMatchObject({ status: 400 });
  expect(await send('POST', '/v1/transcript', null)).toMatchObject({ status: 400 });
});
