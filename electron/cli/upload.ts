import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import type { Client } from '../contract/client.ts';
import { pathOnDisk } from './path-on-disk.ts';

/** Stores a recording in a folder of the owner's files. Returns its key. */
export const uploadFile = async (client: Client, path: string, folder: string): Promise<string> => {
  const form = new FormData();
  form.append('folder', folder);
  form.append('purpose', 'transcription');
  form.append('file', await openAsBlob(await pathOnDisk(path)), basename(path));
  const { data } = await client.call('uploadFile', { body: form });
  return data.file.key;
};
