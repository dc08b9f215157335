import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { _electron, type ElectronApplication, type Page } from 'playwright-core';
import { describe as vitestDescribe } from 'vitest';
import { z } from 'zod';
import { type Client, createClient } from '../../electron/contract/client.ts';
import { ROOT } from '../support/paths.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

/** Set by setup.ts. */
const { EARSHOT_TEST_DESKTOP } = process.env;
const desktop =
  EARSHOT_TEST_DESKTOP === undefined
    ? undefined
    : z
        .object({
          executable: z.string(),
          args: z.array(z.string()),
          environment: z.record(z.string(), z.string()),
        })
        .parse(JSON.parse(EARSHOT_TEST_DESKTOP));

/** `describe`, skipped if there is no Electron or no screen; the set-up has said why. */
export const describe = vitestDescribe.skipIf(desktop === undefined);

const given = () => {
  if (desktop === undefined) throw new Error('There is no desktop program on this machine.');
  return desktop;
};

export const SAMPLE = join(ROOT, 'test', 'fixtures', 'audio', '01-short-note.wav');
/** A microphone that hears the sample. */
export const MICROPHONE = [
  '--use-fake-device-for-media-stream',
  '--use-fake-ui-for-media-stream',
  `--use-file-for-fake-audio-capture=${SAMPLE}`,
];

const ATTACH_MS = 40_000;
/** GTK gives its questions the name of the program. */
const QUESTION_TITLE = '';

const isRoot = process.getuid?.() === 0;
const SWITCHES = [...(isRoot ? ['--no-sandbox'] : []), '--disable-gpu'];

const environmentOf = (home: string): Record<string, string> => {
  const { XDG_CONFIG_HOME, XDG_DATA_HOME, NODE_OPTIONS, ...inherited } = process.env;
  const defined = Object.entries(inherited).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  );
  return {
    ...Object.fromEntries(defined),
    ...given().environment,
    HOME: home,
    LANG: 'en_US.UTF-8',
  };
};

/** A start as the system does it, beside a program that may be running; the caller ends it. */
export const startAlone = (home: string, ...args: string[]): ChildProcess => {
  const { executable, args: before } = given();
  return spawn(executable, [...SWITCHES, ...before, ...args], { env: environmentOf(home), stdio: 'ignore' });
};

/** A second start for the running program, which ends once that has taken over its arguments; returns its exit code. */
export const startAgain = async (home: string, ...args: string[]): Promise<number | null> => {
  const child = startAlone(home, ...args);
  const limit = setTimeout(() => child.kill('SIGKILL'), 30_000);
  const [code] = await once(child, 'exit');
  clearTimeout(limit);
  return code;
};

/** The folder of the library below a home. */
export const libraryIn = (home: string): string => join(home, '.local', 'share', 'earshot');

export const clientOf = (home: string): Client => {
  const { url }: { url: string } = JSON.parse(readFileSync(join(libraryIn(home), 'server.json'), 'utf8'));
  return createClient({ baseUrl: url, key: readFileSync(join(libraryIn(home), 'local-key'), 'utf8').trim() });
};

export type Run = {
  readonly app: ElectronApplication;
  readonly home: string;
  readonly child: ChildProcess;
  readonly startedAt: number;
  /** The window once it shows the library, signed in. */
  readonly window: () => Promise<Page>;
  /** The service's client, once it answers. */
  readonly client: () => Promise<Client>;
};

/** Whether the program's main process has ended. */
export const hasEnded = ({ child }: Pick<Run, 'child'>): boolean =>
  child.exitCode !== null || child.signalCode !== null;

export const untilEnded = (run: Pick<Run, 'child'>, ms = 15_000): Promise<unknown> =>
  until(() => hasEnded(run), ms);

export const isSignedIn = (page: Page): Promise<void> =>
  page.getByRole('navigation').first().waitFor({ state: 'attached', timeout: 20_000 });

