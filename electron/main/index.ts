import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  app,
  type BrowserWindow,
  dialog,
  ipcMain,
  Menu,
  type MessageBoxOptions,
  type OpenDialogOptions,
  powerMonitor,
  shell,
} from 'electron';
import { MEDIA_EXTENSIONS } from '../contract/media-kinds.ts';
import { messageOf } from '../core/base/errors.ts';
import { watchRecording } from './activity.ts';
import { watchService } from './crash.ts';
import { showStatus } from './desktop-status.ts';
import { createWindows } from './desktop-window.ts';
import { createInbox } from './inbox.ts';
import { BACKGROUND, createLoginItem } from './login-item.ts';
import { menuTemplate } from './menu.ts';
import { filesIn, openMediaFiles, placesIn, wholePaths } from './open-files.ts';
import { crashedPage, failedPage, startingPage, stoppedPage } from './pages.ts';
import { quitGracefully } from './quit.ts';
import { answerRequests } from './requests.ts';
import { originOf } from './security.ts';
import { layout, logFolder, loginToken, type Service, startService, windowOrigin } from './service.ts';
import { desktopTexts } from './texts/index.ts';
import { createWindowHolder } from './window-holder.ts';

/** The longest that a restart waits for a service in an unknown state. */
const CLOSE_LIMIT_MS = 5000;

const inbox = createInbox();

/** Takes what the system asks the program to open, from its first moment. */
const receiveOpenings = (front: () => void): void => {
  // Unpacked, Electron's own binary takes the folder of the program first.
  const given = (args: readonly string[]) => {
    const own = args.filter((arg, index) => index > 0 && !arg.startsWith('-'));
    return app.isPackaged ? own : own.slice(1);
  };
  app.on('second-instance', (_event, args, folder) => {
    front();
    inbox.put(wholePaths(given(args), folder));
  });
  inbox.put(wholePaths(given(process.argv), process.cwd()));
};
// macOS sends these before Electron is ready.
app.on('open-url', (event, link) => {
  event.preventDefault();
  inbox.put([link]);
});
app.on('open-file', (event, path) => {
  event.preventDefault();
  inbox.put([path]);
});

type Desktop = Awaited<ReturnType<typeof openDesktop>>;

/** A message in a window, or by itself; it blocks nothing but that window. */
const showMessage = (window: BrowserWindow | undefined, options: MessageBoxOptions) =>
  window === undefined ? dialog.showMessageBox(options) : dialog.showMessageBox(window, options);

/** The window with a starting state, before there is a service. */
const openDesktop = async () => {
  const texts = desktopTexts(app.getPreferredSystemLanguages());
  const running: { service?: Service; jobs: () => number; isUploading: boolean; hasStopped: boolean } = {
    jobs: () => 0,
    isUploading: false,
    hasStopped: false,
  };
  const following = new AbortController();
  const recording = watchRecording(() => holder.current()?.webContents.send('earshot:save-recording'));
  const close = async () => {
    following.abort();
    holder.current()?.destroy();
    await running.service?.close();
  };
  const quit = quitGracefully({
    app,
    ask: (question) => showMessage(holder.current(), question),
    front: () => void holder.front(),
    texts,
    work: () => ({
      jobs: running.hasStopped ? 0 : running.jobs(),
      isRecording: recording.isOn() && holder.current() !== undefined,
      isUploading: running.isUploading && holder.current() !== undefined,
    }),
    endsWithWindow: process.platform !== 'darwin',
    saveRecording: recording.save,
    close,
  });
  const windows = await createWindows({
    texts,
    preload: layout.preload,
    icon: join(layout.resources, 'icons', 'icon.png'),
    stateFile: join(app.getPath('userData'), 'window.json'),
    own: () => running.service && windowOrigin(running.service),
    onLeaving: () => {
      holder.leaving();
      recording.set(false);
      running.isUploading = false;
    },
    onCrash: (place) => holder.showPage(crashedPage(texts), place),
    onClose: (event, destroy) => void quit.onWindowClose(event, destroy),
    onSessionEnd: quit.now,
  });
  const holder = createWindowHolder({
    create: windows.create,
    firstPage: startingPage(texts),
    goTo: (window, place) => window.webContents.send('earshot:place', place),
  });
  if (!process.argv.includes(BACKGROUND)) holder.front();
  return { texts, running, following, recording, close, quit, windows, holder };
};

const showLogs = () => void shell.openPath(logFolder());

const showProblems = ({ texts, holder }: Desktop, problems: readonly string[]) =>
  showMessage(holder.front(), {
    type: 'warning',
    message: texts.filesNotOpened(problems.length),
    detail: problems.join('\n'),
    buttons: [texts.ok],
  });

/** Restarts the program, whose jobs resume at their checkpoints. */
const restart = (close: () => Promise<void>) => {
  app.relaunch();
  void Promise.race([close(), delay(CLOSE_LIMIT_MS)]).finally(() => app.exit(0));
};

