import { throwIfAborted } from '../../base/abort.ts';
import { readBytes } from './content-kind.ts';
import { frameAt, id3Length, isConstantRateMp3, isSameFormat, type Mp3Frame } from './mp3-rate.ts';
import type { MediaInput } from './types.ts';

/** Encoders whose `Xing` header counts the frames after it, and says how many samples of silence they added. */
const KNOWN_ENCODERS = ['LAME', 'Lavc', 'Lavf'];
/** Samples that decoding delays the audio by, which ffmpeg drops with the encoder's (libavformat/mp3dec.c). */
const DECODER_DELAY = 529;
const TOC_ENTRIES = 100;
const TOC_STEPS = 256;

/** Flags of the `Xing` header: which fields it has. */
const HAS_FRAMES = 1;
const HAS_BYTES = 2;
const HAS_TOC = 4;
const HAS_QUALITY = 8;

/** The offset of each so-many-th frame is kept while frames are counted. */
const MARK_EVERY = 32;
/** Frames decoded before the origin: they fill the bit reservoir and the filters of the decoder. */
const PRIMING_FRAMES = 32;
/** Frames in a row that prove a frame's beginning. */
const PROVING_FRAMES = 6;
const SYNC_BYTES = 16 * 1024;
/** Bytes asked for at a time: as much as the range reader sends in one answer. */
const READ_BYTES = 1024 * 1024;

/** What the header of an MP3 of variable rate declares. */
type XingHeader = {
  /** The first frame of audio, after the header's own; bytes from the beginning of the file. */
  readonly audioStart: number;
  /** Bytes from the beginning of the file to the end of the last frame, by both readings of the field. */
  readonly audioEnds: readonly number[];
  readonly frames: number;
  /** Positions by hundredths of the duration, in 1/256 of the audio's bytes. */
  readonly toc: Uint8Array;
  /** Samples before the first one that was encoded. */
  readonly delay: number;
  /** Samples after the last one that was encoded. */
  readonly padding: number;
  readonly frame: Mp3Frame;
};

/** Where an MP3 can be decoded from, so that its samples have known times. */
type Mp3Entry = {
  /** Bytes. */
  readonly offset: number;
  /** Samples, at the file's rate, from the first decoded one to the origin. */
  readonly skip: number;
  /** Samples from the first decoded one to the end of the audio. */
  readonly end: number;
};

/** Offsets from the encoder's name, by LAME's layout. */
const DELAYS_AT = 21;
const CHECKSUM_AT = 34;
/** Bytes of the frame that ffmpeg's checksum covers, as if they were 0 behind the frame's end. */
const LAVC_CHECKED_BYTES = 190;

/** CRC-16 (ARC). */
const checksumOf = (bytes: Uint8Array): number => {
  let checksum = 0;
  for (const byte of bytes) {
    checksum ^= byte;
    for (let bit = 0; bit < 8; bit++) checksum = (checksum >>> 1) ^ (checksum & 1 ? 0xa001 : 0);
  }
  return checksum;
};

/** Whether the header is as its encoder wrote it: LAME checks all bytes before the checksum, ffmpeg a fixed number. */
const isIntact = (header: Uint8Array, checksumAt: number): boolean => {
  const stored = ((header[checksumAt] ?? 0) << 8) | (header[checksumAt + 1] ?? 0);
  if (checksumOf(header.subarray(0, checksumAt)) === stored) return true;
  const checked = new Uint8Array(LAVC_CHECKED_BYTES);
  checked.set(header.subarray(0, LAVC_CHECKED_BYTES));
  checked.fill(0, checksumAt, checksumAt + 2);
  return checksumOf(checked) === stored;
};

/**
 * The header of a variable-rate MP3, from the bytes of its first frame on, or null: without one, without a table of
 * contents, damaged, or of an encoder that is not known to count the frames as ffmpeg does.
 */
