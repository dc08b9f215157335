import { freeMemory } from '../../base/memory.ts';

/** Identifiers of EBML elements (RFC 9559), with their length marker. */
const SEGMENT = 0x18538067;
const CLUSTER = 0x1f43b675;
const BLOCK_GROUP = 0xa0;
const TIMESTAMP = 0xe7;
const BLOCK = 0xa1;
const SIMPLE_BLOCK = 0xa3;
/** Bytes of a block before its data: the track's number, the time in the cluster, flags. */
const BLOCK_HEADER = 4;

/** Samples as a block carries them, and the time of the first one on ffmpeg's timeline. */
type TimedSamples = { readonly milliseconds: number; readonly samples: Buffer };

type Element = { readonly id: number; readonly start: number; readonly end: number };

/** The element whose header begins at an offset; null if the header is not whole. */
const elementAt = (bytes: Buffer, at: number): Element | null => {
  const idLength = Math.clz32(bytes[at] ?? 0) - 23;
  const sizeAt = at + idLength;
  const sizeLength = Math.clz32(bytes[sizeAt] ?? 0) - 23;
  const start = sizeAt + sizeLength;
  if (sizeAt >= bytes.length || start > bytes.length) return null;
  let size = (bytes[sizeAt] ?? 0) & (0xff >> sizeLength);
  for (let i = sizeAt + 1; i < start; i++) size = size * 256 + (bytes[i] ?? 0);
  return { id: bytes.readUIntBE(at, idLength), start, end: start + size };
};

/** Frees a read of the pipe. One with less than half of its memory may be part of Node's pool. */
const freeRead = (bytes: Buffer): void => {
  if (2 * bytes.byteLength > bytes.buffer.byteLength) freeMemory(bytes);
};

/** Reads the one track of PCM that ffmpeg writes as Matroska to a pipe, of which it takes the times. */
class MatroskaReader {
  /** The begin of an element whose end is still to come. */
  #rest: Buffer = Buffer.alloc(0);
  /** Bytes still to come of an element that is not needed. */
  #skip = 0;
  #clusterTime = 0;

