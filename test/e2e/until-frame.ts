import type { Page } from 'playwright-core';

/** React renders what depends on a new size before the second frame. */
export const untilFrame = (page: Page): Promise<void> =>
  page.evaluate(
    () => new Promise<void>((done) => requestAnimationFrame(() => requestAnimationFrame(() => done()))),
  );
