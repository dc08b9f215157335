import type { MenuItemConstructorOptions } from 'electron';
import type { MenuTexts } from './menu-texts.ts';

export type MenuActions = {
  /** Opens a screen of the window by its address after the `#`. */
  readonly show: (hash: string) => void;
  readonly openFiles: () => void;
  readonly openDocumentation: () => void;
};

type Item = MenuItemConstructorOptions;
type Role = NonNullable<Item['role']>;

const separator: Item = { type: 'separator' };
const role = (name: Role, label: string): Item => ({ role: name, label });

const appMenu = (texts: MenuTexts, settings: Item): Item => ({
  role: 'appMenu',
  submenu: [
    role('about', texts.about),
    separator,
    settings,
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

const editMenu = (texts: MenuTexts): Item => ({
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

const viewMenu = (texts: MenuTexts, show: MenuActions['show']): Item => {
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
      separator,
      role('togglefullscreen', texts.fullScreen),
    ],
  };
};

const windowMenu = (texts: MenuTexts, isMac: boolean): Item => ({
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
  texts: MenuTexts,
  { show, openFiles, openDocumentation }: MenuActions,
): Item[] => {
  const isMac = platform === 'darwin';
  const settings: Item = {
    label: texts.settings,
    accelerator: 'CmdOrCtrl+,',
    click: () => show('/settings'),
  };
  return [
    ...(isMac ? [appMenu(texts, settings)] : []),
    {
      label: texts.file,
      submenu: [
        { label: texts.transcribe, accelerator: 'CmdOrCtrl+O', click: openFiles },
        separator,
        ...(isMac ? [role('close', texts.close)] : [settings, separator, role('quit', texts.quit)]),
      ],
    },
    editMenu(texts),
    viewMenu(texts, show),
    windowMenu(texts, isMac),
    {
      role: 'help',
      label: texts.help,
      submenu: [{ label: texts.documentation, click: openDocumentation }],
    },
  ];
};
