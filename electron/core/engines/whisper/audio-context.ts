/** The whole window of Whisper's encoder: 30 seconds, 50 positions a second. */
const MAX_POSITIONS = 1500;
/** Eight seconds of silence after the sound: with less, models repeat sentences. */
const PADDING_POSITIONS = 400;
const SAMPLES_PER_POSITION = 320;

/** The `audioContext` for this many samples at 16 kHz, which short audio needs no whole window for. */
export const audioContextFor = (samples: number): number =>
  Math.min(MAX_POSITIONS, Math.ceil(samples / SAMPLES_PER_POSITION) + PADDING_POSITIONS);
