import { describe, expect, it } from 'vitest';
import { judgeCopy, needsRound, type Round } from '../../../../electron/core/engines/whisper/copies/trial.ts';

const round = (published: number, copy: number, texts = ['Good morning, Northwind.']): Round => ({
  published: { seconds: 10, cpuSeconds: published, texts: ['Good morning, Northwind.'] },
  copy: { seconds: 5, cpuSeconds: copy, texts },
});

describe('the judgement of a quantized copy', () => {
  it.each([
    ['faster', [round(11.5, 10)], 11.5, 10],
    ['slower', [round(11.4, 10)], 11.4, 10],
    ['slower', [round(8, 10)], 8, 10],
    // One run beside another program does not count.
    ['faster', [round(12, 10), round(12, 30), round(12, 10)], 12, 10],
    ['slower', [round(10, 10), round(90, 10), round(10, 2)], 10, 10],
    ['faster', [round(12, 10, ['good morning Northwind'])], 12, 10],
    ['different', [round(12, 10, ['Good morning, Northwind.', 'Good mourning.'])], 12, 10],
    ['different', [round(12, 10), round(12, 10, [''])], 12, 10],
  ] as const)('%s', (outcome, rounds, publishedSeconds, copySeconds) => {
    expect(judgeCopy(rounds, 'cpu')).toMatchObject({ outcome, publishedSeconds, copySeconds });
  });

  it('takes elapsed time where a graphics processor does the work', () => {
    expect(judgeCopy([round(1, 9)], 'built_in')).toMatchObject({ outcome: 'faster', publishedSeconds: 10 });
  });

  it('cannot be made where nothing is heard', () => {
    const silent = { seconds: 1, cpuSeconds: 1, texts: ['…'] };
    expect(judgeCopy([{ published: silent, copy: silent }], 'cpu').outcome).toBe('failed');
  });
});

describe('the trial of a quantized copy', () => {
  const times = (count: number, published: number, copy: number) =>
    Array.from({ length: count }, () => round(published, copy));

  const mixed = [...times(2, 12, 10), ...times(1, 9, 10)];

  it.each([
    ['at first', [], true],
    ['after two rounds', times(2, 20, 10), true],
    ['not after three that show the gain', times(3, 12, 10), false],
    ['not after three that show none', times(3, 10, 10), false],
    ['after three that differ', mixed, true],
    ['for a median', [...mixed, ...times(1, 12, 10)], true],
    ['after five of which one differs', [...mixed, ...times(2, 12, 10)], true],
    ['not after nine', [...mixed, ...times(6, 12, 10)], false],
    ['not once other words were heard', [round(12, 10, ['Good mourning.'])], false],
  ] as const)('hears both files again %s', (_, rounds, expected) => {
    expect(needsRound(rounds, 'cpu')).toBe(expected);
  });

  it('adds no round after ten minutes', () => {
    const long = mixed.map((each) => ({
      ...each,
      published: { ...each.published, seconds: 200 },
    }));
    expect(needsRound(long, 'cpu')).toBe(false);
  });
});
