import { readdirSync, readFileSync } from 'node:fs';

/** Under this name a file's own processor time, child processes included, is kept in its `meta`. */
export const PROCESSOR_SECONDS = 'processorSeconds';

const TICKS_PER_SECOND = 100;

type Usage = { readonly parent: number; readonly ticks: number };

/** Of a process and the children that it has waited for; undefined if it is gone. */
const usageOf = (pid: string): Usage | undefined => {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return undefined;
  }
  // The name in parentheses may contain anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = fields.slice(11, 15).reduce((sum, each) => sum + Number(each), 0);
  return { parent: Number(fields[1]), ticks };
};

/** Seconds of processor time that this process and all below it have used so far; undefined if there is no /proc. */
export const processorSeconds = (): number | undefined => {
  if (process.platform !== 'linux') return undefined;
  const children = new Map<number, { pid: number; ticks: number }[]>();
  for (const name of readdirSync('/proc')) {
    const usage = /^\d+$/.test(name) ? usageOf(name) : undefined;
    if (usage === undefined) continue;
    const { parent, ticks } = usage;
    children.set(parent, [...(children.get(parent) ?? []), { pid: Number(name), ticks }]);
  }
  const sumBelow = (pid: number): number =>
    (children.get(pid) ?? []).reduce((sum, child) => sum + child.ticks + sumBelow(child.pid), 0);
  const own = usageOf('self')?.ticks ?? 0;
  return (own + sumBelow(process.pid)) / TICKS_PER_SECOND;
};
