import { execFileSync } from 'node:child_process';
import { until } from './until.ts';

export type Process = { readonly pid: number; readonly parent: number; readonly command: string };

/** Every process of this machine except zombies. */
const processes = (): Process[] =>
  execFileSync('ps', ['-A', '-o', 'pid=,ppid=,stat=,args='], { encoding: 'utf8', maxBuffer: 1 << 24 })
    .split('\n')
    .flatMap((line) => {
      const match = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line);
      const [, pid, parent, state, command] = match ?? [];
      if (pid === undefined || state === undefined || state.startsWith('Z')) return [];
      return [{ pid: Number(pid), parent: Number(parent), command: command ?? '' }];
    });

/** The child processes of `pid`, and theirs. */
export const descendants = (pid: number): Process[] => {
  const all = processes();
  const found: Process[] = [];
  for (let parents = [pid]; parents.length > 0; ) {
    const children = all.filter((process) => parents.includes(process.parent));
    found.push(...children);
    parents = children.map((child) => child.pid);
  }
  // `ps` itself was one of them.
  return found.filter(({ command }) => !command.startsWith('ps '));
};

/** Waits for a child process of the server whose command matches `kind`. */
export const childOf = (server: number, kind: RegExp): Promise<Process> =>
  until(() => descendants(server).find(({ command }) => kind.test(command)));

/** Ids of processes with `text` in their command line. */
export const processesWith = (text: string): number[] =>
  processes()
    .filter(({ command, pid }) => command.includes(text) && pid !== process.pid)
    .map(({ pid }) => pid);

export const FFMPEG = /ffmpeg .*-af/;
/** A worker's command line: of the sources, or bundled. */
export const WORKER = /worker(?:\/main\.ts|\.js) /;

/** The command line of a worker that diarizes. */
export const DIARIZER = /worker(?:\/main\.ts|\.js) diarizer/;

/** Expects that the processes end within `timeoutMs`; names those that do not. */
export const expectGone = async (gone: readonly Process[], timeoutMs = 90_000): Promise<void> => {
  const left = () => {
    const alive = new Set(processes().map(({ pid }) => pid));
    return gone.filter(({ pid }) => alive.has(pid));
  };
  await until(() => left().length === 0, timeoutMs).catch(() => {
    throw new Error(`left running: ${left().map(({ pid, command }) => `${pid} ${command.slice(0, 80)}`)}`);
  });
};

/** Resident memory of processes in MB. */
export const residentMegabytes = (pids: readonly number[]): number => {
  const lines = execFileSync('ps', ['-o', 'rss=', '-p', pids.join(',')], { encoding: 'utf8' });
  return lines.split('\n').reduce((sum, line) => sum + Number(line) / 1024, 0);
};
