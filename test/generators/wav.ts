import { truncateSync, writeFileSync } from 'node:fs';
import { wav } from '../support/audio.ts';

const CHANNELS_AT = 22;
const RATE_AT = 24;
const BYTE_RATE_AT = 28;
const BLOCK_AT = 32;
const SILENT_RATE = 8000;

/** Writes a WAV file of silence at 8 kHz, which takes no room on the disk and no time to make. */
export const writeSilence = (path: string, seconds: number): void => {
  const header = withFormat(wav(new Int16Array()), { rate: SILENT_RATE, channels: 1 });
  const bytes = 2 * SILENT_RATE * seconds;
  header.writeUInt32LE(header.length - 8 + bytes, 4);
  header.writeUInt32LE(bytes, 40);
  writeFileSync(path, header);
  truncateSync(path, header.length + bytes);
};

/** A WAV file of 16 bits whose header says another rate and number of channels, however absurd. */
export const withFormat = (
  file: Buffer,
  { rate, channels }: { readonly rate: number; readonly channels: number },
): Buffer => {
  const bytes = Buffer.from(file);
  bytes.writeUInt16LE(channels, CHANNELS_AT);
  bytes.writeUInt32LE(rate, RATE_AT);
  bytes.writeUInt32LE((2 * rate * channels) % 2 ** 32, BYTE_RATE_AT);
  bytes.writeUInt16LE(2 * channels, BLOCK_AT);
  return bytes;
};

/** A WAV file whose header declares so many bytes of sound. */
export const withDeclaredBytes = (file: Buffer, length: number): Buffer => {
  const bytes = Buffer.from(file);
  bytes.writeUInt32LE(length, bytes.indexOf('data') + 4);
  return bytes;
};

/** Declares half of the sound that there is. */
export const declaringHalf = (file: Buffer): Buffer =>
  withDeclaredBytes(file, Math.floor(file.readUInt32LE(file.indexOf('data') + 4) / 4) * 2);

/** A WAV file with a chunk of another kind behind its sound. */
export const withTrailer = (file: Buffer, length: number): Buffer => {
  const chunk = Buffer.alloc(length);
  chunk.write('junk');
  chunk.writeUInt32LE(length - 8, 4);
  return Buffer.concat([file, chunk]);
};

/** Speech at 16 kHz in one channel of several of which the header does not say which is which. */
export const unnamedChannels = (speech: Float32Array, channels: number, channel: number): Buffer => {
  const samples = new Int16Array(speech.length * channels);
  for (const [index, sample] of speech.entries()) samples[index * channels + channel] = sample * 32_767;
  return withFormat(wav(samples), { rate: 16_000, channels });
};
