import { accessSync, constants } from 'node:fs';

/** Whether this process may execute the file at a path. */
export const isExecutableSync = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    // ENOENT or EACCES.
    return false;
  }
};