  /** Takes a read of the pipe, which it frees. What it yields is valid until the next value. */
  *push(read: Buffer): Generator<TimedSamples, void, undefined> {
    const bytes = this.#rest.length === 0 ? read : Buffer.concat([this.#rest, read]);
    let at = Math.min(this.#skip, bytes.length);
    this.#skip -= at;
    for (let element = elementAt(bytes, at); element !== null; element = elementAt(bytes, at)) {
      const { id, start, end } = element;
      if (id === SEGMENT || id === CLUSTER || id === BLOCK_GROUP) {
        at = start;
        continue;
      }
      const isBlock = id === SIMPLE_BLOCK || id === BLOCK;
      if (end > bytes.length) {
        if (isBlock || id === TIMESTAMP) break;
        this.#skip = end - bytes.length;
      }
      if (id === TIMESTAMP) this.#clusterTime = bytes.readUIntBE(start, end - start);
      if (isBlock) {
        const milliseconds = this.#clusterTime + bytes.readInt16BE(start + 1);
        yield { milliseconds, samples: bytes.subarray(start + BLOCK_HEADER, end) };
      }
      at = end;
    }
    // Copied, so that the whole read can be freed.
    this.#rest = Buffer.from(bytes.subarray(at));
    freeRead(bytes);
    if (bytes !== read) freeRead(read);
  }
}

/** Seconds by which the time of samples may differ from their place before they are moved. */
const TOLERANCE = 0.1;
/** Seconds; a longer gap in the timestamps is taken for a mistake rather than for silence. */
const MAX_GAP = 70 * 60;

/** Blocks whose times are compared with the length of their sound. */
const HISTORY = 8;
/** Times count another sample rate if they differ by this much from the sound: 44.1 instead of 48 kHz is 8 %. */
const WRONG_RATE = 0.06;
/** Blocks whose times must differ by half of that: a lost packet is one. */
const MIN_WRONG_BLOCKS = 3;
/** Blocks after a gap that are held back until their times say whether it is one. */
const HELD = 8;

/** The samples of a block, and by how many the next one is later than this one. */
type Step = { readonly samples: number; readonly advance: number };

/**
 * Whether times run evenly faster or slower than the sound, as after a change of the sample rate in a format whose frames
 * carry no times.
 */
const isWrongRate = (steps: readonly Step[], minBlocks = MIN_WRONG_BLOCKS): boolean => {
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  const length = sum(steps.map(({ samples }) => samples));
  const excess = sum(steps.map(({ advance }) => advance)) - length;
  const isOff = ({ samples, advance }: Step): boolean =>
    Math.sign(excess) * (advance - samples) > (WRONG_RATE / 2) * samples;
  return Math.abs(excess) > WRONG_RATE * length && steps.filter(isOff).length >= minBlocks;
};

type PcmLayout = {
  readonly sampleRate: number;
  /** Of one sample of all channels. */
  readonly frameBytes: number;
  /**
   * Whether packets carry their times. In AVI they are counted by bytes, which puts gaps into AAC at 16 kHz that are not there;
   * only the start is known.
   */
  readonly hasTimes: boolean;
  /**
   * Whether the file has this sound alone, and is decoded from its beginning: then it begins with its sound, also if the first
   * packets of it decode to nothing, as in WMA and HE-AAC. Asked when the first samples have arrived.
   */
  readonly beginsWithSound?: () => Promise<boolean>;
};

/** The output of ffmpeg that a Timeline reads. */
export const TIMED_OUTPUT = ['-map_metadata', '-1', '-map_chapters', '-1', '-f', 'matroska'] as const;

/**
 * Filters after resampling. Times before zero would be moved to zero by the muxer, and everything after them, too. No
 * filter that counts or holds samples may follow: where the format changes inside a file, ffmpeg builds all filters anew.
 */
export const FROM_ZERO = 'atrim=start_pts=0';

/**
 * Puts decoded samples where their timestamps say, so that a sample's number is its time: fills gaps, and a late
 * start, with silence. ffmpeg's own `aresample=async` starts from zero at each change of format, and makes the silence
 * in one piece.
 */
export class Timeline {
  readonly #layout: PcmLayout;
  readonly #reader = new MatroskaReader();
  readonly #silence: Buffer;
  /** Samples so far. */
  #position = 0;
  /** Samples that are added to the times, after a mistake in them. */
  #offset = 0;
  #last: { readonly time: number; readonly samples: number } | null = null;
  #steps: readonly Step[] = [];
  /** The blocks since a gap, until their times confirm it: it counts as silence so far. */
  #late: { readonly gap: number; readonly blocks: Buffer[]; readonly steps: Step[] } | null = null;
  /** Times jumped forward by more than MAX_GAP: what follows is earlier than they say. */
  hasJumps = false;
  /** Times counted another sample rate than the sound's: the length that the file declares does, too. */
  hasWrongRate = false;

  constructor(layout: PcmLayout) {
    this.#layout = layout;
    this.#silence = Buffer.alloc(layout.sampleRate * layout.frameBytes);
  }

  /** Reads ffmpeg's output. Yields parts of the sound, each valid until the next one. */
  async *read(stdout: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
    for await (const bytes of stdout) {
      for (const block of this.#reader.push(bytes)) {
        if (this.#last === null && (await this.#layout.beginsWithSound?.()) === true) {
          this.#offset = -this.#timeOf(block);
        }
        yield* this.#place(block);
      }
    }
    yield* this.#writeLate();
  }

