/** Positions of the encoder: 50 a second, at most the 1500 of the whole window. Some silence behind the sound stays. */
const MOST_POSITIONS = 1500;
const POSITIONS_BEHIND = 64;
const SAMPLES_PER_POSITION = 320;

/** The part of Whisper's window, in positions of the encoder, that so many samples at 16 kHz fill. */
export const fittedContext = (samples: number): number =>
  Math.min(MOST_POSITIONS, Math.ceil(samples / SAMPLES_PER_POSITION) + POSITIONS_BEHIND);
