import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const isObject = (path: string) => statSync(path).isFile() && !path.endsWith('earshot-objects.json');

/** Paths of all files below an object folder except its marker. */
export const objectsIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => join(folder, path))
    .filter(isObject);
