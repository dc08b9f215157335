/** Samples per second of all decoded audio: Whisper and the diarization models take 16 kHz mono PCM, -1 to 1. */
export const SAMPLE_RATE = 16_000;

/** The nearest whole number of samples. */
export const toSamples = (seconds: number): number => Math.round(seconds * SAMPLE_RATE);

export const toSeconds = (samples: number): number => samples / SAMPLE_RATE;
