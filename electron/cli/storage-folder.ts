import { appendFile, mkdir, open, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { z } from 'zod';
import { ExportedFile } from '../contract/storage.ts';
import { AppError, systemCode } from '../core/base/errors.ts';

const MANIFEST = 'earshot-storage.jsonl';

/** One line of the manifest. `path` is below the exported folder, with slashes. */
const Line = z.object({
  ...ExportedFile.shape,
  path: z.string().refine((path) => !path.includes('\0'), 'must not contain NUL'),
});

const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

/** Makes a part of a key a name that every file system accepts. */
const safePart = (part: string): string => `${DEVICE.test(part) ? '_' : ''}${part.replace(/[. ]+$/, '_')}`;

/** The path of an exported file; a name that differs from another in case alone gets a number. */
const pathFor = (key: string, taken: Set<string>): string => {
  const path = key.slice(1).split('/').map(safePart).join('/');
  for (let i = 1; ; i++) {
    const candidate = i === 1 ? path : path.replace(/(\.[^./]*)?$/, `-${i}$1`);
    const folded = candidate.normalize('NFC').toLowerCase();
    if (taken.has(folded)) continue;
    taken.add(folded);
    return candidate;
  }
};

/** Writes exported files as plain files, with a manifest. */
export class ExportFolder {
  readonly #root: string;
  readonly #taken = new Set([MANIFEST]);

  private constructor(root: string) {
    this.#root = root;
  }

  /** Throws `conflict` for a folder that holds anything, or a file in its place. */
  static async create(root: string): Promise<ExportFolder> {
    try {
      await mkdir(root, { recursive: true });
      if ((await readdir(root)).length > 0) {
        throw new AppError('conflict', 'The folder for the export is not empty. Name a new one.');
      }
      await writeFile(join(root, MANIFEST), '');
    } catch (error) {
      if (systemCode(error) === 'EEXIST' || systemCode(error) === 'ENOTDIR') {
        throw new AppError('conflict', 'There is a file where the folder for the export should be.', {
          cause: error,
        });
      }
      throw error;
    }
    return new ExportFolder(root);
  }

  /** Writes one file, flushed, and then its line of the manifest. */
  async add(file: ExportedFile, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    const path = pathFor(file.key, this.#taken);
    const target = join(this.#root, ...path.split('/'));
    await mkdir(dirname(target), { recursive: true });
    const handle = await open(target, 'wx');
    try {
      for await (const chunk of bytes) await handle.writeFile(chunk);
      await handle.sync();
    } catch (error) {
      await rm(target, { force: true });
      throw error;
    } finally {
      await handle.close();
    }
    await appendFile(join(this.#root, MANIFEST), `${JSON.stringify({ path, ...file })}\n`);
  }
}

export type Problem = { readonly path: string; readonly reason: string };
export type Entry = { readonly path: string; readonly file: ExportedFile };

/** The entry in one line of the manifest, or why there is none. */
const parseLine = (text: string, line: number): Entry | Problem => {
  const where = `${MANIFEST}, line ${line}`;
  try {
    const result = Line.safeParse(JSON.parse(text));
    if (result.success) {
      const { path, ...file } = result.data;
      return { path, file };
    }
    const [issue] = result.error.issues;
    return {
      path: where,
      reason: `${issue?.path.join('.') || 'entry'}: ${issue?.message ?? 'is not valid'}`,
    };
  } catch {
    // Truncated JSON, or nested too deep to be read.
    return { path: where, reason: 'The line is not valid JSON.' };
  }
};

/** The lines of an export's manifest. Throws `invalid_request` where there is none. */
export const readManifest = async (root: string): Promise<(Entry | Problem)[]> => {
  let text: string;
  try {
    text = await readFile(join(root, MANIFEST), 'utf8');
  } catch (error) {
    throw new AppError('invalid_request', `The folder has no ${MANIFEST}: it is not an export of Earshot.`, {
      cause: error,
    });
  }
  return text.split('\n').flatMap((line, index) => (line.trim() === '' ? [] : [parseLine(line, index + 1)]));
};

/** The real path of an entry's file. Throws `invalid_request` for one out of the folder. */
export const exportedPath = async (root: string, path: string): Promise<string> => {
  const outside = () => new AppError('invalid_request', 'The path leads out of the folder.');
  const named = resolve(root, ...path.split('/'));
  if (!named.startsWith(resolve(root) + sep)) throw outside();
  let real: string;
  try {
    real = await realpath(named);
  } catch {
    // The service says why it cannot be read.
    return named;
  }
  if (!real.startsWith((await realpath(root)) + sep)) throw outside();
  return real;
};
