import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

export const isExecutable = async (path: string): Promise<boolean> => {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch {
    // ENOENT or EACCES: try the next candidate.
    return false;
  }
};

type Lookup = { readonly environment: NodeJS.ProcessEnv; readonly platform: NodeJS.Platform };

/** Finds a program in these folders, then in those of the PATH. Returns undefined if there is none. */
export const findProgram = async (
  name: string,
  { environment, platform }: Lookup,
  folders: readonly string[] = [],
): Promise<string | undefined> => {
  const file = platform === 'win32' ? `${name}.exe` : name;
  for (const folder of [...folders, ...(environment.PATH ?? '').split(delimiter).filter(Boolean)]) {
    const path = join(folder, file);
    if (await isExecutable(path)) return path;
  }
  return undefined;
};
