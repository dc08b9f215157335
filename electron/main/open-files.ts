import { openAsBlob } from 'node:fs';
import { access, constants, stat } from 'node:fs/promises';
import { basename, extname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClient } from '../contract/client.ts';
import { MEDIA_EXTENSIONS } from '../contract/media-kinds.ts';
import { newTranscriptionPlace, placeOfLink } from '../core/base/app-link.ts';
import { messageOf, systemCode } from '../core/base/errors.ts';
import type { DesktopTexts } from './texts/index.ts';

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

/** The files among the program's arguments, which "Open with" and a drop on the icon add. */
export const filesIn = (args: readonly string[]): string[] =>
  args.filter((arg) => !/^(?:-|earshot:)/i.test(arg));

/** The places in the window that `earshot://` links among the arguments lead to; links that lead nowhere are dropped. */
export const placesIn = (args: readonly string[]): string[] =>
  args.flatMap((arg) => (/^earshot:/i.test(arg) ? (placeOfLink(arg) ?? []) : []));

type Deps = {
  readonly baseUrl: string;
  readonly key: string;
  readonly texts: DesktopTexts;
  readonly show: (hash: string) => void;
  /** Gets a sentence on each file that could not be opened. */
  readonly showProblems: (problems: readonly string[]) => void;
};

/** A sentence for a file that could not be opened, and why. */
const problemWith = (path: string, error: unknown, texts: DesktopTexts): string => {
  const name = basename(path);
  switch (systemCode(error)) {
    case 'ENOENT':
    case 'ENOTDIR':
      return texts.fileMissing(name);
    case 'EACCES':
    case 'EPERM':
      return texts.fileUnreadable(name);
    default:
      return `${name}: ${messageOf(error)}`;
  }
};

/** Returns what is wrong with a file before it is read; undefined for a recording. */
const problemBefore = async (path: string, texts: DesktopTexts): Promise<string | undefined> => {
  try {
    const isFolder = (await stat(path)).isDirectory();
    if (isFolder || !MEDIA_EXTENSIONS.includes(extname(path).slice(1).toLowerCase()))
      return texts.fileOfOtherKind(basename(path));
    await access(path, constants.R_OK);
    return undefined;
  } catch (error) {
    return problemWith(path, error, texts);
  }
};

/** Uploads recordings through the API, one after the other, and opens the window's form for each. */
export const openMediaFiles = async (
  paths: readonly string[],
  { baseUrl, key, texts, show, showProblems }: Deps,
): Promise<void> => {
  const client = createClient({ baseUrl, key });
  const upload = async (path: string): Promise<string | undefined> => {
    const problem = await problemBefore(path, texts);
    if (problem !== undefined) return problem;
    try {
      const name = basename(path);
      const form = new FormData();
      form.append('folder', 'recordings');
      // Its content decides, whatever its name says.
      form.append('purpose', 'transcription');
      form.append('file', await openAsBlob(path), name);
      const { data } = await client.call('uploadFile', { body: form });
      show(newTranscriptionPlace(data.file.key, name));
      return undefined;
    } catch (error) {
      return problemWith(path, error, texts);
    }
  };
  const problems: string[] = [];
  for (const path of paths) problems.push(...[(await upload(path)) ?? []].flat());
  if (problems.length > 0) showProblems(problems);
};
