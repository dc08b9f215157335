import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The marker, and the reserve that is written some seconds after a start. */
const OTHER = /earshot-objects\.json$|earshot\.reserve/;

const isObject = (path: string) => !OTHER.test(path) && statSync(path).isFile();

/** Paths of all files below an object folder except the store's own. */
export const objectsIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => join(folder, path))
    .filter(isObject);
