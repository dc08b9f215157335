// What `npm run bench -- --peers` prints of its times: rows of Markdown, and the goals beside them.

import type { PeerName, Runs, Times } from './peer-programs.ts';

const COLUMNS = [
  'Earshot',
  'whisper.cpp',
  'whisper-cli',
  'CTranslate2',
] as const satisfies readonly PeerName[];
const NONE = '–';
/** Steps of the last digit that is printed: what is printed as the goal meets it. */
const rounded = (ratio: number): number => Math.round(100 * ratio) / 100;

export const PEER_HEADER = ['', ...COLUMNS, 'least to least', 'to CTranslate2', 'goal', 'met', 'load'];
export const BUSY_HEADER = ['', '1 thread', '2 threads', 'to 1 thread', 'goal', 'met', 'load'];

const cell = ({ cpu, wall }: Times): string => {
  const digits = cpu < 100 ? 1 : 0;
  return `${cpu.toFixed(digits)} (${wall.toFixed(digits)})`;
};

const factor = (ratio: number | undefined): string => (ratio === undefined ? NONE : `${ratio.toFixed(2)} ×`);

const judged = (ratio: number | undefined, goal: number | undefined): string[] => [
  factor(ratio),
  goal === undefined ? NONE : `≤ ${goal.toFixed(1)} ×`,
  ratio === undefined || goal === undefined ? NONE : rounded(ratio) <= goal ? 'yes' : 'no',
];

/** A row of times, the ratios of our least and median processor time to CTranslate2's, and the goal of the second. */
export const peerRow = (
  name: string,
  engines: ReadonlyMap<PeerName, Runs>,
  goal: number | undefined,
  load: number,
): string[] => {
  const cells = COLUMNS.map((column) => {
    const own = engines.get(column);
    return own ? cell(own) : column === 'CTranslate2' ? 'not here' : NONE;
  });
  const [ours, theirs] = [engines.get('Earshot'), engines.get('CTranslate2')];
  const ratioOf = (part: keyof Runs) => (ours && theirs ? ours[part] / theirs[part] : undefined);
  return [name, ...cells, factor(ratioOf('leastCpu')), ...judged(ratioOf('cpu'), goal), load.toFixed(1)];
};

/** A row of one engine's times with one and with two threads. */
export const busyRow = (
  name: string,
  one: Times | undefined,
  two: Times | undefined,
  goal: number | undefined,
  load: number,
): string[] => [
  name,
  ...[one, two].map((own) => (own ? cell(own) : 'not here')),
  ...judged(one && two ? two.cpu / one.cpu : undefined, goal),
  load.toFixed(1),
];
