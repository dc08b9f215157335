import { join } from 'node:path';
import { expect, it } from 'vitest';
import { layoutOf } from '../../../electron/core/base/layout.ts';
import { silentLogger } from '../../../electron/core/base/logger.ts';
import { SettingsService } from '../../../electron/core/services/settings.ts';
import { openDatabase } from '../../../electron/core/stores/database.ts';
import { desktopConfig } from '../../../electron/main/config.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

it('downloads missing models automatically in the desktop program, unless that is turned off', async () => {
  const folder = temporaryFolder();
  const db = openDatabase(join(folder, 'test.db'), { logger: silentLogger, now: Date.now });
  const { overrides, defaults } = desktopConfig({
    version: '1.0.0',
    layout: layoutOf({ form: 'bundled', program: '/app' }),
    environment: {},
    platform: 'linux',
  });
  const desktop = new SettingsService(db, overrides, defaults);
  expect(new SettingsService(db, {}).get('models.autoInstall')).toBe(false);
  expect(desktop.list().data.find(({ key }) => key === 'models.autoInstall')).toMatchObject({
    value: true,
    default: true,
    source: 'default',
  });
  desktop.change({ 'models.autoInstall': false });
  expect(desktop.get('models.autoInstall')).toBe(false);
  desktop.change({ 'models.autoInstall': null });
  expect(desktop.get('models.autoInstall')).toBe(true);
  db.close();
});
