import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { ROOT } from '../../support/paths.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

export type Outcome = {
  code: number | null;
  stdout: string;
  stderr: string;
};

/** A project with the real set-up, a tiny lockfile and fake programs on its PATH. */
export type Project = {
  root: string;
  /** The only folder on the PATH. */
  bin: string;
  addProgram(name: string, script: string): void;
  addPackages(): void;
  /** The registry is a server that takes connections, unless `env` names another one. */
  run(args: string[], env?: Record<string, string>): Promise<Outcome>;
};

const MANIFEST = { name: 'copy', version: '1.0.0', type: 'module', dependencies: { leaf: '1.0.0' } };
const registry = createServer((socket) => socket.destroy());
registry.listen(0, '127.0.0.1').unref();

const registryAddress = (): string => {
  const address = registry.address();
  return address === null || typeof address === 'string' ? '' : `http://127.0.0.1:${address.port}/`;
};

const LEAF = { version: '1.0.0' };

const execute = (root: string, env: Record<string, string>, args: string[]): Promise<Outcome> =>
  new Promise((done, reject) => {
    const main = join(root, 'electron', 'cli', 'bootstrap', 'main.mjs');
    const child = spawn(process.execPath, [main, ...args], {
      cwd: root,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const outcome: Outcome = { code: null, stdout: '', stderr: '' };
    child.stdout.on('data', (chunk) => {
      outcome.stdout += String(chunk);
    });
    child.stderr.on('data', (chunk) => {
      outcome.stderr += String(chunk);
    });
    child.once('error', reject);
    child.once('close', (code) => done({ ...outcome, code }));
  });

/** Creates a project in a temporary folder. */
export const makeProject = (): Project => {
  const home = temporaryFolder();
  const root = join(home, 'project');
  const bin = join(home, 'bin');
  const bootstrap = join('electron', 'cli', 'bootstrap');
  mkdirSync(bin, { recursive: true });
  cpSync(join(ROOT, bootstrap), join(root, bootstrap), { recursive: true });
  writeFileSync(join(root, 'package.json'), JSON.stringify(MANIFEST));
  const locked = { lockfileVersion: 3, packages: { '': MANIFEST, 'node_modules/leaf': LEAF } };
  writeFileSync(join(root, 'package-lock.json'), JSON.stringify(locked));
  const addProgram = (name: string, script: string) =>
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  for (const name of ['sh', 'mkdir', 'sleep']) symlinkSync(join('/bin', name), join(bin, name));
  return {
    root,
    bin,
    addProgram,
    addPackages() {
      const leaf = join(root, 'node_modules', 'leaf');
      mkdirSync(leaf, { recursive: true });
      writeFileSync(join(leaf, 'package.json'), JSON.stringify({ name: 'leaf', ...LEAF }));
      const noted = { packages: { 'node_modules/leaf': LEAF } };
      writeFileSync(join(root, 'node_modules', '.package-lock.json'), JSON.stringify(noted));
    },
    run: (args, env = {}) =>
      execute(root, { HOME: home, PATH: bin, npm_config_registry: registryAddress(), ...env }, args),
  };
};
