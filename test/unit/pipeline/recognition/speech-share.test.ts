import { expect, it } from 'vitest';
import { speechShare } from '../../../../electron/core/pipeline/recognition/speech-map.ts';

it.each([
  ['nothing', [], 10, 0],
  ['a recording without length', [], 0, 0],
  [
    'segments one after the other',
    [
      [0, 2],
      [5, 8],
    ],
    10,
    0.5,
  ],
  [
    'channels that speak at once',
    [
      [0, 6],
      [1, 2],
      [4, 8],
    ],
    10,
    0.8,
  ],
  [
    'a later channel first',
    [
      [5, 8],
      [0, 2],
    ],
    10,
    0.5,
  ],
  ['a segment over the end', [[0, 11]], 10, 1],
] as const)('the share of speech of %s', (_, spans, seconds, share) => {
  const segments = spans.map(([start, end]) => ({ start, end }));
  expect(speechShare(segments, seconds)).toBe(share);
});
