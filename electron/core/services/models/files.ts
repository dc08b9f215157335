import { existsSync, readdirSync, statSync } from 'node:fs';
import { open, readdir, rename, rm, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AppError, systemCode } from '../../base/errors.ts';
import { formatBytes } from '../../base/numbers.ts';
import { STARTER } from './catalogue.ts';
import { partOf, STARTER_SPEAKERS } from './speaker-models.ts';

export type ModelDirs = {
  /** What the user installed. */
  readonly installed: string;
  /** What came with the program. */
  readonly bundled: string;
};

const MODEL = /^(?:ggml-(?<speech>.+)\.bin|(?<speakers>(?:segmentation|embedding)-.+)\.onnx)$/;
const UNFINISHED = /^(.+\.(?:bin|onnx))\.(part|import)/;

/** The models that come with the program, by id. */
const BUNDLED: ReadonlyMap<string, string> = new Map(
  [STARTER, ...Object.values(STARTER_SPEAKERS)].map(({ id, file }) => [id, file]),
);
/** Room left on the disk for everything else. */
const SPARE_DISK = 64 * 1024 * 1024;

/** Whether a text can be a model's id, and with it a part of a file name on every system. */
export const isModelId = (id: string): boolean => /^\w[\w.-]{0,99}$/.test(id);

/** The name under which a model is kept, and found on a mirror. */
export const modelFileName = (id: string): string =>
  partOf(id) === undefined ? `ggml-${id}.bin` : `${id}.onnx`;

/** The id that a file's name gives; undefined where it is no model's. */
const idOfFile = (name: string): string | undefined => {
  const { speech, speakers } = MODEL.exec(name)?.groups ?? {};
  const id = speech ?? speakers;
  return id !== undefined && isModelId(id) ? id : undefined;
};

const flushFolder = async (folder: string): Promise<void> => {
  // Windows cannot open a folder; there a rename is durable by itself.
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};

/** The model files on this machine. A file under a model's own name is whole and was checked. */
export class ModelFiles {
  readonly #dirs: ModelDirs;

  constructor(dirs: ModelDirs) {
    this.#dirs = dirs;
  }

  /** The file of an installed or bundled model. */
  path(id: string): string | undefined {
    if (!isModelId(id)) return undefined;
    const bundled = BUNDLED.get(id);
    const path = bundled === undefined ? this.#target(id) : join(this.#dirs.bundled, bundled);
    return statSync(path, { throwIfNoEntry: false })?.isFile() ? path : undefined;
  }

  /** Where a model lies while it is downloaded. */
  partial(id: string): string {
    return `${this.#target(id)}.part`;
  }

  /** Where a model lies while it is copied in. */
  importing(id: string): string {
    return `${this.#target(id)}.import`;
  }

  /** Whether a download's file is whole already: the note of how to go on leaves with the last byte. */
  isDownloaded(id: string): boolean {
    return existsSync(this.partial(id)) && !existsSync(`${this.partial(id)}.resume.json`);
  }

  /** What lies in the folder of installed models. */
  installed(): { id: string; size: number }[] {
    return readdirSync(this.#dirs.installed).flatMap((name) => {
      const id = idOfFile(name);
      if (id === undefined || BUNDLED.has(id)) return [];
      return [{ id, size: statSync(join(this.#dirs.installed, name)).size }];
    });
  }

  /** Throws `disk_full` where there is not room for so many more bytes. */
  async checkRoom(bytes: number): Promise<void> {
    const disk = await statfs(this.#dirs.installed);
    const free = disk.bavail * disk.bsize;
    if (bytes + SPARE_DISK <= free) return;
    throw new AppError(
      'disk_full',
      `There is not room for the model: it needs ${formatBytes(bytes)}, and ${formatBytes(free)} are free.`,
    );
  }

  /** Makes a checked file the model, all at once and for good. */
  async adopt(id: string, from: string): Promise<void> {
    const file = await open(from, 'r+');
    try {
      await file.sync();
    } finally {
      await file.close();
    }
    const target = this.#target(id);
    await rename(from, target);
    await flushFolder(dirname(target));
  }

  /** Removes an installed model. Throws `conflict` while the system holds the file open (Windows). */
  async remove(id: string): Promise<void> {
    try {
      await rm(this.#target(id), { force: true });
    } catch (error) {
      if (!['EBUSY', 'EPERM', 'EACCES'].includes(systemCode(error) ?? '')) throw error;
      throw new AppError('conflict', `The file of ${id} is in use or protected; try again later.`, {
        cause: error,
      });
    }
  }

  /** Removes what a download has left. */
  async removePartial(id: string): Promise<void> {
    await this.#sweep((owner, kind) => owner === id && kind === 'part');
  }

  /** Removes what downloads and imports have left that nobody will go on with. */
  async sweep(isOwned: (id: string) => boolean): Promise<void> {
    await this.#sweep((owner) => !isOwned(owner));
  }

  async #sweep(isUnwanted: (id: string, kind: string) => boolean): Promise<void> {
    for (const name of await readdir(this.#dirs.installed)) {
      const [, file = '', kind] = UNFINISHED.exec(name) ?? [];
      const id = idOfFile(file);
      if (id === undefined || kind === undefined) continue;
      if (isUnwanted(id, kind)) await rm(join(this.#dirs.installed, name), { force: true });
    }
  }

  #target(id: string): string {
    return join(this.#dirs.installed, modelFileName(id));
  }
}
