import type { Page } from 'playwright-core';

/** Three times Playwright's own, for busy machines. */
export const PAGE_TIMEOUT_MS = 90_000;

/** By what cannot be changed in an open browser context, such as its locale. */
const parked = new Map<string, Page[]>();

/** A page of a closed window of this kind, as good as new. A new one, with its context and process, takes twice as long. */
export const takePage = (kind: string): Page | undefined => parked.get(kind)?.pop();

/** What tests listen to, routes and emulate on a page, and what a window stores for `origin`. */
const reset = async (page: Page, origin: string): Promise<void> => {
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  const types = ['request', 'requestfinished', 'requestfailed', 'response', 'console', 'pageerror', 'dialog'];
  for (const type of types) page.removeAllListeners(type);
  page.context().removeAllListeners('request');
  page.setDefaultTimeout(PAGE_TIMEOUT_MS);
  await page.mouse.move(0, 0);
  await page.evaluate(() => sessionStorage.clear());
  // A page of the same site, so that the process stays; nothing runs in it.
  await page.goto(`${origin}/robots.txt`);
  const session = await page.context().newCDPSession(page);
  await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' });
  await session.detach();
};

/** Keeps the page of a window that is closed for the next one of this kind; closes it if that does not work. */
export const parkPage = async (kind: string, page: Page, origin: string): Promise<void> => {
  const context = page.context();
  try {
    if (page.isClosed() || context.pages().length > 1) throw new Error('not a single open page');
    await reset(page, origin);
    parked.set(kind, [...(parked.get(kind) ?? []), page]);
  } catch {
    await context.close();
  }
};