/** Runs `use` with a started program, which is ended by force afterwards, whatever state it is in. */
export const withProgram = async (
  use: (run: Run) => Promise<void>,
  { args = [], home = temporaryFolder() }: { args?: readonly string[]; home?: string } = {},
): Promise<void> => {
  mkdirSync(home, { recursive: true });
  const { executable, args: before } = given();
  const startedAt = performance.now();
  const launch = () =>
    _electron.launch({
      executablePath: executable,
      args: [...SWITCHES, ...before, ...args],
      env: environmentOf(home),
      // Else Playwright replaces the system's.
      colorScheme: null,
      timeout: ATTACH_MS,
    });
  // One in about 25 times, Playwright does not attach; it ends that program.
  const app = await launch().catch(launch);
  const child = app.process();
  try {
    await use({
      app,
      home,
      child,
      startedAt,
      window: async () => {
        const page = app.windows()[0] ?? (await app.waitForEvent('window', { timeout: 20_000 }));
        await isSignedIn(page);
        return page;
      },
      client: async () => {
        await until(() => existsSync(join(libraryIn(home), 'server.json')), 30_000);
        return clientOf(home);
      },
    });
  } finally {
    child.kill('SIGKILL');
    await until(() => hasEnded({ child }), 10_000);
  }
};

export const xdotool = (...args: string[]): string => {
  try {
    return execFileSync('xdotool', args, {
      env: { ...process.env, ...given().environment },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    // It finds nothing.
    return '';
  }
};

/** The ids of the windows of a program on the screen: its own, and native questions. */
export const windowsOf = ({ child }: Pick<Run, 'child'>): string[] =>
  xdotool('search', '--onlyvisible', '--pid', String(child.pid)).split('\n').filter(Boolean);

/** Presses keys on the window that has the focus: as a person, not through Playwright. */
export const press = (...keys: string[]): void => void xdotool('key', '--clearmodifiers', ...keys);

/** Waits for a native question, and answers it with a key: Return chooses the default button, Escape cancels. */
export const answerQuestion = async (run: Run, key: 'Return' | 'Escape'): Promise<void> => {
  const question = await until(() => {
    const active = xdotool('getactivewindow');
    return xdotool('getwindowname', active) === QUESTION_TITLE && active;
  }, 15_000);
  await delay(300);
  press(key);
  await until(() => !windowsOf(run).includes(question), 10_000);
};

/** Notes the words of native questions and messages, which are shown as ever. Returns those so far. */
export const noteMessages = async (app: ElectronApplication): Promise<() => Promise<string[]>> => {
  await app.evaluate(({ dialog }) => {
    const show = dialog.showMessageBox.bind(dialog);
    const noted: string[] = [];
    Reflect.set(globalThis, 'noted', noted);
    Reflect.set(dialog, 'showMessageBox', (...args: Parameters<typeof show>) => {
      const { message = '', detail = '' } = Object(args.at(-1));
      noted.push(`${message}\n${detail}`);
      return show(...args);
    });
  });
  return () => app.evaluate(() => Reflect.get(globalThis, 'noted'));
};

/** Calls a method of the tests' desktop (desktop-services.py); returns what it answers, parsed. */
export const desk = (method: string, ...args: string[]): unknown => {
  const call = ['call', '--session', '-d', 'app.earshot.TestDesk', '-o', '/desk'];
  const answer = execFileSync('gdbus', [...call, '-m', `app.earshot.TestDesk.${method}`, ...args], {
    env: { ...process.env, ...given().environment },
    encoding: 'utf8',
  });
  const text = /^\('(.*)',\)\s*$/s.exec(answer)?.[1];
  return text === undefined ? undefined : JSON.parse(text.replaceAll("\\'", "'").replaceAll('\\\\', '\\'));
};

/** A file of /proc; empty if the process has ended. */
const processFile = (pid: number, name: string): string => {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'latin1');
  } catch {
    return '';
  }
};

/** The proportional memory (PSS) of the program's processes in MB, by what they are. */
export const memoryOf = ({ child }: Pick<Run, 'child'>): ReadonlyMap<string, number> => {
  const parents = new Map<number, number>();
  for (const pid of readdirSync('/proc').map(Number)) {
    const [, rest] = processFile(pid, 'stat').split(') ');
    if (rest !== undefined) parents.set(pid, Number(rest.split(' ')[1]));
  }
  const isOwn = (pid: number | undefined): boolean =>
    pid !== undefined && pid > 0 && (pid === child.pid || isOwn(parents.get(pid)));
  const memory = new Map<string, number>();
  for (const pid of [...parents.keys()].filter(isOwn)) {
    const pss = /^Pss:\s+(\d+)/m.exec(processFile(pid, 'smaps_rollup'))?.[1];
    if (pss === undefined) continue;
    const command = processFile(pid, 'cmdline');
    const kind = /--utility-sub-type=([\w.]+)/.exec(command) ?? /--type=([\w-]+)/.exec(command);
    const name = kind?.[1] ?? 'main';
    memory.set(name, (memory.get(name) ?? 0) + Number(pss) / 1024);
  }
  return memory;
};
