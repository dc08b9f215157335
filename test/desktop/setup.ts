import { missingTools } from '../../electron/cli/bootstrap/system-tools.mjs';
import { desktopProgram } from './program.ts';
import { openScreen } from './screen.ts';

/**
 * Prepares the program and a screen for it, and gives both to the tests (EARSHOT_TEST_DESKTOP, see drive.ts). Where one of
 * them is not to be had, a line says so, and the tests are skipped.
 */
export default async function setup(): Promise<(() => void) | undefined> {
  const missing =
    process.platform === 'linux'
      ? await missingTools(['screen'])
      : 'they press keys on an X screen of their own';
  const program = missing ?? (await desktopProgram());
  if (typeof program === 'string') {
    process.stderr.write(`! desktop    its tests are skipped: ${program}\n`);
    return undefined;
  }
  const screen = await openScreen();
  process.stderr.write(`· desktop    in Electron ${program.electron}\n`);
  process.env.EARSHOT_TEST_DESKTOP = JSON.stringify({ ...program, environment: screen.environment });
  return screen.close;
}
