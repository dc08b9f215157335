import { constants, rmSync } from 'node:fs';
import {
  type FileHandle,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  statfs,
  unlink,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { systemCode } from '../../base/errors.ts';

const NAME = /^[0-9a-f]{32}$/;
const MARKER = 'earshot-objects.json';
const Marker = z.object({ id: z.string() });
const INCOMING = 'incoming';

/** Makes renames and removals in a folder survive a power cut. Windows has no such call and needs none. */
const flushFolder = async (path: string): Promise<void> => {
  if (process.platform === 'win32') return;
  const handle = await open(path, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};

const isMissing = (error: unknown): boolean => ['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '');

/**
 * A folder with a copy of every object under its random name, spread over 65,536 folders: `ab/cd/abcd…`. Staged objects
 * lie in `incoming`, on the same disk.
 */
export class ObjectFolder {
  readonly root: string;
  /** Name of the folder in answers and reports. */
  readonly label: string;
  #id: string | undefined;

  constructor(root: string, label: string) {
    this.root = root;
    this.label = label;
  }

  /** Prepares the folder. The marker of a new one is written with `id`; that of a known one must hold it. */
  async prepare(id: string, isNew: boolean): Promise<void> {
    this.#id = id;
    if (!isNew) return;
    await mkdir(join(this.root, INCOMING), { recursive: true, mode: 0o700 });
    const handle = await open(join(this.root, MARKER), 'w', 0o600);
    try {
      await handle.writeFile(`${JSON.stringify({ id })}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await flushFolder(this.root);
  }

  /** The id in the folder's marker; undefined for a new folder, or the mount point of an absent disk. */
  async markerId(): Promise<string | undefined> {
    try {
      return Marker.safeParse(JSON.parse(await readFile(join(this.root, MARKER), 'utf8'))).data?.id;
    } catch (error) {
      if (isMissing(error) || error instanceof SyntaxError) return undefined;
      throw error;
    }
  }

  /** Whether the folder's disk is there: the mount point of an absent one has no marker. */
  async isPresent(): Promise<boolean> {
    return this.#id !== undefined && (await this.markerId()) === this.#id;
  }

  pathOf(name: string): string {
    if (!NAME.test(name)) throw new Error('Not an object name');
    return join(this.root, name.slice(0, 2), name.slice(2, 4), name);
  }

  incomingPath(name: string): string {
    if (!NAME.test(name)) throw new Error('Not an object name');
    return join(this.root, INCOMING, name);
  }

  /** Opens a new file in `incoming`. */
  async create(name: string): Promise<FileHandle> {
    await mkdir(join(this.root, INCOMING), { recursive: true, mode: 0o700 });
    return open(this.incomingPath(name), 'wx', 0o600);
  }

  /** Moves a flushed file from `incoming` into place, and makes the move durable. */
  async promote(name: string): Promise<void> {
    const target = this.pathOf(name);
    const folder = dirname(target);
    const made = await mkdir(folder, { recursive: true, mode: 0o700 });
    await rename(this.incomingPath(name), target);
    await flushFolder(folder);
    if (made === undefined) return;
    await flushFolder(dirname(folder));
    await flushFolder(this.root);
  }

  /** Removes the staged file of this name, if any. */
  async removeIncoming(name: string): Promise<void> {
    await rm(this.incomingPath(name), { force: true });
  }

  /** Removes an object, staged or in place, durably. A missing one is no error. */
  async remove(name: string): Promise<void> {
    await this.removeIncoming(name);
    const path = this.pathOf(name);
    try {
      await unlink(path);
      await flushFolder(dirname(path));
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }

  /** Unlinks an object without waiting. That it also survives a power cut takes `remove`. */
  unlinkNow(name: string): void {
    rmSync(this.pathOf(name), { force: true });
  }

  /** Bytes of an object in place, or undefined when there is none. */
  async sizeOf(name: string): Promise<number | undefined> {
    try {
      return (await stat(this.pathOf(name))).size;
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  /** Bytes that this process may still write on the folder's disk. */
  async freeBytes(): Promise<number> {
    const { bavail, bsize } = await statfs(this.root);
    return bavail * bsize;
  }

  /** The names of all objects in place. */
  async *names(): AsyncGenerator<string> {
    for await (const outer of this.#folders(this.root)) {
      for await (const inner of this.#folders(join(this.root, outer))) {
        for (const name of await readdir(join(this.root, outer, inner))) if (NAME.test(name)) yield name;
      }
    }
  }

  async *#folders(path: string): AsyncGenerator<string> {
    for (const entry of await readdir(path, { withFileTypes: true })) {
      if (entry.isDirectory() && /^[0-9a-f]{2}$/.test(entry.name)) yield entry.name;
    }
  }
}