const chooseFiles = async ({ texts, holder }: Desktop) => {
  const options: OpenDialogOptions = {
    title: texts.transcribe,
    properties: ['openFile', 'multiSelections'],
    filters: [
      { name: texts.recordings, extensions: [...MEDIA_EXTENSIONS] },
      { name: texts.allFiles, extensions: ['*'] },
    ],
  };
  const { filePaths } = await dialog.showOpenDialog(holder.front(), options);
  inbox.put(filePaths);
};

/** Goes to a place, or says why there is none to go to. */
const goTo = ({ texts, running, holder }: Desktop, place: string) => {
  if (running.service?.isDamaged !== true) holder.show(place);
  else
    void showMessage(holder.front(), { type: 'warning', message: texts.libraryDamaged, buttons: [texts.ok] });
};

/** What the menu does in the window itself. */
const windowActions = ({ current, front }: Desktop['holder']) => ({
  back: () => {
    const history = current()?.webContents.navigationHistory;
    const before = history?.getEntryAtIndex(history.getActiveIndex() - 1);
    // Not to a page of the program, such as the one of its start.
    if (before !== undefined && /^http/.test(before.url)) history?.goBack();
  },
  forward: () => current()?.webContents.navigationHistory.goForward(),
  zoom: (steps: number) => {
    const contents = current()?.webContents;
    contents?.setZoomLevel(steps === 0 ? 0 : contents.getZoomLevel() + steps / 2);
  },
  showMenu: () => Menu.getApplicationMenu()?.items[0]?.submenu?.popup({ window: front(), x: 0, y: 0 }),
});

const setMenu = (desktop: Desktop): void => {
  const { texts, holder, running } = desktop;
  const loginItem = createLoginItem({
    app,
    platform: process.platform,
    environment: process.env,
    home: homedir(),
    program: app.getPath('exe'),
  });
  const template = menuTemplate(process.platform, texts, {
    show: (place) => goTo(desktop, place),
    ...windowActions(holder),
    openFiles: () => void chooseFiles(desktop),
    openDocumentation: () => {
      if (running.service !== undefined) void shell.openExternal(`${running.service.url}/docs`);
    },
    showLogs,
    startsAtLogin: loginItem.isOn(),
    setStartsAtLogin: loginItem.set,
  });
  Menu.setApplicationMenu(Menu.buildFromTemplate(template));
};

const listen = ({ texts, running, recording, close, quit, windows, holder }: Desktop): void => {
  answerRequests(ipcMain, {
    isOwnPage: holder.isOwnPage,
    isService: (url) => running.service !== undefined && originOf(url) === windowOrigin(running.service),
    page: { restart: () => restart(close), reopen: () => holder.showService(), logs: showLogs },
    window: {
      token: () => running.service && loginToken(running.service),
      signedIn: holder.signedIn,
      setRecording: recording.set,
      setUploading: (isOn) => {
        running.isUploading = isOn;
      },
      recordingSaved: recording.saved,
      setTheme: windows.setTheme,
      setOnTop: (isOn) => holder.current()?.setAlwaysOnTop(isOn),
    },
  });
  watchService(process, (error) => {
    console.error(error);
    running.hasStopped = true;
    holder.showPage(stoppedPage(texts));
    holder.front();
  });
  app.on('activate', () => holder.front());
  app.on('window-all-closed', () => {
    if (process.platform !== 'darwin') app.quit();
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, quit.now);
  powerMonitor.on('shutdown', quit.now);
  receiveOpenings(() => holder.front());
};

/** Lets the window, the desktop's status, and what is to be opened reach the service. */
const connect = (desktop: Desktop, service: Service): void => {
  const { texts, running, following, holder } = desktop;
  running.service = service;
  holder.showService(windowOrigin(service));
  if (service.isDamaged) {
    inbox.openWith((args) => {
      if (placesIn(args).length + filesIn(args).length > 0) goTo(desktop, '/');
    });
    return;
  }
  const { url: baseUrl, localKey: key } = service;
  inbox.openWith((args) => {
    for (const place of placesIn(args)) holder.show(place);
    void openMediaFiles(filesIn(args), {
      baseUrl,
      key,
      texts,
      show: holder.show,
      showProblems: (problems) => void showProblems(desktop, problems),
    });
  });
  const status = showStatus({
    texts,
    resources: layout.resources,
    baseUrl,
    key,
    window: holder.current,
    front: () => void holder.front(),
    show: holder.show,
    openFiles: () => void chooseFiles(desktop),
    signal: following.signal,
  });
  running.jobs = status.runningJobs;
};

const run = async (): Promise<void> => {
  const desktop = await openDesktop();
  setMenu(desktop);
  listen(desktop);
  try {
    connect(desktop, await startService());
  } catch (error) {
    desktop.holder.showPage(failedPage(desktop.texts, messageOf(error)));
    desktop.holder.front();
  }
};

if (process.platform === 'win32') app.setAppUserModelId('app.earshot.desktop');
// The packages for macOS and Linux declare it.
if (process.platform === 'win32' && app.isPackaged) app.setAsDefaultProtocolClient('earshot');

if (app.requestSingleInstanceLock()) void app.whenReady().then(run);
else app.quit();
