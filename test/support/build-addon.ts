import { addonPath, buildAddon } from '../../native/build.mjs';

/** Builds the native addon if there is none yet, and gives its path to every test process. */
export default async function setup(): Promise<void> {
  process.env.EARSHOT_ADDON ??=
    addonPath() ?? (await buildAddon({ log: (line) => process.stderr.write(`${line}\n`) }));
}
