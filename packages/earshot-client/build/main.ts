// Builds the package `earshot-client` into a folder for `npm pack` and `npm publish`:
//
//   node packages/earshot-client/build/main.ts [folder]        default: packages/earshot-client/dist

import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { operationsText } from './operations-text.ts';

const home = resolve(import.meta.dirname, '..');
const root = resolve(home, '..', '..');

const Manifest = z.looseObject({ version: z.string() });

/** Modules shared with the window and the command line. */
const SHARED = ['event-stream.ts', 'http-client.ts', 'put-file.ts'];
/** The one package that they import. Its sources are compiled into a folder of ours, so that the client needs none. */
const PARSER = 'eventsource-parser';
const PARSER_SOURCES = ['errors.ts', 'index.ts', 'parse.ts', 'types.ts'];

const COMPILER = {
  target: 'ES2022',
  lib: ['ES2024', 'DOM', 'DOM.Iterable'],
  module: 'nodenext',
  moduleResolution: 'nodenext',
  types: [],
  strict: true,
  exactOptionalPropertyTypes: false,
  noUncheckedIndexedAccess: true,
  verbatimModuleSyntax: true,
  declaration: true,
  noEmitOnError: true,
};

/** Rewrites relative imports to one flat folder of compiled files, and those of the parser to its folder in it. */
const flattenImports = (text: string): string =>
  text
    .replace(/(from ')[^']*?([\w-]+)\.ts'/g, (_, from: string, name: string) => `${from}./${name}.js'`)
    .replace(`from '${PARSER}'`, `from './${PARSER}/index.js'`);

const build = (out: string): void => {
  const { version } = Manifest.parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')));
  const folder = mkdtempSync(join(tmpdir(), 'earshot-client-'));
  try {
    rmSync(out, { recursive: true, force: true });
    const parser = join(root, 'node_modules', PARSER);
    for (const parent of [folder, out]) mkdirSync(join(parent, PARSER), { recursive: true });
    const put = (name: string, text: string) => writeFileSync(join(folder, name), flattenImports(text));
    for (const name of SHARED) put(name, readFileSync(join(root, 'electron', 'contract', name), 'utf8'));
    put('index.ts', readFileSync(join(home, 'src', 'index.ts'), 'utf8'));
    put('operations.ts', operationsText(version));
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
    const configuration = {
      compilerOptions: { ...COMPILER, outDir: out, rootDir: '.' },
      include: ['**/*.ts'],
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(configuration));
    for (const name of PARSER_SOURCES)
      put(join(PARSER, name), readFileSync(join(parser, 'src', name), 'utf8'));
    copyFileSync(join(parser, 'LICENSE'), join(out, PARSER, 'LICENSE'));
    const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
    execFileSync(process.execPath, [compiler, '--project', folder], { stdio: ['ignore', 2, 2] });
    const manifest = Manifest.parse(JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')));
    writeFileSync(join(out, 'package.json'), `${JSON.stringify({ ...manifest, version }, undefined, 2)}\n`);
    copyFileSync(join(home, 'README.md'), join(out, 'README.md'));
    copyFileSync(join(root, 'LICENSE'), join(out, 'LICENSE'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

const out = resolve(process.argv[2] ?? join(home, 'dist'));
build(out);
process.stdout.write(`${out}\n`);
