// A desktop of its own for the tests, so that no window appears on, and no question is answered by, the one that they are
// started from: a virtual X screen, a session bus, a window manager, and the services of desktop-services.py.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** Its modules for D-Bus come with the system's own Python. */
const PYTHON = '/usr/bin/python3';

const firstLine = async (child: ChildProcess, stream: NodeJS.ReadableStream): Promise<string> => {
  const ended = once(child, 'exit').then(() => {
    throw new Error(`${child.spawnfile} has ended.`);
  });
  const [line]: string[] = await Promise.race([once(createInterface({ input: stream }), 'line'), ended]);
  return line ?? '';
};

const pipeOf = (child: ChildProcess, descriptor: number): NodeJS.ReadableStream => {
  const pipe = child.stdio[descriptor];
  if (!pipe || !('read' in pipe)) throw new Error('There is no such pipe.');
  return pipe;
};

export type Screen = { readonly environment: Readonly<Record<string, string>>; close(): void };

export const openScreen = async (): Promise<Screen> => {
  const children: ChildProcess[] = [];
  const start = (program: string, args: readonly string[], environment: NodeJS.ProcessEnv = {}) => {
    const child = spawn(program, args, {
      stdio: ['ignore', 'pipe', 'ignore', 'pipe'],
      env: { ...process.env, ...environment },
    });
    children.push(child);
    return child;
  };
  const screen = start('Xvfb', ['-displayfd', '3', '-screen', '0', '1440x900x24', '-nolisten', 'tcp']);
  const display = { DISPLAY: `:${await firstLine(screen, pipeOf(screen, 3))}` };
  const bus = start('dbus-daemon', ['--session', '--nofork', '--print-address=3'], display);
  const environment = { ...display, DBUS_SESSION_BUS_ADDRESS: await firstLine(bus, pipeOf(bus, 3)) };
  start('openbox', [], environment);
  const services = start(PYTHON, [join(import.meta.dirname, 'desktop-services.py')], environment);
  await firstLine(services, pipeOf(services, 1));
  return { environment, close: () => void children.toReversed().map((child) => child.kill()) };
};
