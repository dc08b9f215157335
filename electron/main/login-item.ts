import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Given to a program that the system starts at login: it stays in the tray until it is needed. */
export const BACKGROUND = '--background';

/** The part of Electron's `app` that this module uses. */
type LoginApp = {
  getLoginItemSettings(options: { args: string[] }): { readonly openAtLogin: boolean };
  setLoginItemSettings(settings: { openAtLogin: boolean; args: string[] }): void;
};

type Deps = {
  readonly app: LoginApp;
  readonly platform: NodeJS.Platform;
  readonly environment: NodeJS.ProcessEnv;
  readonly home: string;
  /** The program's binary. */
  readonly program: string;
};

export type LoginItem = { isOn(): boolean; set(isOn: boolean): void };

/** A quoted argument of a desktop entry's `Exec` (Desktop Entry Specification, "The Exec key"). */
const quoted = (argument: string): string =>
  `"${argument
    .replace(/[`$"\\]/g, '\\$&')
    .replaceAll('\\', '\\\\')
    .replaceAll('%', '%%')}"`;

const autostart = ({ environment, home, program }: Deps): LoginItem => {
  const file = join(
    environment.XDG_CONFIG_HOME ?? join(home, '.config'),
    'autostart',
    'app.earshot.desktop.desktop',
  );
  return {
    isOn: () => statSync(file, { throwIfNoEntry: false }) !== undefined,
    set: (isOn) => {
      if (!isOn) {
        rmSync(file, { force: true });
        return;
      }
      mkdirSync(dirname(file), { recursive: true });
      // An AppImage runs from a mount that changes with every start.
      const command = `${quoted(environment.APPIMAGE ?? program)} ${BACKGROUND}`;
      writeFileSync(file, `[Desktop Entry]\nType=Application\nName=Earshot\nExec=${command}\n`);
    },
  };
};

/** Whether the system starts the program at login: a setting of macOS and Windows, and a file in the autostart folder on Linux. */
export const createLoginItem = (deps: Deps): LoginItem => {
  if (deps.platform === 'linux') return autostart(deps);
  const args = [BACKGROUND];
  return {
    isOn: () => deps.app.getLoginItemSettings({ args }).openAtLogin,
    set: (openAtLogin) => deps.app.setLoginItemSettings({ openAtLogin, args }),
  };
};
