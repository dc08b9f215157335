import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tinyWav } from '../../support/audio.ts';
import { ensurePrograms } from '../../support/debian.ts';
import { describedPage } from '../../support/described-page.ts';
import { fixture, ONE_SENTENCE } from '../../support/fixtures.ts';
import { processesWith } from '../../support/processes.ts';
import { discard, startServer, type TestServer } from '../../support/server.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';
import { type Behavior, file, startUrlServer, type UrlServer } from '../../support/url-server.ts';

const available = ensurePrograms(['yt-dlp'], ['yt-dlp']);
const NOTE = 'note.wav';
/** The first sentence alone, because several tests transcribe it. */
const note = fixture(ONE_SENTENCE);

const html = (title: string, body: string): string =>
  `<!doctype html><html><head><title>${title}</title></head><body>${body}</body></html>`;

const pageOf = (text: string): Behavior => file(Buffer.from(text), { type: 'text/html; charset=utf-8' });

let urls: UrlServer;

const transcribe = (server: TestServer, path: string, more: Readonly<Record<string, unknown>> = {}) =>
  server.client.call('createTranscript', {
    body: { audio_url: urls.url(path), wait_until_complete: true, ...more },
  });

beforeAll(async () => {
  urls = await startUrlServer();
  urls.set('/talk', pageOf(html('A talk &amp;  more', `<p>Listen.</p><audio src="/${NOTE}"></audio>`)));
  urls.set('/chapters', pageOf(describedPage(urls.url(`/${NOTE}`), 3)));
  urls.set('/private', pageOf(describedPage(urls.url('/tiny.wav'), 3)));
  urls.set('/words', pageOf(html('Only\nwords', '<p>Nothing to hear here.</p>')));
  urls.set('/tiny.wav', file(tinyWav(), { type: 'audio/wav' }));
  urls.set(`/${NOTE}`, file(note, { type: 'audio/wav' }));
});

afterAll(() => urls.close());

describe('a web page as audio_url, without yt-dlp', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer({ env: { EARSHOT_YTDLP: '' }, quick: true, model: 'starter-parakeet' });
  });
  afterAll(() => discard(server));

  it('explains what was found there, and what would help', async () => {
    const made = await transcribe(server, '/talk');
    expect(made.error).toEqual({
      code: 'not_media',
      stage: 'downloading',
      message:
        'At this address is an HTML page titled “A talk & more”, not a recording. ' +
        'To have the recording in such a page found, install yt-dlp and turn on the setting network.pages.',
    });
    expect(made).not.toHaveProperty('source');
  });

  it('explains it for a time range, too, and for a page without a title in another encoding', async () => {
    const page = Buffer.from('<html><body>M\u00fcnchen</body></html>', 'latin1');
    urls.set('/latin1', file(page, { type: 'text/html' }));
    const made = await transcribe(server, '/latin1', { audio_start_from: 1 });
    expect(made.error?.message).toContain('an HTML page without a title');
  });

  it('downloads no more of a page than its head', async () => {
    const size = 8_000_000;
    urls.set('/large', pageOf(html('Large', '<p>text</p>'.padEnd(size, ' '))));
    const made = await transcribe(server, '/large');
    expect(made.error?.message).toContain('an HTML page titled “Large”');
    expect(made.bytes_fetched).toBeGreaterThan(0);
    expect(made.bytes_fetched).toBeLessThan(size / 4);
    expect(await readdir(join(server.dataDir, 'tmp'))).toEqual([]);
  });

  it('explains what is missing if the setting is on', async () => {
    await server.client.call('patchSettings', { body: { 'network.pages': true } });
    const made = await transcribe(server, '/talk');
    expect(made.error?.message).toContain('yt-dlp, which finds the recordings in pages, was not found');
  });
});