  *#writeLate(isBack = false): Generator<Buffer, void, undefined> {
    const late = this.#late;
    this.#late = null;
    if (late === null) return;
    const { gap, blocks, steps } = late;
    const isWrong = this.#isWrongRate(steps, Math.max(MIN_WRONG_BLOCKS, steps.length / 2));
    // Or only some times were wrong, as is the first one after some changes of the sample rate.
    if (isWrong || isBack) {
      this.#offset -= gap;
      this.#position -= gap;
    } else yield* this.#writeSilence(gap);
    yield* blocks;
  }

  #isWrongRate(...steps: Parameters<typeof isWrongRate>): boolean {
    const isWrong = isWrongRate(...steps);
    this.hasWrongRate ||= isWrong;
    return isWrong;
  }

  #timeOf({ milliseconds }: TimedSamples): number {
    return Math.round((milliseconds * this.#layout.sampleRate) / 1000);
  }

  *#place(block: TimedSamples): Generator<Buffer, void, undefined> {
    const { samples } = block;
    const { frameBytes } = this.#layout;
    const time = this.#timeOf(block);
    const last = this.#last;
    this.#last = { time, samples: samples.length / frameBytes };
    // The start is exact; later, a container's rounded times must not tear the sound.
    if (last === null) return yield* this.#write(time + this.#offset, samples);
    const step = { samples: last.samples, advance: time - last.time };
    this.#steps = [...this.#steps, step].slice(-HISTORY);
    // ffmpeg lets no time be before the last one: those that go back follow each other at once.
    const isBack = step.advance < step.samples / 20;
    this.#late?.steps.push(step);
    const gap = this.#gapBefore(time, isBack);
    if (this.#late !== null && gap === 0 && !isBack && this.#late.steps.length < HELD) {
      this.#late.blocks.push(Buffer.from(samples));
      this.#position += samples.length / frameBytes;
      return;
    }
    yield* this.#writeLate(isBack);
    if (gap <= 0) return yield* this.#write(gap, samples);
    this.#late = { gap, blocks: [Buffer.from(samples)], steps: [] };
    this.#position += gap + samples.length / frameBytes;
  }

  /** Samples of silence before those of a time; if negative, so many are there already. */
  #gapBefore(time: number, isBack: boolean): number {
    const { sampleRate, hasTimes } = this.#layout;
    if (!hasTimes) return 0;
    const gap = time + this.#offset - this.#position;
    if (Math.abs(gap) <= TOLERANCE * sampleRate) return 0;
    const isJump = gap > MAX_GAP * sampleRate;
    // Sound is not lost to times that mean nothing: it follows what came before.
    const isWrong = this.#isWrongRate(this.#steps) || (gap < 0 && this.hasWrongRate);
    if (!isJump && !isBack && !isWrong) return gap;
    this.hasJumps ||= isJump;
    this.#offset -= gap;
    return 0;
  }

  *#writeSilence(samples: number): Generator<Buffer, void, undefined> {
    const { sampleRate, frameBytes } = this.#layout;
    for (let left = samples; left > 0; left -= sampleRate) {
      yield this.#silence.subarray(0, Math.min(left, sampleRate) * frameBytes);
    }
  }

  /** Writes a block after a gap; a negative one drops as many of its first samples. */
  *#write(gap: number, bytes: Buffer): Generator<Buffer, void, undefined> {
    const { frameBytes } = this.#layout;
    yield* this.#writeSilence(gap);
    const samples = bytes.length / frameBytes;
    const dropped = Math.min(samples, Math.max(0, -gap));
    this.#position += samples - dropped + Math.max(0, gap);
    if (dropped < samples) yield bytes.subarray(dropped * frameBytes);
  }
}

/** The samples of a part that lie between two positions, of which the part begins at the first. */
export const within = (
  part: Buffer,
  frameBytes: number,
  at: number,
  { from, to }: { readonly from: number; readonly to: number | null },
): Buffer => {
  const last = to === null ? part.length : Math.max(0, to - at) * frameBytes;
  return part.subarray(Math.max(0, from - at) * frameBytes, last);
};
