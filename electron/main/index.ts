import { writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  app,
  BrowserWindow,
  dialog,
  Menu,
  type Session,
  screen,
  session,
  shell,
  utilityProcess,
} from 'electron';
import { createApp } from '../core/app.ts';
import type { AppError } from '../core/base/errors.ts';
import { layoutOf } from '../core/base/layout.ts';
import { isLibraryDamaged, serveDamagedPage } from '../core/damaged-page.ts';
import { desktopConfig } from './config.ts';
import { preloadArguments, splitLoginUrl } from './links.ts';
import { menuTemplate } from './menu.ts';
import { menuTexts } from './menu-texts.ts';
import { mediaFilesIn, openMediaFiles, placesIn } from './open-files.ts';
import { decideNavigation, decidePermission } from './security.ts';
import { fitWindow, MIN_SIZE, parseWindowState, type WindowState } from './window-state.ts';
import { forkElectronWorker } from './worker.ts';

type Service = Awaited<ReturnType<typeof createApp>>;

const layout = layoutOf({
  form: 'bundled',
  program: app.getAppPath(),
  ...(app.isPackaged ? { files: process.resourcesPath } : {}),
});
const stateFile = () => join(app.getPath('userData'), 'window.json');

const readWindowState = async (): Promise<WindowState> => {
  // Absent before the first exit.
  const text = await readFile(stateFile(), 'utf8').catch(() => undefined);
  return fitWindow(
    parseWindowState(text),
    screen.getAllDisplays().map((display) => display.workArea),
  );
};

const saveWindowState = (window: BrowserWindow): void => {
  const state = { ...window.getNormalBounds(), maximized: window.isMaximized() };
  writeFileSync(stateFile(), JSON.stringify(state));
};

const restrictPermissions = (of: Session, own: string): void => {
  of.setPermissionRequestHandler((_contents, permission, answer, details) =>
    answer(
      decidePermission(
        permission,
        details.requestingUrl,
        own,
        'mediaTypes' in details ? (details.mediaTypes ?? []) : [],
      ),
    ),
  );
  of.setPermissionCheckHandler((_contents, permission, origin) => decidePermission(permission, origin, own));
};

const restrictNavigation = (window: BrowserWindow, own: string): void => {
  const decide = (address: string) => {
    const decision = decideNavigation(address, own);
    if (decision === 'browser') void shell.openExternal(address);
    return decision;
  };
  window.webContents.on('will-navigate', (event, address) => {
    if (decide(address) !== 'stay') event.preventDefault();
  });
  window.webContents.setWindowOpenHandler(({ url }) => {
    // The program's other pages, such as the documentation, open in the browser, too.
    if (decide(url) === 'stay') void shell.openExternal(url);
    return { action: 'deny' };
  });
};

/** Where the window is loaded from: the service, or in `npm run dev` the dev server that forwards /v1 to it. */
const windowUrlOf = (service: Pick<Service, 'url'>): string => {
  const devServer = app.isPackaged ? undefined : process.env.ELECTRON_RENDERER_URL;
  return devServer === undefined ? service.url : new URL(devServer).origin;
};

const createWindow = (
  service: Pick<Service, 'url' | 'loginUrl'>,
  { maximized, ...place }: WindowState,
): BrowserWindow => {
  const login = { ...splitLoginUrl(service.loginUrl()), baseUrl: windowUrlOf(service) };
  const window = new BrowserWindow({
    ...place,
    minWidth: MIN_SIZE.width,
    minHeight: MIN_SIZE.height,
    show: false,
    title: 'Earshot',
    backgroundColor: '#f7f5f1',
    webPreferences: {
      preload: layout.preload,
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      additionalArguments: preloadArguments(login),
    },
  });
  restrictNavigation(window, login.baseUrl);
  if (maximized) window.maximize();
  window.once('ready-to-show', () => window.show());
  window.on('close', () => saveWindowState(window));
  void window.loadURL(`${login.baseUrl}/`);
  return window;
};

const config = () =>
  desktopConfig({
    version: app.getVersion(),
    layout,
    environment: process.env,
    platform: process.platform,
  });

const startService = (): Promise<Service> =>
  createApp(config(), {
    forkWorker: forkElectronWorker(utilityProcess.fork, layout.worker, process.env),
    analysisThread: pathToFileURL(layout.analysisThread),
    databaseThread: pathToFileURL(layout.databaseThread),
    renderingThread: pathToFileURL(layout.renderingThread),
  });

/** Shows the page of a library that does not open; the program ends with its window. */
const showDamaged = async (error: AppError): Promise<void> => {
  const { url, close } = await serveDamagedPage(config(), error);
  restrictPermissions(session.defaultSession, url);
  createWindow({ url, loginUrl: () => url }, await readWindowState());
  app.on('window-all-closed', () => void close().finally(() => app.exit(1)));
};

/** The window, created again when it is needed after it was closed, as on macOS. */
const createWindowHolder = (service: Service, state: WindowState) => {
  let window = createWindow(service, state);
  const front = (): BrowserWindow => {
    if (window.isDestroyed()) window = createWindow(service, state);
    if (window.isMinimized()) window.restore();
    window.focus();
    return window;
  };
  return { front, show: (hash: string) => void front().loadURL(`${windowUrlOf(service)}/#${hash}`) };
};

const quitGracefully = (service: Service): void => {
  let isClosing = false;
  app.on('before-quit', (event) => {
    if (isClosing) return;
    isClosing = true;
    event.preventDefault();
    void service.close().finally(() => app.quit());
  });
};

const run = async (): Promise<void> => {
  const [service, state] = await Promise.all([startService(), readWindowState()]);
  restrictPermissions(session.defaultSession, windowUrlOf(service));
  const { front, show } = createWindowHolder(service, state);
  const open = (paths: readonly string[]) =>
    void openMediaFiles(paths, {
      baseUrl: service.url,
      key: service.localKey,
      show,
      showError: (message) => dialog.showErrorBox('Earshot', message),
    });
  const openArguments = (args: readonly string[]) => {
    for (const place of placesIn(args)) show(place);
    open(mediaFilesIn(args));
  };
  const chooseFiles = async () => {
    const chosen = await dialog.showOpenDialog(front(), { properties: ['openFile', 'multiSelections'] });
    open(chosen.filePaths);
  };
  const texts = menuTexts(app.getPreferredSystemLanguages());
  const template = menuTemplate(process.platform, texts, {
    show,
    openFiles: () => void chooseFiles(),
    openDocumentation: () => void shell.openExternal(`${service.url}/docs`),
  });
  Menu.setApplicationMenu(Menu.buildFromTemplate(template));
  app.on('second-instance', (_event, args) => {
    front();
    openArguments(args.slice(1));
  });
  app.on('open-url', (event, link) => {
    event.preventDefault();
    openArguments([link]);
  });
  app.on('open-file', (event, path) => {
    event.preventDefault();
    open([path]);
  });
  app.on('activate', front);
  app.on('window-all-closed', () => {
    if (process.platform !== 'darwin') app.quit();
  });
  quitGracefully(service);
  openArguments(process.argv.slice(app.isPackaged ? 1 : 2));
};

if (app.requestSingleInstanceLock()) {
  app
    .whenReady()
    .then(run)
    .catch((error: unknown) => {
      if (isLibraryDamaged(error)) return showDamaged(error);
      throw error;
    })
    .catch((error: unknown) => {
      dialog.showErrorBox('Earshot could not start', error instanceof Error ? error.message : String(error));
      app.exit(1);
    });
} else app.quit();
