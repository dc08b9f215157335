/** The whole window of Whisper's encoder: 30 seconds, 50 positions a second. */
const MAX_POSITIONS = 1500;
/** Some silence stays in the window after the sound. */
const PADDING_POSITIONS = 64;
const SAMPLES_PER_POSITION = 320;

/** The `audioContext` that covers this many samples at 16 kHz. */
export const audioContextFor = (samples: number): number =>
  Math.min(MAX_POSITIONS, Math.ceil(samples / SAMPLES_PER_POSITION) + PADDING_POSITIONS);
