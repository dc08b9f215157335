import { execFile } from 'node:child_process';
import { access, constants, readFile } from 'node:fs/promises';
import { delimiter, join, parse } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Where LibreOffice is installed, if it is. */
export const findOffice = async (): Promise<string | undefined> => {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    for (const name of ['soffice', 'libreoffice']) {
      const path = join(folder, name);
      const found = await access(path, constants.X_OK).then(
        () => true,
        () => false,
      );
      if (found) return path;
    }
  }
  return undefined;
};

/** The text that LibreOffice reads in a document. */
export const readWithOffice = async (office: string, document: string, folder: string): Promise<string> => {
  const profile = `-env:UserInstallation=file://${join(folder, 'profile')}`;
  await run(office, [
    profile,
    '--headless',
    '--convert-to',
    'txt:Text (encoded):UTF8',
    '--outdir',
    folder,
    document,
  ]);
  return readFile(join(folder, `${parse(document).name}.txt`), 'utf8');
};
