// The program that the desktop tests run: in the pinned Electron where its binary is, else in the older one of `rehearsal/`,
// laid out as the packages have it, without the archive.
import {
  copyFileSync,
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { testAddon } from '../support/addon.ts';
import { ROOT } from '../support/paths.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import {
  DownloadError,
  isLoadedPart,
  lowerBundle,
  REHEARSAL_ELECTRON,
  rehearsalElectron,
  rehearsalSqlite,
  SQLITE_PREBUILT,
  setFuses,
} from './rehearsal/electron.ts';

export type DesktopProgram = {
  readonly executable: string;
  /** What comes before a person's arguments: Electron's own binary takes the folder of the program. */
  readonly args: readonly string[];
  readonly electron: string;
};

const PINNED = join(ROOT, 'node_modules', 'electron');

const readVersion = (file: string): string => JSON.parse(readFileSync(file, 'utf8')).version;

const pinnedProgram = (): DesktopProgram | undefined => {
  const name = join(PINNED, 'path.txt');
  const executable = existsSync(name) ? join(PINNED, 'dist', readFileSync(name, 'utf8').trim()) : '';
  if (!existsSync(executable)) return undefined;
  return { executable, args: [ROOT], electron: readVersion(join(PINNED, 'package.json')) };
};

/** Links the files of a folder, or copies them onto another file system. */
const linkFolder = (from: string, to: string): void => {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) linkFolder(source, target);
    else
      try {
        linkSync(source, target);
      } catch {
        copyFileSync(source, target);
      }
  }
};

const writeApp = async (app: string): Promise<void> => {
  await lowerBundle(join(ROOT, 'out', 'main'), join(app, 'out', 'main'));
  for (const part of ['preload', 'renderer'])
    cpSync(join(ROOT, 'out', part), join(app, 'out', part), { recursive: true });
  const { name, productName, desktopName, version, description, license, main } = JSON.parse(
    readFileSync(join(ROOT, 'package.json'), 'utf8'),
  );
  const manifest = { name, productName, desktopName, version, description, license, type: 'module', main };
  writeFileSync(join(app, 'package.json'), JSON.stringify(manifest));
  const modules = join(ROOT, 'node_modules');
  const native = [
    'better-sqlite3',
    '@node-rs',
    'sherpa-onnx-node',
    `sherpa-onnx-${process.platform}-${process.arch}`,
  ];
  for (const each of native)
    cpSync(join(modules, each), join(app, 'node_modules', each), { recursive: true, filter: isLoadedPart });
  mkdirSync(dirname(join(app, 'node_modules', SQLITE_PREBUILT)), { recursive: true });
  copyFileSync(await rehearsalSqlite(), join(app, 'node_modules', SQLITE_PREBUILT));
};

const rehearsedProgram = async (dist: string): Promise<DesktopProgram> => {
  const target = join(temporaryFolder(), 'Earshot');
  linkFolder(dist, target);
  // Electron takes a program of another name for a packaged one. Playwright attaches through EnableNodeCliInspectArguments.
  const executable = join(target, 'earshot');
  rmSync(join(target, 'electron'));
  copyFileSync(join(dist, 'electron'), executable);
  setFuses(executable, { 3: '1' });
  const resources = join(target, 'resources');
  await writeApp(join(resources, 'app'));
  cpSync(join(ROOT, 'resources'), join(resources, 'resources'), {
    recursive: true,
    filter: (path) => !/^(?:lexicons|topics)(?:\/|$)/.test(relative(join(ROOT, 'resources'), path)),
  });
  cpSync(dirname(await testAddon()), join(resources, 'native'), { recursive: true });
  return { executable, args: [], electron: `${REHEARSAL_ELECTRON} (rehearsal)` };
};

/** The program, or a sentence that says why there is none on this machine. */
export const desktopProgram = async (): Promise<DesktopProgram | string> => {
  const pinned = pinnedProgram();
  if (pinned !== undefined) return pinned;
  if (process.platform !== 'linux' || process.arch !== 'x64')
    return `Electron's binary is not in node_modules, and there is no rehearsal for ${process.platform} ${process.arch}.`;
  try {
    return await rehearsedProgram(await rehearsalElectron());
  } catch (error) {
    if (!(error instanceof DownloadError)) throw error;
    return `Electron's binary is not in node_modules, and ${error.message}`;
  }
};
