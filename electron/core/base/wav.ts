import { SAMPLE_RATE } from './audio.ts';

export const WAV_HEADER_BYTES = 44;
/** The largest length that a header can declare, which stands for "until the end of the file". */
export const UNKNOWN_WAV_LENGTH = 0xffff_ffff;

/** The header of a 16-bit WAV of one channel at 16 kHz; `bytes` is the size of its samples. */
export const wavHeader = (bytes: number): Buffer => {
  const header = Buffer.alloc(WAV_HEADER_BYTES);
  header.write('RIFF', 0);
  header.writeUInt32LE(Math.min(UNKNOWN_WAV_LENGTH, WAV_HEADER_BYTES - 8 + bytes), 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(SAMPLE_RATE, 24);
  header.writeUInt32LE(SAMPLE_RATE * 2, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36);
  header.writeUInt32LE(bytes, 40);
  return header;
};
