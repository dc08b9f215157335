// The native speech engine: found in its cache, else built there once.

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { SetupError } from './errors.mjs';
import { root } from './places.mjs';
import { runHelper } from './processes.mjs';
import { step } from './progress.mjs';
import { ensureTools } from './system-tools.mjs';

const buildScript = join(root, 'native', 'build.mjs');

function buildProgram(cli) {
  return `import { buildAddon } from ${JSON.stringify(pathToFileURL(buildScript).href)};
await buildAddon({ cli: ${cli}, log: (line) => console.log(line) });`;
}

/**
 * Finds or builds the addon and tells the programs that follow where it is.
 * Also takes whisper.cpp's own program, which the tests and benches compare with, when `cli` is set.
 *
 * @param {{ node: string, cli?: boolean }} options `node`: the Node that runs the build
 */
export async function ensureEngine({ node, cli = false }) {
  const { addonPath, whisperCliPath } = await import(pathToFileURL(buildScript).href);
  const isThere = () => addonPath() && (!cli || whisperCliPath());
  if (!isThere()) {
    await ensureTools(['cmake', 'compiler', 'make']);
    await step('engine', 'building the speech engine, once for this machine', (note) =>
      // In a process of its own, so that Ctrl-C can stop CMake and the compilers together.
      runHelper(node, ['--input-type=module', '--eval', buildProgram(cli)], {
        name: 'engine',
        failure: 'The speech engine could not be built',
        onLine: (line) => {
          const percent = /^\s+(\d+ %)/.exec(line)?.[1];
          if (percent) note(`compiling the speech engine: ${percent}`);
        },
      }),
    );
  }
  const addon = addonPath();
  if (!addon) throw new SetupError('The speech engine was built, but is not in its cache.');
  process.env.EARSHOT_ADDON = addon;
  if (cli) process.env.EARSHOT_WHISPER_CLI = whisperCliPath();
}
