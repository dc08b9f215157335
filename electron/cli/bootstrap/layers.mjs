// Runs dependency-cruiser with TypeScript 6 for its parser: TypeScript 7 is a native program without the compiler API
// that dependency-cruiser reads sources with.

import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { modules } from './places.mjs';

registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier.replace(/^typescript(?=\/|$)/, 'typescript-6'), context),
});

await import(pathToFileURL(join(modules, 'dependency-cruiser', 'bin', 'dependency-cruiser.mjs')).href);
