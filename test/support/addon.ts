import { addonPath, buildAddon, buildWhisperCli } from '../../native/build.mjs';

const log = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

/** The native addon's file, built on the first call on this machine and taken from the cache after that. */
export const testAddon = async (): Promise<string> =>
  process.env.EARSHOT_ADDON ?? addonPath() ?? (await buildAddon({ log, cli: true }));

/** whisper.cpp's own command-line program from the same source, built in the same way. */
export const testWhisperCli = async (): Promise<string> => buildWhisperCli({ log });