export const parseXing = (bytes: Uint8Array, start: number): XingHeader | null => {
  const frame = frameAt(bytes, 0);
  if (frame === null || bytes.length < frame.length) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, frame.length);
  const text = (at: number): string => String.fromCharCode(...bytes.subarray(at, at + 4));
  let at = frame.infoOffset;
  if (at + 8 > frame.length || text(at) !== 'Xing') return null;
  const flags = view.getUint32(at + 4);
  const wanted = HAS_FRAMES | HAS_BYTES | HAS_TOC;
  const encoder = at + 16 + TOC_ENTRIES + (flags & HAS_QUALITY ? 4 : 0);
  if ((flags & wanted) !== wanted || encoder + CHECKSUM_AT + 2 > frame.length) return null;
  if (!KNOWN_ENCODERS.includes(text(encoder))) return null;
  if (!isIntact(bytes.subarray(0, frame.length), encoder + CHECKSUM_AT)) return null;
  at += 8;
  const [frames, size] = [view.getUint32(at), view.getUint32(at + 4)];
  const toc = bytes.slice(at + 8, at + 8 + TOC_ENTRIES);
  const delays = view.getUint32(encoder + DELAYS_AT) >>> 8;
  const audioStart = start + frame.length;
  return {
    audioStart,
    audioEnds: [start + size, audioStart + size],
    frames,
    toc,
    delay: (delays >> 12) + DECODER_DELAY,
    padding: Math.max(0, (delays & 4095) - DECODER_DELAY),
    frame,
  };
};

type Counted = {
  readonly frames: number;
  /** The offset of each MARK_EVERY-th frame from the first one on. */
  readonly marks: readonly number[];
  readonly end: number;
};

/** Counts frames in bytes that arrive in parts. */
class FrameCounter {
  readonly #like: Mp3Frame;
  readonly #marks: number[] = [];
  #rest = new Uint8Array();
  /** The file's offset of `#rest`. */
  #offset: number;
  #frames = 0;

  constructor(like: Mp3Frame, offset: number) {
    this.#like = like;
    this.#offset = offset;
  }

