// The rehearsal: runs a packaged main process over Node and a real Chromium window in place of Electron. Started by the
// stand-in for Electron's binary (stand-in.ts) as `node host.ts <binary> [arguments …]`.
//
// Implements what the main process uses of Electron's API and fails on every other call. It shows that the package holds
// what its code needs and that the code does its work; it says nothing about Electron itself.

import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { extractAll } from '@electron/asar';

const [binary = '', ...args] = process.argv.slice(2);
const resources = join(dirname(binary), 'resources');

// Reading from the archive is Electron's work: the rehearsal unpacks it, into a folder without other packages around it.
const program = mkdtempSync(join(tmpdir(), 'earshot-rehearsal-'));
process.on('exit', () => rmSync(program, { recursive: true, force: true }));
extractAll(join(resources, 'app.asar'), program);
cpSync(join(resources, 'app.asar.unpacked'), program, { recursive: true });

Object.defineProperty(process, 'resourcesPath', { value: resources });
process.env.EARSHOT_REHEARSAL_PROGRAM = program;
process.argv = [binary, ...args];

const electron = pathToFileURL(join(import.meta.dirname, 'electron.ts')).href;
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'electron' ? { url: electron, shortCircuit: true } : next(specifier, context),
});

await import(pathToFileURL(join(program, 'out', 'main', 'index.js')).href);
