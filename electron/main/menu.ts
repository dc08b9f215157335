import type { MenuItemConstructorOptions } from 'electron';

export type MenuActions = {
  /** Opens a page of the window, as its address after the `#`. */
  readonly show: (hash: string) => void;
  readonly openFiles: () => void;
  readonly openDocumentation: () => void;
};

/** The native menu. Editing and window entries are the platform's own; the rest leads to pages of the window. */
export const menuTemplate = (
  platform: NodeJS.Platform,
  { show, openFiles, openDocumentation }: MenuActions,
): MenuItemConstructorOptions[] => {
  const mac = platform === 'darwin';
  const settings: MenuItemConstructorOptions = {
    label: 'Settings…',
    accelerator: 'CmdOrCtrl+,',
    click: () => show('/settings'),
  };
  const separator: MenuItemConstructorOptions = { type: 'separator' };
  return [
    ...(mac
      ? [
          {
            role: 'appMenu' as const,
            submenu: [
              { role: 'about' as const },
              separator,
              settings,
              separator,
              { role: 'services' as const },
              separator,
              { role: 'hide' as const },
              { role: 'hideOthers' as const },
              { role: 'unhide' as const },
              separator,
              { role: 'quit' as const },
            ],
          },
        ]
      : []),
    {
      label: 'File',
      submenu: [
        { label: 'Transcribe Files…', accelerator: 'CmdOrCtrl+O', click: openFiles },
        separator,
        ...(mac ? [{ role: 'close' as const }] : [settings, separator, { role: 'quit' as const }]),
      ],
    },
    { role: 'editMenu' },
    {
      label: 'View',
      submenu: [
        { label: 'Library', accelerator: 'CmdOrCtrl+1', click: () => show('/') },
        { label: 'Queue', accelerator: 'CmdOrCtrl+2', click: () => show('/queue') },
        { label: 'Files', accelerator: 'CmdOrCtrl+3', click: () => show('/files') },
        { label: 'Models', accelerator: 'CmdOrCtrl+4', click: () => show('/models') },
        { label: 'API', accelerator: 'CmdOrCtrl+5', click: () => show('/api') },
        separator,
        { role: 'resetZoom' },
        { role: 'zoomIn' },
        { role: 'zoomOut' },
        separator,
        { role: 'togglefullscreen' },
      ],
    },
    { role: 'windowMenu' },
    { role: 'help', submenu: [{ label: 'API Documentation', click: openDocumentation }] },
  ];
};