describe.skipIf(!available)('a web page as audio_url, with yt-dlp', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer({ quick: true, model: 'starter-parakeet' });
  });
  afterAll(() => discard(server));

  it('is rejected until the owner turns it on', async () => {
    const before = urls.requests.length;
    const made = await transcribe(server, '/talk');
    expect(made.error?.message).toContain('turn on the setting network.pages.');
    expect(made.error?.message).not.toContain('install');
    expect(urls.requests.length).toBe(before + 1);
    await server.client.call('patchSettings', { body: { 'network.pages': true } });
  });

  it('yields the recording in it, under the title of the page, with its chapters', async () => {
    const made = await transcribe(server, '/chapters');
    expect(made.error).toBeUndefined();
    expect(made).toMatchObject({
      status: 'completed',
      name: 'A note on time',
      source: {
        recordings: 1,
        title: 'A note on time',
        chapters: [
          { title: 'Opening', start: 0, end: 3 },
          { title: 'The rest', start: 3, end: 8 },
        ],
      },
      file_info: { format: 'wav', size: note.length },
    });
    expect(made.word_count).toBeGreaterThan(5);
    expect(made.bytes_fetched).toBeGreaterThan(note.length);
    const { data } = await server.client.call('listConnections', { query: { limit: 20 } });
    expect(new Set(data.map(({ purpose }) => purpose))).toEqual(new Set(['audio', 'page']));
    expect(data.every(({ host }) => host === `127.0.0.1:${urls.port}`)).toBe(true);
  });

  it('keeps neither title nor chapters if redaction is requested', async () => {
    const made = await transcribe(server, '/private', { redact_pii: true });
    expect(made).toMatchObject({ status: 'completed', name: 'private' });
    expect(made).not.toHaveProperty('source');
  });

  it('lets yt-dlp fetch segmented media through the same address guard, and keeps a given name', async () => {
    const folder = temporaryFolder();
    execFileSync(
      'ffmpeg',
      [
        ...['-v', 'error', '-i', '-', '-c:a', 'aac', '-f', 'hls', '-hls_time', '2'],
        ...['-hls_list_size', '0', join(folder, 'list.m3u8')],
      ],
      { input: note },
    );
    for (const name of await readdir(folder)) {
      const type = name.endsWith('.m3u8') ? 'application/vnd.apple.mpegurl' : 'video/mp2t';
      urls.set(`/${name}`, file(readFileSync(join(folder, name)), { type }));
    }
    urls.set('/parts', pageOf(html('In &amp;  parts', '<video src="/list.m3u8"></video>')));
    const made = await transcribe(server, '/parts', { name: 'My name for it' });
    expect(made.error).toBeUndefined();
    expect(made).toMatchObject({
      name: 'My name for it',
      source: { recordings: 1, chapters: [], title: expect.stringMatching(/^In & parts/) },
    });
    expect(made.word_count).toBeGreaterThan(5);
    const { data } = await server.client.call('listConnections', { query: { limit: 6 } });
    expect(data.some(({ purpose, bytes }) => purpose === 'page' && bytes > 10_000)).toBe(true);
  });

  it('reports that nothing was found in a page of text', async () => {
    const made = await transcribe(server, '/words');
    expect(made.error).toMatchObject({
      code: 'not_media',
      message:
        'At this address is an HTML page titled “Only words”, not a recording. yt-dlp found no recording in it.',
    });
  });

  it('ends at once when cancelled, without leaving a process or a file', async () => {
    let count = 0;
    const whole = pageOf(html('Slow', ''));
    // The first request is Earshot's, the second yt-dlp's, which never gets a response.
    urls.set('/slow', (request, response) => {
      count += 1;
      if (count === 1) whole(request, response);
    });
    const { id } = await server.client.call('createTranscript', { body: { audio_url: urls.url('/slow') } });
    await until(() => count > 1);
    expect(processesWith(urls.url('/slow'))).toHaveLength(1);
    // Ending without waiting for the response that never comes is what "at once" means here.
    const made = await server.client.call('cancelTranscript', { params: { id } });
    expect(made.error?.code).toBe('cancelled');
    expect(processesWith(urls.url('/slow'))).toEqual([]);
    expect(await until(async () => (await readdir(join(server.dataDir, 'tmp'))).length === 0)).toBe(true);
  });
});
