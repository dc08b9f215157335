import { execFileSync } from 'node:child_process';
import { until } from '../../support/until.ts';

export type Process = { readonly pid: number; readonly parent: number; readonly command: string };

/** Every process of the machine that is not a zombie. */
const processes = (): Process[] =>
  execFileSync('ps', ['-A', '-o', 'pid=,ppid=,stat=,args='], { encoding: 'utf8', maxBuffer: 1 << 24 })
    .split('\n')
    .flatMap((line) => {
      const match = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line);
      const [, pid, parent, state, command] = match ?? [];
      if (pid === undefined || state === undefined || state.startsWith('Z')) return [];
      return [{ pid: Number(pid), parent: Number(parent), command: command ?? '' }];
    });

/** Everything that a process started, and what that started. */
export const descendants = (pid: number): Process[] => {
  const all = processes();
  const found: Process[] = [];
  for (let parents = [pid]; parents.length > 0; ) {
    const children = all.filter((process) => parents.includes(process.parent));
    found.push(...children);
    parents = children.map((child) => child.pid);
  }
  // `ps` itself was one while it ran.
  return found.filter(({ command }) => !command.startsWith('ps '));
};

/** The process of that kind that a server has started, as soon as there is one. */
export const childOf = (server: number, kind: RegExp): Promise<Process> =>
  until(() => descendants(server).find(({ command }) => kind.test(command)));

export const FFMPEG = /ffmpeg .*-af/;
export const WORKER = /worker\/main\.ts/;

/** Waits until none of these processes is left; names those that stay. */
export const expectGone = async (gone: readonly Process[], patienceMs = 5000): Promise<void> => {
  const left = () => {
    const alive = new Set(processes().map(({ pid }) => pid));
    return gone.filter(({ pid }) => alive.has(pid));
  };
  await until(() => left().length === 0, patienceMs).catch(() => {
    throw new Error(`left running: ${left().map(({ pid, command }) => `${pid} ${command.slice(0, 80)}`)}`);
  });
};
