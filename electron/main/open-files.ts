import { openAsBlob } from 'node:fs';
import { basename, extname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClient } from '../contract/client.ts';
import { newTranscriptionPlace, placeOfLink } from '../core/base/app-link.ts';

const MEDIA_EXTENSIONS = new Set(
  '.mp3 .wav .flac .m4a .ogg .oga .opus .webm .aac .mp4 .m4v .mov .avi .wmv .mkv'.split(' '),
);

/** The arguments of a start in a folder, with files by their whole path: desktops also pass `file:` URLs. */
export const wholePaths = (args: readonly string[], folder: string): string[] =>
  args.map((arg) => {
    if (/^(?:-|earshot:)/i.test(arg)) return arg;
    if (!/^file:/i.test(arg)) return resolve(folder, arg);
    try {
      return fileURLToPath(arg);
    } catch {
      // Another machine's file, or no URL.
      return arg;
    }
  });

/** The recordings among the program's arguments, which "Open with" and a drop on the icon add. */
export const mediaFilesIn = (args: readonly string[]): string[] =>
  args.filter((arg) => !/^(?:-|earshot:)/i.test(arg) && MEDIA_EXTENSIONS.has(extname(arg).toLowerCase()));

/** The places in the window that `earshot://` links among the arguments lead to; links that lead nowhere are dropped. */
export const placesIn = (args: readonly string[]): string[] =>
  args.flatMap((arg) => (/^earshot:/i.test(arg) ? (placeOfLink(arg) ?? []) : []));

type Deps = {
  readonly baseUrl: string;
  readonly key: string;
  readonly show: (hash: string) => void;
  readonly showError: (message: string) => void;
};

/** Uploads recordings through the API, one after the other, and opens the window's form for each. */
export const openMediaFiles = async (
  paths: readonly string[],
  { baseUrl, key, show, showError }: Deps,
): Promise<void> => {
  const client = createClient({ baseUrl, key });
  for (const path of paths) {
    const name = basename(path);
    try {
      const form = new FormData();
      form.append('folder', 'recordings');
      form.append('file', await openAsBlob(path), name);
      const { data } = await client.call('uploadFile', { body: form });
      show(newTranscriptionPlace(data.file.key, name));
    } catch (error) {
      showError(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
};