  /** Returns false at the first bytes that are not a frame of the same kind. */
  push(bytes: Uint8Array): boolean {
    const all = new Uint8Array(this.#rest.length + bytes.length);
    all.set(this.#rest);
    all.set(bytes, this.#rest.length);
    let at = 0;
    while (at + 4 <= all.length) {
      const frame = frameAt(all, at);
      if (frame === null || !isSameFormat(frame, this.#like)) break;
      if (at + frame.length > all.length) {
        this.#keep(all, at);
        return true;
      }
      if (this.#frames % MARK_EVERY === 0) this.#marks.push(this.#offset + at);
      this.#frames++;
      at += frame.length;
    }
    const isWhole = at + 4 > all.length;
    this.#keep(all, at);
    return isWhole;
  }

  get counted(): Counted {
    return { frames: this.#frames, marks: this.#marks, end: this.#offset };
  }

  #keep(all: Uint8Array, at: number): void {
    this.#rest = all.slice(at);
    this.#offset += at;
  }
}

/** The first offset at which several frames of the same kind follow each other, or null. */
const findFrame = (bytes: Uint8Array, like: Mp3Frame): number | null => {
  for (let start = 0; start < bytes.length; start++) {
    let at = start;
    for (let count = 0; ; count++) {
      const frame = frameAt(bytes, at);
      if (frame === null || !isSameFormat(frame, like)) break;
      if (count === PROVING_FRAMES) return start;
      at += frame.length;
    }
  }
  return null;
};

/** Counts the frames from near an offset to the end of the audio; null if they do not lead there one by one. */
const countToEnd = async (
  input: MediaInput,
  xing: XingHeader,
  from: number,
  signal: AbortSignal | undefined,
): Promise<Counted | null> => {
  const near = await readBytes(input, from, SYNC_BYTES, signal);
  const found = findFrame(near, xing.frame);
  if (found === null) return null;
  const counter = new FrameCounter(xing.frame, from + found);
  const last = Math.max(...xing.audioEnds);
  for (let at = from + found; at < last; ) {
    throwIfAborted(signal);
    const bytes = await readBytes(input, at, Math.min(READ_BYTES, last - at), signal);
    if (bytes.length === 0) break;
    at += bytes.length;
    if (!counter.push(bytes)) break;
  }
  const { counted } = counter;
  return xing.audioEnds.includes(counted.end) ? counted : null;
};

/**
 * Where to begin decoding a variable-rate MP3 for samples from `origin` seconds on, if that takes fewer bytes than reading up
 * to there. Nothing in a frame says its number, and the table of contents is half a minute off in two hours, so the frames are
 * counted from the end, of which the header says how many there are in all. Null if the header and the frames disagree.
 */
const entryFromEnd = async (
  input: MediaInput,
  xing: XingHeader,
  origin: number,
  signal: AbortSignal | undefined,
): Promise<Mp3Entry | null> => {
  const { frame, frames, toc, audioStart, audioEnds } = xing;
  const end = Math.max(...audioEnds);
  const first = origin * frame.sampleRate + xing.delay;
  const wanted = Math.floor(first / frame.samples) - PRIMING_FRAMES;
  // An entry may name a place up to half a hundredth later than its time.
  const entry = toc[Math.floor((wanted / frames) * TOC_ENTRIES) - 1];
  if (entry === undefined || wanted >= frames) return null;
  const from = audioStart + Math.floor((entry / TOC_STEPS) * (end - audioStart));
  if (from - audioStart < end - from) return null;
  const counted = await countToEnd(input, xing, from, signal);
  if (counted === null) return null;
  const firstCounted = frames - counted.frames;
  // The first mark is left out: what looks like a frame there may be a part of one.
  const mark = Math.min(counted.marks.length - 1, Math.floor((wanted - firstCounted) / MARK_EVERY));
  const offset = counted.marks[mark];
  const number = firstCounted + mark * MARK_EVERY;
  if (mark < 1 || offset === undefined) return null;
  const before = number * frame.samples;
  return { offset, skip: first - before, end: frames * frame.samples - xing.padding - before };
};

/** Decoded before a remote range's start, because some decoders need a few frames to settle. */
const PREROLL_SECONDS = 1;
const MP3_HEAD_BYTES = 16 * 1024;

/** How ffmpeg gets to an origin. */
export type Seeking = {
  readonly inputOptions: readonly string[];
  /** Audio filters before all others, which leave the samples from the origin on. */
  readonly filters: readonly string[];
};

/**
 * The second to which ffmpeg seeks for a range that starts at `start`. A local file is decoded from its beginning
 * and trimmed inside ffmpeg, which is exact for every format and a thousand times faster than real time. A remote
 * file is seeked, which is exact to a frame of its codec; a local one too if `seek` asks for it.
 */
export const seekOrigin = (input: MediaInput, start: number, seek = false): number =>
  input.kind === 'file' && !seek ? 0 : Math.max(0, Math.floor(start - PREROLL_SECONDS));

const readMp3Head = async (
  input: MediaInput,
  signal: AbortSignal | undefined,
): Promise<{ readonly start: number; readonly frames: Uint8Array }> => {
  const start = id3Length(await readBytes(input, 0, 10, signal));
  return { start, frames: await readBytes(input, start, MP3_HEAD_BYTES, signal) };
};

/** How ffmpeg seeks to an origin. */
export const seekTo = async (
  input: MediaInput,
  origin: number,
  signal: AbortSignal | undefined,
): Promise<Seeking> => {
  if (origin === 0) return { inputOptions: [], filters: [] };
  const exact: Seeking = { inputOptions: ['-ss', String(origin)], filters: [] };
  // A local file is scanned in no time, which places the frames of an MP3 better than computing does.
  if (input.kind === 'file') return exact;
  const { start, frames } = await readMp3Head(input, signal);
  // ffmpeg scans an MP3 from its beginning to seek in it; at a constant bit rate it can compute the position.
  if (isConstantRateMp3(frames, input.totalBytes - start))
    return { ...exact, inputOptions: ['-fflags', '+fastseek', '-ss', String(origin)] };
  const xing = parseXing(frames, start);
  const entry = xing === null ? null : await entryFromEnd(input, xing, origin, signal);
  if (entry === null) return exact;
  return {
    inputOptions: ['-f', 'mp3', '-skip_initial_bytes', String(entry.offset)],
    filters: [`atrim=start_sample=${entry.skip}:end_sample=${entry.end}`, 'asetpts=PTS-STARTPTS'],
  };
};
