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

/** Samples per second of all decoded audio: Whisper and the diarization models take 16 kHz mono PCM, -1 to 1. */
export const SAMPLE_RATE = 16_000;

/** The nearest whole number of samples. */
export const toSamples = (seconds: number): number => Math.round(seconds * SAMPLE_RATE);

export const toSeconds = (samples: number): number => samples / SAMPLE_RATE;

/** Concatenates consecutive parts of audio into new memory. */
export const concatSamples = (parts: readonly Float32Array[]): Float32Array => {
  const all = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    all.set(part, offset);
    offset += part.length;
  }
  return all;
};

/** Pairs of minimum and maximum per second of a waveform. Chunks of audio begin and end on these buckets. */
export const PEAKS_PER_SECOND = 20;
