import { addonPath, buildAddon } from '../../native/build.mjs';

/** Tells all tests where the speech engine is; builds it once if vitest was started without the set-up. */
export default async function setup(): Promise<void> {
  process.env.EARSHOT_ADDON ??=
    addonPath() ?? (await buildAddon({ log: (line) => process.stderr.write(`${line}\n`) }));
}
