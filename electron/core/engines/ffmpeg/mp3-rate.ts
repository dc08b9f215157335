/** Bit rates in kbit/s of layer III by the header's index: MPEG 1, then MPEG 2 and 2.5 (ISO 11172-3, 13818-3). */
const RATES: readonly (readonly number[])[] = [
  [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
];
const SAMPLE_RATES = [44_100, 48_000, 32_000];
/** Consecutive frames of one rate that prove a constant rate, in a file without an `Info` header. */
const MIN_FRAMES = 20;
/** Flags of the `Info` header: it has both fields. */
const HAS_FRAMES_AND_BYTES = 3;

/** A frame of layer III. */
export type Mp3Frame = {
  /** Bytes. */
  readonly length: number;
  /** kbit/s. */
  readonly rate: number;
  readonly sampleRate: number;
  /** Samples of each channel. */
  readonly samples: number;
  readonly isMono: boolean;
  /** Where a `Xing` or `Info` header would be. */
  readonly infoOffset: number;
};

/** The layer III frame at an offset, or null. */
export const frameAt = (bytes: Uint8Array, offset: number): Mp3Frame | null => {
  const [first = 0, second = 0, third = 0, fourth = 0] = bytes.subarray(offset, offset + 4);
  const version = (second >> 3) & 3;
  if (first !== 0xff || (second & 0xe0) !== 0xe0 || version === 1 || ((second >> 1) & 3) !== 1) return null;
  const mpeg1 = version === 3;
  const rate = RATES[mpeg1 ? 0 : 1]?.[third >> 4] ?? 0;
  const base = SAMPLE_RATES[(third >> 2) & 3] ?? 0;
  if (rate === 0 || base === 0) return null;
  const sampleRate = base / (mpeg1 ? 1 : version === 2 ? 2 : 4);
  const isMono = fourth >> 6 === 3;
  const sideInfo = mpeg1 ? (isMono ? 17 : 32) : isMono ? 9 : 17;
  const length = Math.floor(((mpeg1 ? 144_000 : 72_000) * rate) / sampleRate) + ((third >> 1) & 1);
  return { length, rate, sampleRate, samples: mpeg1 ? 1152 : 576, isMono, infoOffset: offset + 4 + sideInfo };
};

/** Whether two frames decode to samples of one format. */
export const isSameFormat = (one: Mp3Frame, other: Mp3Frame): boolean =>
  one.sampleRate === other.sampleRate && one.isMono === other.isMono;

/** Bytes of the ID3v2 tag at the start of a file; 0 without one. */
export const id3Length = (bytes: Uint8Array): number => {
  if (bytes.length < 10 || String.fromCharCode(...bytes.subarray(0, 3)) !== 'ID3') return 0;
  const [a = 0, b = 0, c = 0, d = 0] = bytes.subarray(6, 10);
  return 10 + (((a & 127) << 21) | ((b & 127) << 14) | ((c & 127) << 7) | (d & 127));
};

/** Whether an `Info` header at an offset counts the bytes of a whole file of `size` bytes, not of the first of several in one. */
const isOfWhole = (bytes: Uint8Array, at: number, size: number): boolean => {
  if (at + 16 > bytes.length) return false;
  const view = new DataView(bytes.buffer, bytes.byteOffset + at, 16);
  const declared = view.getUint32(12);
  // ffmpeg's own tolerance (libavformat/mp3dec.c).
  return (
    (view.getUint32(4) & HAS_FRAMES_AND_BYTES) !== HAS_FRAMES_AND_BYTES || size - declared <= declared / 16
  );
};

/**
 * Whether an MP3 has a constant bit rate, so that a byte position follows from a time: its first frame has an `Info` header
 * (`Xing` or `VBRI` mean a variable rate), or none and the first frames agree. `bytes` begin at the first frame, from which
 * the file has `size` bytes.
 */
export const isConstantRateMp3 = (bytes: Uint8Array, size: number): boolean => {
  let offset = 0;
  let frame = frameAt(bytes, offset);
  if (frame === null) return false;
  const tag = (at: number): string => String.fromCharCode(...bytes.subarray(at, at + 4));
  if (tag(frame.infoOffset) === 'Info') return isOfWhole(bytes, frame.infoOffset, size);
  if (tag(frame.infoOffset) === 'Xing' || tag(36) === 'VBRI') return false;
  const { rate } = frame;
  for (let count = 0; frame !== null && frame.rate === rate; count++) {
    if (count === MIN_FRAMES) return true;
    offset += frame.length;
    frame = frameAt(bytes, offset);
  }
  return false;
};
