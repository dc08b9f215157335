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

/** What a sender can do about samples in which no program finds a format. */
export const RAW_SAMPLES_HINT =
  'Raw samples without a header need the extension of their format, such as .g722.';
