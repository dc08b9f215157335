// `npm run package:rehearsal`: the packages around the older Electron, in dist/desktop/, if the pinned one's binary cannot be
// downloaded; `npm run package:verify` takes them as it takes the others.
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from '../../support/paths.ts';
import {
  lowerBundle,
  REHEARSAL_ELECTRON,
  rehearsalElectron,
  rehearsalSqlite,
  SQLITE_PREBUILT,
} from './electron.ts';

const electron = await rehearsalElectron();
const sqlite = await rehearsalSqlite();
const copy = mkdtempSync(join(dirname(electron), 'package-'));
try {
  for (const part of ['electron', 'native', 'node_modules', 'out', 'packages', 'resources'])
    execFileSync('cp', ['-a', join(ROOT, part), copy]);
  for (const file of ['package.json', 'electron-builder.yml', 'LICENSE', 'THIRD-PARTY-NOTICES.md'])
    copyFileSync(join(ROOT, file), join(copy, file));
  const bundle = join('out', 'main');
  rmSync(join(copy, bundle), { recursive: true });
  await lowerBundle(join(ROOT, bundle), join(copy, bundle));
  copyFileSync(sqlite, join(copy, 'node_modules', SQLITE_PREBUILT));
  const { status } = spawnSync(
    process.execPath,
    [
      join(copy, 'packages', 'desktop', 'build', 'main.ts'),
      `-c.electronVersion=${REHEARSAL_ELECTRON}`,
      // Its snapshot of the browser's process is Cypress's own, and was left out.
      '-c.electronFuses.loadBrowserProcessSpecificV8Snapshot=false',
    ],
    {
      cwd: copy,
      stdio: 'inherit',
      env: {
        ...process.env,
        EARSHOT_ELECTRON_DIST: electron,
        EARSHOT_PACKAGES: join(ROOT, 'dist', 'desktop'),
      },
    },
  );
  process.exitCode = status ?? 1;
} finally {
  rmSync(copy, { recursive: true, force: true });
}
