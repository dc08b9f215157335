import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { capabilitiesOf, readModelHeader } from '../../../../electron/core/engines/whisper/capabilities.ts';
import { writePublishedShape } from '../../../support/parakeet-test-model.ts';
import { STARTER_MODEL, STARTER_PARAKEET } from '../../../support/paths.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const maxSecondsOf = (path: string): number | undefined => {
  const header = readModelHeader(path);
  return header && capabilitiesOf(header).maxChunkSeconds;
};

it('chunks are as long as the window of Whisper, or as the memory of a Parakeet model allows', () => {
  const published = join(temporaryFolder(), 'published.bin');
  writePublishedShape(published, 8192);
  expect([STARTER_MODEL, STARTER_PARAKEET, published].map(maxSecondsOf)).toEqual([29.5, 240, 30]);
});

it('a header that makes no sense makes no endless chunk', () => {
  const path = join(temporaryFolder(), 'odd.bin');
  const header = Buffer.alloc(44);
  header.writeUInt32LE(0x67676d6c);
  header.writeInt32LE(512, 32);
  for (const channels of [0, -5, 2 ** 31 - 1]) {
    header.writeInt32LE(80, 24);
    header.writeInt32LE(channels, 40);
    writeFileSync(path, header);
    const seconds = maxSecondsOf(path);
    expect(seconds).toBeGreaterThanOrEqual(29.5);
    expect(seconds).toBeLessThanOrEqual(240);
  }
});
