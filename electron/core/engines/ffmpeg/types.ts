import type { StoredWarning } from '../../../contract/warnings.ts';
import type { RangeReader } from '../net/range-reader/range-reader.ts';

/** Paths of the programs. */
export type FfmpegTools = { readonly ffmpeg: string; readonly ffprobe: string };

export type LocalFile = {
  readonly kind: 'file';
  readonly path: string;
  /** ffmpeg's name of a format without a header; see `localFile`. */
  readonly format?: string;
};

/** A local file, or a remote one read by ranges. */
export type MediaInput = LocalFile | RangeReader;

export type ProcessLimits = {
  /** Seconds without any output before ffmpeg is killed; default DEFAULT_STALL_SECONDS of `stall-timer.ts`. */
  readonly stallSeconds?: number;
};

export type ProbeOptions = {
  readonly signal?: AbortSignal;
  readonly limits?: ProcessLimits;
  /** The tracks that will be decoded, whose formats must be sane; default: the first. */
  readonly tracks?: 'first' | 'all';
};

export type AudioStream = {
  readonly codec: string;
  readonly sampleRate: number;
  readonly channels: number;
  /** Whether the file says which channel is which. */
  readonly hasNamedChannels: boolean;
};

export type MediaInfo = {
  /** ffmpeg's name of the container, e.g. `mp3`, `mov,mp4,m4a,3gp,3g2,mj2`. */
  readonly container: string;
  /** A short name for people and file names: mp3, wav, flac, m4a, mp4, ogg, webm, mkv, … */
  readonly format: string;
  /** Seconds, as the file declares; null if it does not (ffmpeg's estimate from the bit rate is left out). */
  readonly duration: number | null;
  readonly audioStreams: readonly AudioStream[];
  readonly hasVideo: boolean;
  /** Bytes; null if unknown. */
  readonly size: number | null;
};

/** In seconds. */
export type Span = { readonly start: number; readonly end: number };

/** Finds where somebody speaks in audio at 16 kHz: spans in seconds from its start, in order, apart from each other. */
export type FindSpeech = (pcm: Float32Array) => Promise<readonly Span[]>;

export type ChunkOptions = {
  /** The least length of a chunk; seconds, default 15. */
  readonly minSeconds?: number;
  /**
   * A chunk ends in the last pause before this; without a pause at its quietest point. Seconds, default 29.5: Whisper encodes
   * windows of 30 s, at the same cost however full they are.
   */
  readonly windowSeconds?: number;
  /** Default: everything counts as speech. */
  readonly findSpeech?: FindSpeech | undefined;
};

/** One channel of one audio track; both count from 0. */
export type ChannelSelection = { readonly track: number; readonly channel: number };

export type DecodeOptions = {
  /** What is decoded; default: the first track, mixed down to mono. */
  readonly select?: ChannelSelection | undefined;
  /** Start of the range on the source's timeline, seconds; default 0. */
  readonly start?: number;
  /** End of the range, seconds; null or absent: the end of the audio. */
  readonly end?: number | null;
  /** Seek to the start in a local file, too: exact to a frame of its codec, and at once. Default: decode up to it. */
  readonly seek?: boolean;
  /**
   * Continues after an earlier chunk: `at` is its `end`, `index` the next index. With the same start, end and
   * chunk options, the chunks are those of an uninterrupted decode.
   */
  readonly resume?: { readonly at: number; readonly index: number };
  readonly chunking?: ChunkOptions;
  readonly signal?: AbortSignal;
  readonly limits?: ProcessLimits & {
    /** More audio than this is `decode_failed`; seconds, default 48 hours. */
    readonly maxSeconds?: number;
  };
};

/** A part of the audio, cut in a pause. */
export type AudioChunk = {
  /** From 0. */
  readonly index: number;
  /** Seconds on the source's timeline, exact to a sample of 16 kHz. */
  readonly start: number;
  readonly end: number;
  /** 16 kHz mono, -1 to 1. Owned by the consumer, who frees it once nothing reads it. */
  readonly pcm: Float32Array<ArrayBuffer>;
  /** Where somebody speaks inside the chunk, on the source's timeline; in order. */
  readonly speech: readonly Span[];
  /**
   * Minimum and maximum of each bucket of 1/20 s (800 samples), -127 to 127. Chunks begin and end on bucket
   * borders, so the peaks of consecutive chunks can be concatenated.
   */
  readonly peaks: { readonly min: Int8Array<ArrayBuffer>; readonly max: Int8Array<ArrayBuffer> };
};

export type DecodeSummary = {
  /** Seconds of audio from the range's start to its end, including those before `resume.at`. */
  readonly duration: number;
  /** Sentences for a person, e.g. that the file ends early. */
  readonly warnings: readonly StoredWarning[];
};

export type Decode = {
  /** Iterate once. Leaving the loop early kills ffmpeg. */
  readonly chunks: AsyncIterable<AudioChunk>;
  /** Valid once `chunks` has been read to its end. */
  summary(): DecodeSummary;
};

export type BleepOptions = {
  readonly input: MediaInput;
  readonly output: string;
  /** The spans to cover, on the source's timeline. */
  readonly spans: readonly Span[];
  /** Takes the place of the input's sound. `spans` are on its own timeline, on which the input starts at `offset`; seconds. */
  readonly restore?: { readonly input: MediaInput; readonly spans: readonly Span[]; readonly offset: number };
  readonly format: 'm4a' | 'ogg' | 'wav';
  /** `tone`: 1 kHz; `mute`: silence. Default tone. */
  readonly cover?: 'tone' | 'mute';
  readonly range?: { readonly start: number; readonly end: number | null };
  /** The tracks that are heard: the first (default), or all mixed together. */
  readonly tracks?: 'first' | 'all';
  readonly signal?: AbortSignal;
  readonly limits?: ProcessLimits;
};

/** ffmpeg behind four calls. All reject with AppErrors whose messages are meant for a person. */
export type MediaEngine = {
  /** Throws `not_media`, `decode_failed`. A file without audio resolves, with no `audioStreams`. */
  probe(input: MediaInput, options?: ProbeOptions): Promise<MediaInfo>;
  /** Reading the chunks throws `not_media`, `no_audio_track`, `decode_failed`, `empty_range`, `cancelled`. */
  decodeChunks(input: MediaInput, options?: DecodeOptions): Decode;
  /** Writes playable audio of unchanged duration with the spans covered. */
  bleep(options: BleepOptions): Promise<{ readonly bytes: number; readonly duration: number }>;
  /** ffmpeg's version, for `doctor` and `/v1/system`. */
  version(): Promise<string>;
};
