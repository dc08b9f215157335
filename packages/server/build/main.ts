// Builds the package without Electron: a .deb and a .tar.gz with Node, the engine, the bundles and the window.
//
//   npm run package:server [-- --tar | --deb]        into dist/server/
//
// DEBFULLNAME and DEBEMAIL name the maintainer of the .deb.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { architecture, buildDeb } from './deb.ts';
import { root, sizeOf, writeTree } from './tree.ts';

const out = join(root, 'dist', 'server');

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

const { values: options } = parseArgs({ options: { deb: { type: 'boolean' }, tar: { type: 'boolean' } } });
const both = options.deb !== true && options.tar !== true;

const { EARSHOT_ADDON: addon } = process.env;
if (addon === undefined) throw new Error('The portable engine is not built: run npm run package:server.');
// Not the running one, which a distribution may have linked against its own libraries.
const node = join(root, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node');
if (!existsSync(node))
  throw new Error(`npm has no Node for ${process.platform}-${process.arch} to put into a package.`);
const Manifest = z.object({ version: z.string() });
const { version } = Manifest.parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')));
const name = `earshot-${version}-${process.platform}-${architecture()}`;
const tree = join(out, name);
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
writeTree(tree, { version, addon, node });
print(`${tree}  ${megabytes(sizeOf(tree))}`);
if (both || options.tar === true) {
  const file = join(out, `${name}.tar.gz`);
  const owner = ['--owner=0', '--group=0', '--numeric-owner', '--sort=name'];
  execFileSync('tar', ['-C', out, ...owner, '-czf', file, name]);
  print(`${file}  ${megabytes(statSync(file).size)}`);
}
if (both || options.deb === true) {
  const file = buildDeb(tree, { version, out });
  if (!process.env.DEBEMAIL) print('DEBEMAIL is not set: the .deb names no maintainer who can be reached.');
  print(`${file}  ${megabytes(statSync(file).size)}`);
}
