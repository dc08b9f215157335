import { expect, it } from 'vitest';
import { parseRangeHeader } from '../../../electron/core/http/send-file.ts';

const SIZE = 1000;

it.each([
  ['bytes=0-0', [{ start: 0, end: 1 }]],
  ['bytes=0-', [{ start: 0, end: SIZE }]],
  ['bytes=-5', [{ start: 995, end: SIZE }]],
  ['bytes=-5000', [{ start: 0, end: SIZE }]],
  ['bytes=900-5000', [{ start: 900, end: SIZE }]],
  [
    'BYTES=0-4, , 10-19',
    [
      { start: 0, end: 5 },
      { start: 10, end: 20 },
    ],
  ],
])('%s selects ranges', (header, ranges) => {
  expect(parseRangeHeader(header, SIZE)).toEqual(ranges);
});

it.each(['bytes=1000-', 'bytes=5000-6000', 'bytes=-0'])('%s selects nothing of the file', (header) => {
  expect(parseRangeHeader(header, SIZE)).toEqual([]);
});

it.each([
  undefined,
  '',
  'bytes=',
  'bytes=-',
  'bytes=5-4',
  'bytes=a-b',
  'items=0-1',
  'bytes=0-10,5-20',
  `bytes=${Array.from({ length: 33 }, (_, i) => `${i * 2}-${i * 2}`).join()}`,
])('%s is ignored', (header) => {
  expect(parseRangeHeader(header, SIZE)).toBeUndefined();
});
