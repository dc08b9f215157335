/** The whole window of Whisper's encoder: 30 seconds, 50 positions a second. */
const MAX_POSITIONS = 1500;
const PADDING_POSITIONS = 400;
const SAMPLES_PER_POSITION = 320;

/**
 * The `audioContext` for detecting the language of this many samples at 16 kHz: with eight seconds of silence after them it is
 * found as well as with the whole window, in half the time.
 */
export const detectionContext = (samples: number): number =>
  Math.min(MAX_POSITIONS, Math.ceil(samples / SAMPLES_PER_POSITION) + PADDING_POSITIONS);
