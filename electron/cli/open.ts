import { access } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Client } from '../contract/client.ts';
import { newTranscriptionPlace, placeOfLink } from '../core/base/app-link.ts';
import { UsageError } from './environment.ts';
import { pathOnDisk } from './path-on-disk.ts';
import { uploadFile } from './upload.ts';

/** What the window shows first: resolved with a client once the service runs. */
export type Place = (client: Client) => Promise<string>;

/**
 * What `earshot open` was given: a recording, by path or `file:` URL, which opens the form for a new transcription, or an
 * `earshot://` link. Throws `UsageError` before anything is started.
 */
export const placeOf = async (given: string): Promise<Place> => {
  if (/^earshot:/i.test(given)) {
    const place = placeOfLink(given);
    if (place === undefined)
      throw new UsageError(
        `${given} leads nowhere. Such a link is earshot://library or earshot://transcript/ID.`,
      );
    return async () => place;
  }
  const path = /^file:/i.test(given) && URL.canParse(given) ? fileURLToPath(given) : given;
  try {
    await access(await pathOnDisk(path));
  } catch {
    throw new UsageError(`There is no file ${path}.`);
  }
  return async (client) =>
    newTranscriptionPlace(await uploadFile(client, path, 'recordings'), basename(path));
};
