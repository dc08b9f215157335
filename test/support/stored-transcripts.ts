import type { TestWindow } from './browser.ts';
import { startServer, type TestServer } from './server.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** Starts a server on a new data folder into which `store` wrote transcripts. */
export const startWithStored = async <T>(
  store: (dataDir: string) => T | Promise<T>,
): Promise<{ readonly server: TestServer; readonly stored: T }> => {
  const dataDir = temporaryFolder();
  const stored = await store(dataDir);
  return { server: await startServer({ dataDir }), stored };
};

/** Opens a transcript that has words. */
export const openTranscript = async (server: TestServer, id: string, { page }: TestWindow): Promise<void> => {
  await page.goto(`${server.url}/#/transcript/${id}`);
  await page.locator('[data-w="0"]').waitFor();
};
