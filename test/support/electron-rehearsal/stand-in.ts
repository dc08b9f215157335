import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Marks where Electron's binary keeps its fuses (@electron/fuses); then version 1, their number, and one digit each. */
const FUSES = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX\u0001\u00091011001111';

/**
 * Writes a folder that electron-builder takes for Electron's own (`electronDist`): its binary starts the rehearsal's host,
 * which the environment names.
 */
export const writeStandIn = (folder: string): void => {
  mkdirSync(join(folder, 'resources'), { recursive: true });
  mkdirSync(join(folder, 'locales'));
  for (const language of ['en-US', 'de', 'es', 'fr', 'ja'])
    writeFileSync(join(folder, 'locales', `${language}.pak`), language);
  writeFileSync(join(folder, 'version'), 'rehearsal');
  const binary = join(folder, 'electron');
  writeFileSync(
    binary,
    `#!/bin/sh\nexec "$EARSHOT_REHEARSAL_NODE" "$EARSHOT_REHEARSAL_HOST" "$0" "$@"\n# ${FUSES}\n`,
    'latin1',
  );
  chmodSync(binary, 0o755);
};
