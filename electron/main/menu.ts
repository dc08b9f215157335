import type { MenuItemConstructorOptions } from 'electron';
import type { DesktopTexts } from './texts/index.ts';

export type MenuActions = {
  /** Opens a screen of the window by its address after the `#`. */
  readonly show: (hash: string) => void;
  readonly openFiles: () => void;
  readonly openDocumentation: () => void;
  readonly showLogs: () => void;
  /** Goes through the places that the window has shown. */
  readonly back: () => void;
  readonly forward: () => void;
  /** Opens the menu from the keyboard. */
  readonly showMenu: () => void;
  /** Changes the window's zoom by steps; 0 resets it. */
  readonly zoom: (steps: number) => void;
  /** Whether the system starts the program at login. */
  readonly startsAtLogin: boolean;
  readonly setStartsAtLogin: (isOn: boolean) => void;
};

type Item = MenuItemConstructorOptions;
type Role = NonNullable<Item['role']>;

const separator: Item = { type: 'separator' };
const role = (name: Role, label: string): Item => ({ role: name, label });

const appMenu = (texts: DesktopTexts, settings: readonly Item[]): Item => ({
  role: 'appMenu',
  submenu: [
    role('about', texts.about),
    separator,
    ...settings,
    separator,
    role('services', texts.services),
    separator,
    role('hide', texts.hide),
    role('hideOthers', texts.hideOthers),
    role('unhide', texts.unhide),
    separator,
    role('quit', texts.quit),
  ],
});

const editMenu = (texts: DesktopTexts): Item => ({
  label: texts.edit,
  submenu: [
    role('undo', texts.undo),
    role('redo', texts.redo),
    separator,
    role('cut', texts.cut),
    role('copy', texts.copy),
    role('paste', texts.paste),
    role('selectAll', texts.selectAll),
  ],
});

/** Further keys of an item that Electron's roles do not have, such as those of the numeric keypad. */
const hidden = (accelerator: string, click: () => void): Item => ({
  label: accelerator,
  accelerator,
  visible: false,
  click,
});

const viewMenu = (
  texts: DesktopTexts,
  { show, back, forward, zoom, showMenu }: MenuActions,
  isMac: boolean,
): Item => {
  const screens = [
    [texts.library, '/'],
    [texts.queue, '/queue'],
    [texts.files, '/files'],
    [texts.models, '/models'],
    ['API', '/api'],
  ] as const;
  return {
    label: texts.view,
    submenu: [
      { label: texts.back, accelerator: isMac ? 'Cmd+[' : 'Alt+Left', click: back },
      { label: texts.forward, accelerator: isMac ? 'Cmd+]' : 'Alt+Right', click: forward },
      separator,
      ...screens.map(
        ([label, hash], index): Item => ({
          label,
          accelerator: `CmdOrCtrl+${index + 1}`,
          click: () => show(hash),
        }),
      ),
      separator,
      role('resetZoom', texts.resetZoom),
      role('zoomIn', texts.zoomIn),
      role('zoomOut', texts.zoomOut),
      hidden('CmdOrCtrl+=', () => zoom(1)),
      hidden('CmdOrCtrl+numadd', () => zoom(1)),
      hidden('CmdOrCtrl+numsub', () => zoom(-1)),
      hidden('CmdOrCtrl+num0', () => zoom(0)),
      ...(isMac ? [] : [hidden('F10', showMenu)]),
      separator,
      role('togglefullscreen', texts.fullScreen),
    ],
  };
};

const windowMenu = (texts: DesktopTexts, isMac: boolean): Item => ({
  label: texts.window,
  submenu: [
    role('minimize', texts.minimize),
    ...(isMac
      ? [role('zoom', texts.zoom), separator, role('front', texts.front)]
      : [role('close', texts.close)]),
  ],
});

/** The native menu: the platform's editing and window entries, and links to the window's screens. */
export const menuTemplate = (
  platform: NodeJS.Platform,
  texts: DesktopTexts,
  actions: MenuActions,
): Item[] => {
  const { show, openFiles, openDocumentation, showLogs, startsAtLogin, setStartsAtLogin } = actions;
  const isMac = platform === 'darwin';
  const settings: readonly Item[] = [
    { label: texts.settings, accelerator: 'CmdOrCtrl+,', click: () => show('/settings') },
    {
      type: 'checkbox',
      label: texts.startAtLogin,
      checked: startsAtLogin,
      click: ({ checked }) => setStartsAtLogin(checked),
    },
  ];
  return [
    ...(isMac ? [appMenu(texts, settings)] : []),
    {
      label: texts.file,
      submenu: [
        { label: texts.transcribe, accelerator: 'CmdOrCtrl+O', click: openFiles },
        separator,
        ...(isMac ? [role('close', texts.close)] : [...settings, separator, role('quit', texts.quit)]),
      ],
    },
    editMenu(texts),
    viewMenu(texts, actions, isMac),
    windowMenu(texts, isMac),
    {
      role: 'help',
      label: texts.help,
      submenu: [
        { label: texts.documentation, click: openDocumentation },
        { label: texts.updates, click: () => show('/settings/about') },
        { label: texts.logs, click: showLogs },
      ],
    },
  ];
};
