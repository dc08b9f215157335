import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { rename, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { isDeepStrictEqual, promisify } from 'node:util';
import { listPackage } from '@electron/asar';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Client, createClient } from '../../../electron/contract/client.ts';
import { LAYOUT } from '../../../electron/core/base/layout.ts';
import { findFfmpeg } from '../../../electron/core/engines/ffmpeg/tools.ts';
import { cacheDir } from '../../../native/build.mjs';
import { fusesOf } from '../../desktop/rehearsal/electron.ts';
import { slow } from '../../faults/support/behaviors.ts';
import { testAddon } from '../../support/addon.ts';
import { talk } from '../../support/audio.ts';
import { breadth } from '../../support/breadth.ts';
import { writeStandIn } from '../../support/electron-rehearsal/stand-in.ts';
import { fixturePath, ONE_SENTENCE } from '../../support/fixtures.ts';
import { ROOT } from '../../support/paths.ts';
import { QUICK } from '../../support/server.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';
import { startUrlServer, type UrlServer } from '../../support/url-server.ts';

const FEED = 'https://updates.example.com/latest.json';

/** A recording of several chunks, whose last one arrives once it is released: until then its job cannot end. */
const LONG = breadth(talk(45, 20), talk(233, 10));
let remote: UrlServer;
const heldRecording = (): { readonly url: string; release(): void } => {
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  return { url: remote.set('/long.wav', slow(LONG, 1_000_000, held)), release };
};

/** Starts a job that goes on until its recording is released. */
const startLongJob = async (
  client: Client,
  url: string,
  model?: string,
): Promise<{ readonly id: string }> => {
  await client.call('patchSettings', { body: { 'network.allowPrivateAddresses': true } });
  // A range is read as it arrives.
  const body = { audio_url: url, audio_end_at: 1000, ...(model === undefined ? {} : { model }) };
  const { id } = await client.call('createTranscript', { body });
  return { id };
};

const untilFirstChunk = (client: Client, params: { readonly id: string }): Promise<unknown> =>
  until(async () => (await client.call('getTranscript', { params })).segments.length > 0);

/** The packed program, away from where it was built. */
let program: string;

/** A folder to bring along: programs that run the ffmpeg of this machine, and a license. */
const ffmpegFolder = async (): Promise<string> => {
  const folder = temporaryFolder();
  const tools = await findFfmpeg({ environment: process.env, platform: process.platform });
  for (const [name, path] of Object.entries(tools))
    await writeFile(join(folder, name), `#!/bin/sh\nexec '${path}' "$@"\n`, { mode: 0o755 });
  await writeFile(join(folder, 'COPYING.txt'), 'As this machine has it.');
  return folder;
};

/** The system's programs without ffmpeg, so that only the package has one. */
let systemPath: string;

beforeAll(async () => {
  remote = await startUrlServer();
  systemPath = temporaryFolder();
  const programs = new Map<string, string>();
  for (const folder of ['/usr/bin', '/bin', '/usr/sbin'])
    for (const name of readdirSync(folder)) {
      if (!/^ff(?:mpeg|probe)$/.test(name)) programs.set(name, join(folder, name));
    }
  for (const [name, path] of programs) await symlink(path, join(systemPath, name));
  const electron = join(temporaryFolder(), 'electron');
  writeStandIn(electron);
  const out = temporaryFolder();
  await promisify(execFile)(
    process.execPath,
    [
      join(ROOT, 'packages', 'desktop', 'build', 'main.ts'),
      '--dir',
      '--linux',
      `-c.directories.output=${out}`,
    ],
    {
      cwd: ROOT,
      env: {
        ...process.env,
        NODE_COMPILE_CACHE: join(cacheDir(), 'code'),
        EARSHOT_ADDON: await testAddon(),
        EARSHOT_ELECTRON_DIST: electron,
        EARSHOT_FFMPEG_DIR: await ffmpegFolder(),
        EARSHOT_UPDATE_FEED: FEED,
      },
    },
  );
  program = join(temporaryFolder(), 'Earshot');
  await rename(join(out, 'linux-unpacked'), program);
});

afterAll(() => remote.close());

type Note = Readonly<Record<string, unknown>> & { readonly event: string };

