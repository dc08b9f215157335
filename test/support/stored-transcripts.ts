import type { TestWindow } from './browser.ts';
import { startServer, type TestServer } from './server.ts';

/** Starts a server into whose new data folder `store` wrote transcripts while no server had it open. */
export const startWithStored = async <T>(
  store: (dataDir: string) => T | Promise<T>,
): Promise<{ readonly server: TestServer; readonly stored: T }> => {
  const { dataDir, stop } = await startServer();
  await stop();
  const stored = await store(dataDir);
  return { server: await startServer({ dataDir }), stored };
};

/** Opens a transcript that has words. */
export const openTranscript = async (server: TestServer, id: string, { page }: TestWindow): Promise<void> => {
  await page.goto(`${server.url}/#/transcript/${id}`);
  await page.locator('[data-w="0"]').waitFor();
};
