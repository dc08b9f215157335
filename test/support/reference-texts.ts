import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheDir } from '../../native/build.mjs';

/** What decides a text: the program's path, which names its build, its options, and the bytes that it reads. */
type Origin = {
  readonly program: string;
  readonly options: readonly string[];
  readonly inputs: readonly Uint8Array[];
};

/** What a program of whisper.cpp writes with one thread, which is always the same: kept in the cache of this machine. */
export const cachedText = async (
  { program, options, inputs }: Origin,
  make: () => Promise<string>,
): Promise<string> => {
  const key = createHash('sha256').update(JSON.stringify([program, options]));
  for (const input of inputs) key.update(input);
  const folder = join(cacheDir(), 'whisper-cli-texts');
  const cached = join(folder, `${key.digest('hex')}.txt`);
  try {
    return await readFile(cached, 'utf8');
  } catch {
    const text = await make();
    await mkdir(folder, { recursive: true });
    await writeFile(`${cached}.${process.pid}`, text);
    await rename(`${cached}.${process.pid}`, cached);
    return text;
  }
};
