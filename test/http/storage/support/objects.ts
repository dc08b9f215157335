import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const isObject = (path: string) => statSync(path).isFile() && !path.endsWith('earshot-objects.json');

/** All files below an object folder, but for its marker. */
export const objectsIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => join(folder, path))
    .filter(isObject);
