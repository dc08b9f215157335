import { constants, openAsBlob } from 'node:fs';
import { access, readdir } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { Client } from '../contract/client.ts';

const REPLACED = '\ufffd';

/**
 * The path of a file whose name may not be UTF-8, as older systems and archives write them. Arguments come with `U+FFFD` in the
 * place of such bytes, so the entry of the folder is taken that reads like the given name.
 */
export const pathOnDisk = async (given: string): Promise<string | Buffer> => {
  if (!given.includes(REPLACED)) return given;
  try {
    await access(given, constants.F_OK);
    return given;
  } catch {
    return (await findBytes(given)) ?? given;
  }
};

const findBytes = async (path: string): Promise<Buffer | undefined> => {
  const base = basename(path);
  const folder = dirname(path);
  const above = folder.includes(REPLACED) ? await findBytes(folder) : Buffer.from(folder);
  if (above === undefined) return undefined;
  const names = base.includes(REPLACED)
    ? await readdir(above, { encoding: 'buffer' }).catch(() => [])
    : [Buffer.from(base)];
  const name = names.find((each) => each.toString() === base);
  return name && Buffer.concat([above, Buffer.from('/'), name]);
};

/** Stores a recording in a folder of the owner's files. Returns its key. */
export const uploadFile = async (client: Client, path: string, folder: string): Promise<string> => {
  const form = new FormData();
  form.append('folder', folder);
  form.append('purpose', 'transcription');
  form.append('file', await openAsBlob(await pathOnDisk(path)), basename(path));
  const { data } = await client.call('uploadFile', { body: form });
  return data.file.key;
};
