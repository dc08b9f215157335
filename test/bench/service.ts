// `npm run bench -- --service [--quick] [--only=PART,…]`: the service around the engine, each row beside a reference of the same run.

import { availableParallelism, loadavg } from 'node:os';
import { selectParts } from './parts.ts';
import { measureRanges } from './ranges.ts';
import { measureDecode, measureFiles } from './service-files.ts';
import { measureLibrary } from './service-library.ts';
import { measureMemory, measureStart } from './service-process.ts';

/** One measured property, with what it is measured by. */
export type ServiceRow = {
  readonly name: string;
  readonly ours: string;
  readonly reference: string;
  readonly goal: string;
  /** Null if the reference is not installed. */
  readonly isMet: boolean | null;
};

async function* rangeRows(seconds: number): AsyncGenerator<ServiceRow> {
  for await (const { name, file, fetched } of measureRanges(seconds)) {
    const share = fetched / file;
    yield {
      name: `60 s out of ${seconds / 60} minutes behind a URL: ${name}`,
      ours: `${(100 * share).toFixed(1)} % of the bytes`,
      reference: `the range itself ${((100 * 60) / seconds).toFixed(1)} %`,
      goal: '≤ 3 %',
      isMet: share <= 0.03,
    };
  }
}

async function* one(row: () => Promise<ServiceRow>): AsyncGenerator<ServiceRow> {
  yield await row();
}

/** Prints each part's rows; `only` names some of them. */
export const measureService = async (folder: string, quick: boolean, only?: string): Promise<void> => {
  const runs = quick ? 3 : 9;
  const parts: Readonly<Record<string, () => AsyncGenerator<ServiceRow>>> = {
    start: () => one(() => measureStart(runs)),
    memory: () => measureMemory(folder, quick ? 3 : 30),
    decode: () => one(() => measureDecode(folder, quick ? 10 : 60, runs)),
    files: () => measureFiles(folder, quick ? 2 ** 27 : 2 ** 30, quick ? 1 : 3, runs),
    library: () => measureLibrary(quick ? 10_000 : 100_000),
    ranges: () => rangeRows((quick ? 20 : 120) * 60),
  };
  const names = selectParts(Object.keys(parts), only);
  const say = (cells: readonly string[]): void => {
    process.stdout.write(`| ${cells.join(' | ')} |\n`);
  };
  process.stdout.write(`${availableParallelism()} cores, load ${loadavg()[0]?.toFixed(1)}\n\n`);
  say(['', 'Earshot', 'reference', 'goal', 'met']);
  say(['---', '---', '---', '---', '---']);
  for (const name of names) {
    for await (const { name: title, ours, reference, goal, isMet } of parts[name]?.() ?? []) {
      say([title, ours, reference, goal, isMet === null ? '–' : isMet ? 'yes' : 'no']);
    }
  }
};
