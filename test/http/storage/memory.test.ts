import { expect, it } from 'vitest';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { measureBigFile } from './support/big-file.ts';

/** `EARSHOT_LONG_TESTS=1` takes the whole gigabyte, and one byte more. */
const LONG = process.env.EARSHOT_LONG_TESTS === '1';
const BYTES = LONG ? 1024 ** 3 : 256 * 1024 ** 2;

it('a large upload and download pass through without staying in memory', async () => {
  const result = await measureBigFile(temporaryFolder(), BYTES, LONG);
  expect(result.sameHashes).toBe(true);
  expect(result.uploadGrowth).toBeLessThan(64);
  expect(result.downloadGrowth).toBeLessThan(64);
  expect(result.overStatus).toBe(LONG ? 413 : undefined);
}, 600_000);
