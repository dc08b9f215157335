import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { describe, expect, it } from 'vitest';
import { onBusyCores } from '../../bench/busy-cores.ts';
import { selectParts } from '../../bench/parts.ts';
import { alternating, type Times } from '../../bench/peer-programs.ts';
import { busyRow, peerRow } from '../../bench/peer-table.ts';
import { PARTS } from '../../bench/peers.ts';
import { until } from '../../support/until.ts';

const ms = (cpu: number) => ({ cpu, wall: 2 * cpu });
const runs = (cpu: number, leastCpu = cpu / 2) => ({ ...ms(cpu), leastCpu });

describe('the parts of --peers', () => {
  const select = (only?: string) => selectParts(Object.keys(PARTS), only);

  it('are all, without a list, in the order of the table', () => {
    expect(select().slice(0, 4)).toEqual(['starter', 'base', 'small', 'turbo']);
    expect(select().at(-1)).toBe('busy');
  });

  it('are those of a list, avx2 for each of its kind', () => {
    expect(select('busy,base')).toEqual(['base', 'busy']);
    expect(select('avx2')).toEqual(['avx2-starter', 'avx2-base', 'avx2-small', 'avx2-turbo']);
    expect(select('starter,base,small,turbo,avx2,busy')).toEqual(select());
  });

  it('must be known', () => {
    expect(() => select('base,medium')).toThrow('there is no part medium. Known: starter, base');
    expect(() => select('')).toThrow('there is no part');
  });
});

describe('a row of --peers', () => {
  it('has processor and elapsed time of each engine, both ratios, and whether the goal is met', () => {
    const times = new Map([
      ['Earshot', runs(904, 600)],
      ['whisper.cpp', runs(1400)],
      ['CTranslate2', runs(1000, 800)],
    ] as const);
    expect(peerRow('base', times, 0.9, 3.14)).toEqual([
      ...['base', '904 (1808)', '1400 (2800)', '–', '1000 (2000)'],
      ...['0.75 ×', '0.90 ×', '≤ 0.9 ×', 'yes', '3.1'],
    ]);
    expect(peerRow('base', new Map([...times, ['Earshot', runs(906)]]), 0.9, 3).slice(-4)).toEqual([
      '0.91 ×',
      '≤ 0.9 ×',
      'no',
      '3.0',
    ]);
    expect(peerRow('base', times, undefined, 3).slice(-4)).toEqual(['0.90 ×', '–', '–', '3.0']);
  });

  it('says that CTranslate2 is not here, and judges nothing then', () => {
    expect(peerRow('base', new Map([['Earshot', runs(9)]]), 0.9, 0)).toEqual([
      ...['base', '9.0 (18.0)', '–', '–', 'not here'],
      ...['–', '–', '≤ 0.9 ×', '–', '0.0'],
    ]);
    expect(busyRow('base', undefined, undefined, undefined, 0)).toEqual([
      ...['base', 'not here', 'not here', '–', '–', '–', '0.0'],
    ]);
  });

  it('compares two threads with one', () => {
    expect(busyRow('base', ms(10), ms(13.1), 1.3, 4)).toEqual([
      ...['base', '10.0 (20.0)', '13.1 (26.2)', '1.31 ×', '≤ 1.3 ×', 'no', '4.0'],
    ]);
  });

  it('is measured in turn, and leaves out what cannot be measured', async () => {
    const order: string[] = [];
    const left = [5, 1, 2];
    const measure = (name: string) => async (): Promise<Times | undefined> => {
      if (name === 'c') return undefined;
      order.push(name);
      return ms(name === 'a' ? (left.shift() ?? 0) : 7);
    };
    const times = await alternating(new Map(['a', 'b', 'c'].map((name) => [name, measure(name)])), 3);
    expect(order.join('')).toBe('ababab');
    expect([...times]).toEqual([
      ['a', runs(2, 1)],
      ['b', runs(7, 7)],
    ]);
  });
});

/**
 * The loops that this process has started and that run. A program's command line is empty for a moment
 * after its start: exec closes the pipe by which Node learns of the start before it sets the new arguments.
 */
const loops = (): number =>
  readdirSync('/proc/self/task')
    .flatMap((task) => readFileSync(`/proc/self/task/${task}/children`, 'utf8').split(' ').filter(Boolean))
    .filter((child) => readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('while ((SECONDS')).length;

describe.runIf(process.platform === 'linux')('busy cores', () => {
  it('are busy while the work goes on, and no longer', async () => {
    await onBusyCores(() => until(() => loops() === availableParallelism()));
    expect(loops()).toBe(0);
  });

  it('are idle again when the work fails', async () => {
    await expect(onBusyCores(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(loops()).toBe(0);
  });
});
