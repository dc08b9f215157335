import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

const NAME = /^(file_[0-9A-Z]{26})\.json$/;

/**
 * The bytes of recordings that are still being made, each in a file to which chunks are appended, with a description as
 * JSON beside it. They are outside of the database, so that a damaged one costs none of them.
 */
export class RecordingFolder {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  /** Where a recording's bytes lie. */
  pathOf(id: string): string {
    return join(this.#root, `${id}.part`);
  }

  /** Every recording with the text of its description and its size in bytes. */
  async list(): Promise<{ id: string; description: string; size: number }[]> {
    await this.#prepare();
    const ids = (await readdir(this.#root)).flatMap((name) => NAME.exec(name)?.[1] ?? []);
    return Promise.all(
      ids.map(async (id) => ({
        id,
        description: await readFile(this.#descriptionOf(id), 'utf8'),
        size: (await stat(this.pathOf(id))).size,
      })),
    );
  }

  /** Adds an empty recording. The description comes last: what lacks one is none. */
  async create(id: string, description: string): Promise<void> {
    await this.#prepare();
    await (await open(this.pathOf(id), 'wx', 0o600)).close();
    const temporary = `${this.#descriptionOf(id)}.new`;
    const handle = await open(temporary, 'wx', 0o600);
    try {
      await handle.writeFile(description);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, this.#descriptionOf(id));
  }

  /** Writes a chunk at `offset`, which is the recording's end, and flushes it. A failure leaves nothing of the chunk. */
  async append(id: string, offset: number, chunk: Uint8Array): Promise<void> {
    const handle = await open(this.pathOf(id), 'r+');
    try {
      for (let at = 0; at < chunk.length; ) {
        at += (await handle.write(chunk, at, chunk.length - at, offset + at)).bytesWritten;
      }
      await handle.sync();
    } catch (error) {
      await handle.truncate(offset);
      throw error;
    } finally {
      await handle.close();
    }
  }

  async remove(id: string): Promise<void> {
    await rm(this.#descriptionOf(id), { force: true });
    await rm(this.pathOf(id), { force: true });
  }

  #descriptionOf(id: string): string {
    return join(this.#root, `${id}.json`);
  }

  async #prepare(): Promise<void> {
    await mkdir(this.#root, { recursive: true, mode: 0o700 });
  }
}
