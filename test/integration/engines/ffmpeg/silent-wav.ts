import { truncateSync, writeFileSync } from 'node:fs';
import { wav } from '../../../support/audio.ts';

const RATE = 8000;

/** Writes a WAV file of silence at 8 kHz, which takes no room on the disk and no time to make. */
export const writeSilence = (path: string, seconds: number): void => {
  const header = wav(new Int16Array());
  const bytes = 2 * RATE * seconds;
  header.writeUInt32LE(header.length - 8 + bytes, 4);
  header.writeUInt32LE(RATE, 24);
  header.writeUInt32LE(2 * RATE, 28);
  header.writeUInt32LE(bytes, 40);
  writeFileSync(path, header);
  truncateSync(path, header.length + bytes);
};
