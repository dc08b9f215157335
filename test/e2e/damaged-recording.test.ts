import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Browser, borrowBrowser, openWindow, type TestWindow } from '../support/browser.ts';
import { fixture } from '../support/fixtures.ts';
import { discard, startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let browser: Browser;
let window: TestWindow;
let id: string;

const SENTENCE = 'The file ends early or is damaged: 8 of 15 seconds could be decoded.';

beforeAll(async () => {
  [server, browser] = await Promise.all([
    startServer({ quick: true, model: 'starter-parakeet' }),
    borrowBrowser(),
  ]);
  const whole = fixture('01-short-note.wav');
  const form = new FormData();
  form.append('file', new Blob([Uint8Array.from(whole.subarray(0, whole.length / 2))]), 'half.wav');
  const { data } = await server.client.call('uploadFile', { body: form });
  const body = { audio_url: `storage:${data.file.key}`, wait_until_complete: true };
  ({ id } = await server.client.call('createTranscript', { body }));
  window = await openWindow(browser, server);
}, 300_000);
afterAll(async () => {
  await browser?.close();
  await discard(server);
});

it('looks damaged in the answer, in the list and on its page', async () => {
  const { data } = await server.client.call('listTranscripts');
  expect(data.transcriptions[0]?.damage).toEqual({
    code: 'file_ends_early',
    message: SENTENCE,
    values: { seconds: '8', declared: '15' },
  });
  const { page } = window;
  await page.getByRole('row', { name: 'half' }).getByText(SENTENCE).waitFor();
  await page.getByRole('link', { name: 'half' }).click();
  await page.getByRole('main').getByText(SENTENCE).waitFor();
  expect(page.url()).toContain(id);
});
