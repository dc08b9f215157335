import { addonPath, buildAddon, buildWhisperCli } from '../../native/build.mjs';

const log = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

/** The native addon's path. Builds it unless it is in the cache. */
export const testAddon = async (): Promise<string> =>
  process.env.EARSHOT_ADDON ?? addonPath() ?? (await buildAddon({ log, cli: true }));

/** The path of whisper.cpp's own command-line program, built from the same source. */
export const testWhisperCli = async (): Promise<string> => buildWhisperCli({ log });
