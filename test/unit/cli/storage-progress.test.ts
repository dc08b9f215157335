import { expect, it } from 'vitest';
import { progressText } from '../../../electron/cli/storage.ts';

it.each([
  [
    'a third',
    { files: 12, bytes: 400 },
    { files: 36, bytes: 1200 },
    'verifying [########                ]  33 %  12 of 36 files, 400 B',
  ],
  [
    'nothing',
    { files: 0, bytes: 0 },
    { files: 0, bytes: 0 },
    `verifying [${'#'.repeat(24)}] 100 %  0 of 0 files, 0 B`,
  ],
  [
    'more than is left, since a file was deleted meanwhile',
    { files: 17, bytes: 325 },
    { files: 16, bytes: 300 },
    `verifying [${'#'.repeat(24)}] 100 %  17 of 17 files, 325 B`,
  ],
])('shows %s', (_, done, total, text) => {
  expect(progressText('verifying', done, total)).toBe(text);
});
