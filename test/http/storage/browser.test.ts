import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Browser, borrowBrowser } from '../../support/browser.ts';
import { freshStorage, newUser, upload } from './support/client.ts';

const storage = await freshStorage();
const user = newUser(storage);

/** A page on another origin: the same machine, another port. */
const elsewhere = createServer((_request, response) => {
  response.setHeader('content-type', 'text/html');
  response.end('<!doctype html><title>elsewhere</title>');
});
await new Promise<void>((done) => {
  elsewhere.listen(0, '127.0.0.1', done);
});
// A server that listens on TCP has such an address.
const ORIGIN = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`;

let browser: Browser;
let page: Page;

beforeAll(async () => {
  browser = await borrowBrowser();
});
afterAll(async () => {
  await browser.close();
  elsewhere.close();
});

type PageRequest = { method?: string; body?: string; headers?: Record<string, string> };

/** The result of a request as a script of the other origin sees it: status and text, or the browser's refusal. */
const fromElsewhere = async (
  url: string,
  init: PageRequest = {},
): Promise<{ status: number; text: string } | 'refused'> => {
  page = await browser.newPage();
  try {
    await page.goto(ORIGIN);
    return await page.evaluate(
      async ([address, options]) => {
        try {
          const response = await fetch(address, options);
          return { status: response.status, text: await response.text() };
        } catch {
          return 'refused' as const;
        }
      },
      [url, init] as const,
    );
  } finally {
    await page.close();
  }
};

const presign = async () =>
  (await user.client.call('presignUpload', { body: { filename: 'page.txt', contentType: 'text/plain' } }))
    .data;

describe('a page on another origin in a real browser', () => {
  it('uploads and reads only after the CORS configuration allows it', async () => {
    const { file } = await upload(user, 'private.txt', 'for the page');
    const put = { method: 'PUT', body: 'from the page', headers: { 'content-type': 'text/plain' } };
    const get = { headers: { authorization: `Bearer ${user.key}` } };
    const before = await presign();
    expect(await fromElsewhere(before.uploadUrl, put)).toBe('refused');
    expect(await fromElsewhere(file.urls.download, get)).toBe('refused');
    expect((await user.client.call('listFiles', { query: { q: 'page.txt' } })).data.files).toEqual([]);

    await user.client.call('configureCors', { body: { allowedOrigins: [ORIGIN] } });
    expect(await fromElsewhere(before.uploadUrl, put)).toMatchObject({ status: 200 });
    expect(await fromElsewhere(file.urls.download, get)).toEqual({ status: 200, text: 'for the page' });
    const { data } = await user.client.call('downloadUrl', {
      params: { fileKey: before.fileKey },
      query: {},
    });
    expect(await fromElsewhere(data.url)).toEqual({ status: 200, text: 'from the page' });

    // The rest of the API stays forbidden.
    expect(await fromElsewhere(`${storage.url}/v1/storage/info`, get)).toBe('refused');
    await user.client.call('configureCors', { body: { allowedOrigins: ['https://example.com'] } });
    expect(await fromElsewhere(file.urls.download, get)).toBe('refused');
  });

  it('reads a public file without a key only if its origin is allowed', async () => {
    const { file } = await upload(user, 'open.txt', 'open to all', { public: 'true' });
    const url = file.urls.direct ?? '';
    expect(await fromElsewhere(url)).toBe('refused');
    await user.client.call('configureCors', { body: { allowedOrigins: ['*'], allowedMethods: ['GET'] } });
    expect(await fromElsewhere(url)).toEqual({ status: 200, text: 'open to all' });
  });
});

describe('stored HTML and SVG with scripts', () => {
  const SCRIPT =
    'window.opened = true; document.title = "ran"; fetch("/v1/health").then(() => document.title = "called");';

  it('run no script in the server’s origin', async () => {
    const svg = `<svg xmlns="http://www.w3.org/2000/svg"><script>${SCRIPT}</script><text y="20">drawn</text></svg>`;
    const xml = `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><script>${SCRIPT}</script></html>`;
    for (const [name, content] of [
      ['a.svg', svg],
      ['a.xml', xml],
    ] as const) {
      const { file } = await upload(user, name, content, { public: 'true' });
      const signed = await user.client.call('downloadUrl', { params: { fileKey: file.key }, query: {} });
      const urls = [
        file.urls.direct ?? '',
        `${file.urls.download}?inline=true`,
        `${signed.data.url}?inline=true`,
      ];
      // The one document at each address, the other at the last.
      for (const url of name === 'a.svg' ? urls : urls.slice(2)) {
        page = await browser.newPage();
        const requests: string[] = [];
        page.on('request', (request) => requests.push(request.url()));
        // The browser downloads it instead of showing it.
        const download = page.waitForEvent('download');
        await page.goto(url).catch(() => undefined);
        expect((await download).suggestedFilename()).toBe(name);
        expect(requests).toEqual([url]);
        await page.close();
        expect(await framed(url)).toEqual({ title: '', requests: [url] });
      }
    }
  });

  it('are still shown as images', async () => {
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="30" height="20"><script>${SCRIPT}</script></svg>`;
    const { file } = await upload(user, 'b.svg', svg, { public: 'true' });
    page = await browser.newPage();
    await page.goto(ORIGIN);
    const size = await page.evaluate(async (url) => {
      const image = new Image();
      image.src = url;
      await image.decode();
      return [image.naturalWidth, image.naturalHeight];
    }, file.urls.direct ?? '');
    expect(size).toEqual([30, 20]);
    await page.close();
  });
});

/** Loads a stored file in a frame of the server's own origin, and returns what it did there. */
const framed = async (url: string): Promise<{ title: string; requests: string[] }> => {
  const own = await browser.newPage();
  const requests: string[] = [];
  await own.goto(`${storage.url}/v1/health`);
  own.on('request', (request) => requests.push(request.url()));
  // The frame does not show it either.
  const download = own.waitForEvent('download');
  await own.evaluate((address) => {
    const frame = document.createElement('iframe');
    frame.src = address;
    document.body.append(frame);
  }, url);
  await download;
  const title = await own.title();
  await own.close();
  return { title, requests };
};
