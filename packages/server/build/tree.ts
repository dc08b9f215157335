import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { LAYOUT } from '../../../electron/core/base/layout.ts';

export const home = resolve(import.meta.dirname, '..');
export const root = resolve(home, '..', '..');
const modules = join(root, 'node_modules');

/** Bundled into the code, or of use to the desktop program alone. */
const LEFT_OUT = /^resources\/(?:lexicons|topics)(?:\/|$)|\.map$|^out\/main\/index\.js$/;

export type Inputs = {
  readonly version: string;
  /** The portable addon, with its libraries beside it. */
  readonly addon: string;
  /** `bin/node` of Node as its project publishes it, with its license one folder above. */
  readonly node: string;
};

const put = (source: string, target: string, mode = 0o644): void => {
  mkdirSync(dirname(target), { recursive: true });
  copyFileSync(source, target);
  chmodSync(target, mode);
};

const putText = (text: string, target: string, mode = 0o644): void => {
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, text, { mode });
};

/** The three packages with native code, reduced to what the running platform loads. */
const putModules = (target: string): void => {
  const platform = `${process.platform}-${process.arch}`;
  const take = (name: string, wanted: RegExp) =>
    cpSync(join(modules, name), join(target, name), {
      recursive: true,
      filter: (path) => {
        const inside = path.slice(join(modules, name).length + 1).replaceAll('\\', '/');
        return statSync(path).isDirectory() ? !/^(?:deps|src)$/.test(inside) : wanted.test(inside);
      },
    });
  take('@node-rs/crc32', /^(?:package\.json|LICENSE|index\.js)$/);
  for (const name of readdirSync(join(modules, '@node-rs')).filter((each) => each.startsWith('crc32-')))
    take(`@node-rs/${name}`, /\.(?:json|node)$/);
  take('better-sqlite3', new RegExp(`^(?:package\\.json|LICENSE|lib/.*|prebuilds/${platform}\\.node)$`));
  take('sherpa-onnx-node', /\.(?:js|json)$/);
  take(`sherpa-onnx-${platform}`, /\.(?:js|json|so|dylib|dll|node)$/);
};

/** The program's own folder: Node, bundles, engine, resources. */
const putProgram = (target: string, { version, addon, node }: Inputs): void => {
  put(node, join(target, 'node'), 0o755);
  putText(`${JSON.stringify({ name: 'earshot', version, type: 'module' })}\n`, join(target, 'package.json'));
  const folders = [dirname(LAYOUT.worker.bundled), LAYOUT.renderer.bundled, LAYOUT.resources.bundled];
  for (const folder of folders) {
    cpSync(join(root, folder), join(target, folder), {
      recursive: true,
      filter: (path) => !LEFT_OUT.test(path.slice(root.length + 1).replaceAll('\\', '/')),
    });
  }
  cpSync(dirname(addon), join(target, dirname(LAYOUT.addon.bundled)), { recursive: true });
  putModules(join(target, 'node_modules'));
};

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

/** Removes symbols for debuggers, which are a fifth of Node. */
const strip = (program: string): void => {
  for (const path of filesIn(program)) {
    if (/(?:\.so|\.node|\/node)$/.test(path)) execFileSync('strip', ['--strip-unneeded', path]);
    if (/\.(?:so|node)$/.test(path)) cleanSearchPath(path);
  }
};

/**
 * Takes the folders of the machine that built a library out of its search path, and the empty one, which means the
 * working folder. The libraries that it needs lie beside it.
 */
const cleanSearchPath = (path: string): void => {
  const bytes = readFileSync(path);
  for (;;) {
    const at = bytes.indexOf('$ORIGIN:/');
    if (at === -1) break;
    bytes.fill(0, at + '$ORIGIN'.length, bytes.indexOf(0, at));
  }
  writeFileSync(path, bytes);
};

/** Every file readable, programs executable, libraries not. */
const setModes = (tree: string): void => {
  for (const entry of readdirSync(tree, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const isProgram = entry.isDirectory() || /\/(?:bin\/earshot|lib\/earshot\/node)$/.test(path);
    chmodSync(path, isProgram ? 0o755 : 0o644);
  }
};

/** Writes the tree that both packages share below `prefix`, as it lies below /usr. */
export const writeTree = (prefix: string, inputs: Inputs): void => {
  const { node } = inputs;
  const program = join(prefix, 'lib', 'earshot');
  putProgram(program, inputs);
  if (process.platform === 'linux') strip(program);
  put(join(home, 'files', 'earshot'), join(prefix, 'bin', 'earshot'), 0o755);
  const share = join(prefix, 'share');
  const earshot = (...args: string[]) =>
    execFileSync(join(program, 'node'), [join(program, LAYOUT.commandLine.bundled), ...args], {
      encoding: 'utf8',
    });
  putText(earshot('manual'), join(share, 'man', 'man1', 'earshot.1'));
  putText(earshot('completion', 'bash'), join(share, 'bash-completion', 'completions', 'earshot'));
  putText(earshot('completion', 'zsh'), join(share, 'zsh', 'vendor-completions', '_earshot'));
  putText(earshot('completion', 'fish'), join(share, 'fish', 'vendor_completions.d', 'earshot.fish'));
  put(join(home, 'files', 'earshot.desktop'), join(share, 'applications', 'earshot.desktop'));
  const icons = join(share, 'icons', 'hicolor');
  put(join(root, 'resources/icons/icon.svg'), join(icons, 'scalable', 'apps', 'earshot.svg'));
  put(join(root, 'resources/icons/icon.png'), join(icons, '512x512', 'apps', 'earshot.png'));
  put(join(dirname(node), '..', 'LICENSE'), join(share, 'doc', 'earshot', 'NODE-LICENSE'));
  put(join(home, 'files', 'user.service'), join(prefix, 'lib', 'systemd', 'user', 'earshot.service'));
  for (const name of ['LICENSE', 'THIRD-PARTY-NOTICES.md'])
    put(join(root, name), join(share, 'doc', 'earshot', name));
  setModes(prefix);
};

/** Bytes below a folder. */
export const sizeOf = (folder: string): number =>
  filesIn(folder).reduce((sum, path) => sum + statSync(path).size, 0);
