#!/usr/bin/env node
// The `earshot` command as npm installs it: the same set-up, then the command line.
import './node-version.mjs';

process.argv.splice(2, 0, 'earshot');
await import('./main.mjs');