/** A run of the packed program in the rehearsal. */
type Run = {
  readonly child: ChildProcess;
  /** What the program asked of the desktop so far. */
  readonly notes: readonly Note[];
  client(): Promise<Client>;
  /** What a person or the system does; see the rehearsal's `perform`. */
  do(deed: Readonly<Record<string, unknown>>): void;
  /** Resolves with the first note after those that were taken before. */
  next(event: string, details?: Readonly<Record<string, unknown>>): Promise<Note>;
  /** Quits as the system asks for it; returns the exit code. */
  quit(): Promise<number | null>;
};

const running = new Set<ChildProcess>();
afterEach(() => {
  for (const child of running) child.kill('SIGKILL');
  running.clear();
});

const start = (dataDir: string): Run => {
  const { EARSHOT_ADDON, FFMPEG_PATH, FFPROBE_PATH, ...environment } = process.env;
  const child = spawn(join(program, 'earshot'), [], {
    cwd: program,
    env: {
      ...environment,
      PATH: systemPath,
      EARSHOT_REHEARSAL_NODE: process.execPath,
      EARSHOT_REHEARSAL_HOST: join(ROOT, 'test', 'support', 'electron-rehearsal', 'host.ts'),
      EARSHOT_DATA_DIR: dataDir,
      EARSHOT_DEMO: '1',
      XDG_CONFIG_HOME: join(dataDir, 'config'),
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  running.add(child);
  const notes: Note[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => notes.push(JSON.parse(line)));
  const server = join(dataDir, 'server.json');
  let taken = 0;
  const next = async (event: string, details: Readonly<Record<string, unknown>> = {}) => {
    const wanted = { event, ...details };
    const found = await until(() => {
      const index = notes.findIndex(
        (each, place) => place >= taken && isDeepStrictEqual({ ...each, ...wanted }, each),
      );
      return index === -1 ? undefined : { index };
    });
    taken = found.index + 1;
    const note = notes[found.index];
    if (note === undefined) throw new Error('A note cannot disappear.');
    return note;
  };
  return {
    child,
    notes,
    do: (deed) => void child.stdin?.write(`${JSON.stringify(deed)}\n`),
    next,
    client: async () => {
      await next('window', { heading: 'Library' });
      const { url }: { url: string } = JSON.parse(readFileSync(server, 'utf8'));
      return createClient({ baseUrl: url, key: readFileSync(join(dataDir, 'local-key'), 'utf8').trim() });
    },
    quit: async () => {
      child.kill('SIGTERM');
      const [code] = await once(child, 'exit');
      return code;
    },
  };
};

const QUESTION = {
  message: 'A transcription is running.',
  buttons: ['Quit Earshot', 'Keep Running'],
};
/** The answer to {@link QUESTION} that keeps the program running. */
const KEEP_RUNNING = 1;

/** Transcribes a recording that a second start opens, over the program's menus, tray, notifications and window. */
const useDesktop = async (run: Run, client: Client, dataDir: string): Promise<void> => {
  run.do({ menu: 'Show Logs' });
  await run.next('open-path', { path: join(dataDir, 'logs') });
  const autostart = join(dataDir, 'config', 'autostart', 'app.earshot.desktop.desktop');
  expect(existsSync(autostart)).toBe(false);
  run.do({ menu: 'Start at Login' });
  await until(() => existsSync(autostart));

  run.do({ secondStart: ['earshot://queue', fixturePath(ONE_SENTENCE)] });
  await run.next('window-focused');
  await run.next('load', { place: '#/queue' });
  const form = await run.next('load');
  const stored = new URLSearchParams(String(form.place).split('?')[1]).get('stored');
  run.do({ press: 'Close' });

  run.do({ tray: 'Pause Queue' });
  await until(async () => (await client.call('getQueue')).data.paused);
  const { id } = await client.call('createTranscript', {
    body: { audio_url: `storage:${stored}` },
  });
  await run.next('tray', { text: 'Earshot – 1 waiting · The queue is paused' });
  run.do({ tray: 'Resume Queue' });
  await run.next('power-save-blocker', { type: 'prevent-app-suspension' });
  await run.next('power-save-blocker', { type: 'none' });
  const shares = run.notes.flatMap(({ event, share }) => (event === 'progress-bar' ? [Number(share)] : []));
  expect(shares.some((share) => share >= 0)).toBe(true);
  expect(shares.at(-1)).toBe(-1);
  await run.next('notification', { title: 'Transcription finished', body: ONE_SENTENCE });
  const { status, text } = await client.call('getTranscript', { params: { id } });
  expect([status, text]).toEqual(['completed', expect.stringMatching(/\w+ \w+/)]);
  run.do({ clickNotification: true });
  await run.next('window', { place: `#/transcript/${id}` });

  // The second word of the text.
  const word = `(async () => {
    let word;
    while ((word = document.querySelector('[data-w="1"]')) === null) await new Promise(requestAnimationFrame);
    const { x, y, width, height } = word.getBoundingClientRect();
    return { x: x + width / 2, y: y + height / 2, pageURL: location.href };
  })()`;
  run.do({ evaluate: word });
  const { value } = await run.next('evaluated');
  const place = { linkURL: '', isEditable: false, selectionText: '', misspelledWord: '' };
  run.do({ clickAt: { ...place, ...Object(value) } });
  await run.next('context-menu', { labels: ['Play from This Word'] });
  run.do({ contextMenu: 'Play from This Word' });
  const playing = `(async () => {
    while (!(Number(document.querySelector('.w.play')?.dataset.w) >= 1)) await new Promise(requestAnimationFrame);
  })()`;
  run.do({ evaluate: playing });
  await run.next('evaluated');
  run.do({ menu: 'Queue' });
  await run.next('window', { place: '#/queue' });
};

/** Asks to quit in a job, which goes on, and crashes the window, then the service, after which the program starts again. */
const crash = async (run: Run, client: Client, params: { readonly id: string }): Promise<void> => {
  await run.next('progress-bar');
  run.do({ answer: KEEP_RUNNING });
  run.do({ menu: 'Quit Earshot' });
  await run.next('message-box', QUESTION);
  expect((await client.call('getTranscript', { params })).status).toBe('processing');

  // A page of the service may not ask the program for anything.
  run.do({ evaluate: "window.earshot.ask('restart')" });
  await run.next('evaluated');
  run.do({ crashWindow: true });
  await run.next('window', { heading: 'This window crashed' });
  expect((await client.call('getTranscript', { params })).status).toBe('processing');
  run.do({ press: 'Open Again' });
  await run.next('window', { place: '#/queue' });

  expect(run.notes.some(({ event }) => event === 'relaunch')).toBe(false);
  run.do({ crashService: true });
  await run.next('window', { heading: 'Earshot has stopped because of an error' });
  run.do({ press: 'Restart Earshot' });
  await run.next('relaunch');
  await run.next('exit', { code: 0 });
};

/** Closes the last window in a job, which asks to quit, and keeps the program running. */
const closeInJob = async (run: Run, dataDir: string): Promise<void> => {
  await run.next('progress-bar');
  run.do({ answer: KEEP_RUNNING });
  run.do({ closeWindow: true });
  await run.next('message-box', QUESTION);
  expect(JSON.parse(readFileSync(join(dataDir, 'electron-userData', 'window.json'), 'utf8'))).toEqual({
    ...{ x: 0, y: 0, width: 1280, height: 860 },
    maximized: false,
  });
};

/** Resumes a job and quits in it by the menu, then starts once more and closes the window while no job runs. */
const quitByMenuThenWindow = async (dataDir: string, params: { readonly id: string }): Promise<void> => {
  const third = start(dataDir);
  const resumed = await (await third.client()).call('getTranscript', { params });
  expect(resumed.segments.length).toBeGreaterThan(0);
  third.do({ menu: 'Quit Earshot' });
  await third.next('message-box', QUESTION);
  await third.next('exit', { code: 0 });
  const fourth = start(dataDir);
  await (await fourth.client()).call('cancelTranscript', { params });
  await fourth.next('power-save-blocker', { type: 'none' });
  fourth.do({ closeWindow: true });
  await fourth.next('exit', { code: 0 });
  const notes = [...third.notes, ...fourth.notes];
  expect(notes.filter(({ event }) => /error/.test(event))).toEqual([]);
  expect(fourth.notes.filter(({ event }) => event === 'message-box')).toEqual([]);
};

describe('ffmpeg in the desktop package', () => {
  it('comes with its license, or not at all', async () => {
    const folder = temporaryFolder();
    for (const name of ['ffmpeg', 'ffprobe']) await writeFile(join(folder, name), '');
    const packing = promisify(execFile)(
      process.execPath,
      [join(ROOT, 'packages', 'desktop', 'build', 'main.ts'), '--dir'],
      { cwd: ROOT, env: { ...process.env, EARSHOT_ADDON: await testAddon(), EARSHOT_FFMPEG_DIR: folder } },
    );
    await expect(packing).rejects.toMatchObject({ stderr: expect.stringMatching(/lacks .*license/) });
  });
});

describe.runIf(process.platform === 'linux')('the desktop package', () => {
  it('holds what the layout names, and no sources, tests or maps', () => {
    const archive = listPackage(join(program, 'resources', 'app.asar'), { isPack: false });
    const outside = globSync('**/*', { cwd: join(program, 'resources') }).map((path) => `/${path}`);
    for (const part of Object.values(LAYOUT)) {
      if (part === LAYOUT.commandLine) continue;
      const files = part.in === 'program' ? archive : outside;
      expect(files, part.bundled).toContain(`/${part.bundled}`);
    }
    const all = [...archive, ...outside];
    expect(
      all.filter((path) => /\.(?:ts|tsx|map|cc|cpp|c|h|gyp|md\.bak)$|\/test\/|earshot\.db/.test(path)),
    ).toEqual([]);
    const packages = archive.flatMap(
      (path) => /^\/node_modules\/((?:@[^/]+\/)?[^/@]+)$/.exec(path)?.[1] ?? [],
    );
    const platform = `${process.platform}-${process.arch}`;
    expect(packages.toSorted()).toEqual(
      [
        '@node-rs/crc32',
        `@node-rs/crc32-${platform}-gnu`,
        'better-sqlite3',
        `sherpa-onnx-${platform}`,
        'sherpa-onnx-node',
      ].toSorted(),
    );
    expect(archive.filter((path) => /\/prebuilds\/./.test(path)).map((path) => basename(path))).toEqual([
      `${platform}.node`,
    ]);
    for (const name of ['LICENSE', 'THIRD-PARTY-NOTICES.md']) expect(archive).toContain(`/${name}`);
    const brought = outside.filter((path) => path.startsWith(`/${LAYOUT.ffmpeg.bundled}/`));
    expect(brought.map((path) => basename(path)).toSorted()).toEqual(['COPYING.txt', 'ffmpeg', 'ffprobe']);
  });

  it('has the fuses of its binary flipped: no Node by environment or option, and nothing but the archive', () => {
    // RunAsNode, cookie encryption, NODE_OPTIONS, --inspect, integrity of the archive, only the archive.
    expect(fusesOf(join(program, 'earshot')).slice(0, 6)).toBe('010011');
    const locales = globSync('*.pak', { cwd: join(program, 'locales') }).toSorted();
    expect(locales).toEqual(['de.pak', 'en-US.pak', 'es.pak', 'fr.pak']);
  });

  it('rehearsed: transcribes with its own engine, takes what the desktop offers, and survives crashes and quits in a job', async () => {
    const dataDir = temporaryFolder();
    const first = start(dataDir);
    const client = await first.client();
    // The window was there before the service.
    expect(first.notes.find(({ event }) => event === 'load')?.place).toBe('a page of the program');
    expect(first.notes.find(({ heading }) => heading === 'Library')).toMatchObject({
      handed: ['ask', 'onPlayFrom'],
    });
    const { data: settings } = await client.call('getSettings');
    expect(settings.find(({ key }) => key === 'updates.feed')).toMatchObject({
      value: FEED,
      source: 'default',
    });
    await client.call('patchSettings', { body: QUICK });
    await useDesktop(first, client, dataDir);
    expect(first.notes).toContainEqual({ event: 'utility-process', entry: 'out/main/worker.js' });
    const recording = heldRecording();
    const params = await startLongJob(client, recording.url);
    await untilFirstChunk(client, params);
    await crash(first, client, params);
    recording.release();

    const second = start(dataDir);
    const again = await second.client();
    const resumed = await again.call('getTranscript', { params });
    expect(resumed.segments.length).toBeGreaterThan(0);
    await until(async () => (await again.call('getTranscript', { params })).status === 'completed', 180_000);
    await second.next('notification', { title: 'Transcription finished' });
    // A job interrupted in its first chunk of up to four minutes costs less.
    const quit = await startLongJob(again, heldRecording().url, breadth('starter-parakeet', undefined));
    if (breadth(false, true)) await untilFirstChunk(again, quit);
    await closeInJob(second, dataDir);
    expect((await again.call('getTranscript', { params: quit })).status).toBe('processing');
    expect(await second.quit()).toBe(0);
    expect(existsSync(join(dataDir, 'server.json'))).toBe(false);
    expect(['secret', 'secret.sealed'].map((name) => existsSync(join(dataDir, name)))).toEqual([false, true]);
    if (breadth(false, true)) await quitByMenuThenWindow(dataDir, quit);
    expect([...first.notes, ...second.notes].filter(({ event }) => /error/.test(event))).toEqual([]);
  });
});
