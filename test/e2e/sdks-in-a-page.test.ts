import { build } from 'vite';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type Browser, borrowBrowser } from '../support/browser.ts';
import { fixture, ONE_SENTENCE } from '../support/fixtures.ts';
import { ROOT } from '../support/paths.ts';
import { discard, startServer, type TestServer } from '../support/server.ts';
import { file, startUrlServer, type UrlServer } from '../support/url-server.ts';

// A busy machine may take long; nothing here measures time.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

/** What a web page does with both packages, which are made to run in one. */
const SCRIPT = `
  import OpenAI from 'openai';
  import { AssemblyAI } from 'assemblyai';
  window.transcribe = async (url, key) => {
    const note = new File([await (await fetch('/note.wav')).arrayBuffer()], 'note.wav');
    const openai = new OpenAI({ baseURL: url + '/v1', apiKey: key, maxRetries: 0, dangerouslyAllowBrowser: true });
    const { data } = await openai.audio.transcriptions
      .create({ file: note, model: 'whisper-1', language: 'en' })
      .withResponse();
    const { transcripts } = new AssemblyAI({ apiKey: key, baseUrl: url });
    const made = await transcripts.transcribe(
      { audio: note, language_code: 'en_us', speech_model: 'nano' },
      { pollingInterval: 100 },
    );
    return [data.text, made.text];
  };
`;
const ENTRY = 'virtual:sdks';

const bundle = async (): Promise<string> => {
  const built = await build({
    root: ROOT,
    configFile: false,
    logLevel: 'silent',
    plugins: [
      {
        name: 'sdks',
        resolveId: (id) => (id === ENTRY ? id : undefined),
        load: (id) => (id === ENTRY ? SCRIPT : undefined),
      },
    ],
    build: { write: false, minify: false, rolldownOptions: { input: ENTRY } },
  });
  const [outputs] = [built].flat();
  const chunk = outputs !== undefined && 'output' in outputs ? outputs.output[0] : undefined;
  if (chunk === undefined) throw new Error('Nothing was bundled.');
  return chunk.code;
};

let server: TestServer;
let site: UrlServer;
let browser: Browser;

beforeAll(async () => {
  [server, site, browser] = await Promise.all([
    startServer({ quick: true, model: 'starter-parakeet' }),
    startUrlServer(),
    borrowBrowser(),
  ]);
  const html = '<!doctype html><title>A web page</title><script type="module" src="/sdks.js"></script>';
  site.set('/', file(Buffer.from(html), { headers: { 'content-type': 'text/html' } }));
  const script = await bundle();
  site.set('/sdks.js', file(Buffer.from(script), { headers: { 'content-type': 'text/javascript' } }));
  site.set('/note.wav', file(fixture(ONE_SENTENCE)));
});
afterAll(async () => {
  await browser?.close();
  await Promise.all([discard(server), site?.close()]);
});

const transcribe = async (): Promise<unknown> => {
  const page = await browser.newPage();
  await page.goto(site.url('/'));
  await page.waitForFunction('window.transcribe !== undefined');
  return page.evaluate(`window.transcribe(${JSON.stringify(server.url)}, ${JSON.stringify(server.key)})`);
};

it('the packages of OpenAI and AssemblyAI transcribe in a page of an allowed origin, and of no other', async () => {
  await expect(transcribe()).rejects.toThrow(/Connection error|Failed to fetch/);
  const origin = new URL(site.url('/')).origin;
  await server.client.call('patchSettings', { body: { 'network.allowedOrigins': [origin] } });
  const texts = await transcribe();
  expect(texts).toEqual([expect.stringMatching(/\w+ \w+ \w+/), expect.stringMatching(/\w+ \w+ \w+/)]);
});
