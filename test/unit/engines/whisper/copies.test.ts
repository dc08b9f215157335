import { describe, expect, it } from 'vitest';
import { judgeCopy, type Round } from '../../../../electron/core/engines/whisper/copies/trial.ts';

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
