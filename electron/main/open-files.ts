import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import { createClient } from '../contract/client.ts';
import { createHash } from './links.ts';

type Parts = {
  readonly baseUrl: string;
  readonly key: string;
  readonly show: (hash: string) => void;
  readonly complain: (message: string) => void;
};

/**
 * Takes recordings that the system handed over into the store, one after the other, and lets the window ask what
 * to do with each. The bytes go through the API like everybody's.
 */
export const openMediaFiles = async (
  paths: readonly string[],
  { baseUrl, key, show, complain }: Parts,
): Promise<void> => {
  const client = createClient({ baseUrl, key });
  for (const path of paths) {
    const name = basename(path);
    try {
      const form = new FormData();
      form.append('folder', 'recordings');
      form.append('file', await openAsBlob(path), name);
      const { data } = await client.call('uploadFile', { body: form });
      show(createHash(data.file.key, name));
    } catch (error) {
      complain(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
};
