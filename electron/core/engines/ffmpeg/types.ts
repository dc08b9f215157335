import type { RangeReader } from '../range-reader/types.ts';

/** Where the programs are. */
export type FfmpegTools = { readonly ffmpeg: string; readonly ffprobe: string };

/** A file of this machine, or a remote one read by ranges. */
export type MediaInput = { readonly kind: 'file'; readonly path: string } | RangeReader;

export type ProcessLimits = {
  /** Seconds without any output before ffmpeg is killed; default 60. */
  readonly stallSeconds?: number;
};

export type ProbeOptions = { readonly signal?: AbortSignal; readonly limits?: ProcessLimits };

export type AudioStream = {
  readonly codec: string;
  readonly sampleRate: number;
  readonly channels: number;
};

export type MediaInfo = {
  /** ffmpeg's name of the container, e.g. `mp3`, `mov,mp4,m4a,3gp,3g2,mj2`. */
  readonly container: string;
  /** A short name for people and file names: mp3, wav, flac, m4a, mp4, ogg, webm, mkv, … */
  readonly format: string;
  /** Seconds, as the file declares; null where it does not say (ffmpeg's guess from the bit rate is not given). */
  readonly duration: number | null;
  readonly audioStreams: readonly AudioStream[];
  readonly hasVideo: boolean;
  /** Bytes, where known. */
  readonly size: number | null;
};

/** Seconds. */
export type Span = { readonly start: number; readonly end: number };

export type CutOptions = {
  /** A piece is not cut before; seconds, default 15. */
  readonly minSeconds?: number;
  /**
   * The last silence long enough before this ends the piece; where there is none, the first one after it. Seconds,
   * default 29.5: Whisper hears 30 s at a time, and each time costs the same.
   */
  readonly windowSeconds?: number;
  /** A piece never gets longer; cut at its quietest point if there is no silence; seconds, default 120. */
  readonly maxSeconds?: number;
  /** What counts as a silence to cut at; seconds, default 0.4. */
  readonly minSilence?: number;
};

export type DecodeOptions = {
  /** Start of the range on the source's timeline, seconds; default 0. */
  readonly start?: number;
  /** End of the range, seconds; null or absent: the end of the audio. */
  readonly end?: number | null;
  /**
   * Goes on after a piece that was already handled: `at` is that piece's `end`, `index` the next number.
   * With the same start, end and cut options, the pieces are the same as in one uninterrupted decode.
   */
  readonly resume?: { readonly at: number; readonly index: number };
  readonly cut?: CutOptions;
  readonly signal?: AbortSignal;
  readonly limits?: ProcessLimits & {
    /** More audio than this is `decode_failed`; seconds, default 48 hours. */
    readonly maxSeconds?: number;
  };
};

/** A part of the audio, cut at silences. */
export type AudioPiece = {
  /** From 0. */
  readonly index: number;
  /** Seconds on the source's timeline, exact to a sample of 16 kHz. */
  readonly start: number;
  readonly end: number;
  /** 16 kHz mono, -1 to 1. */
  readonly pcm: Float32Array<ArrayBuffer>;
  /** Silences of at least 0.3 s inside the piece, on the source's timeline. */
  readonly silences: readonly Span[];
  /**
   * Minima and maxima of each 1/20 s (800 samples) of the piece, -127 to 127, one pair a bucket; piece
   * borders lie on bucket borders, so that the pieces' peaks simply follow one another.
   */
  readonly peaks: { readonly min: Int8Array<ArrayBuffer>; readonly max: Int8Array<ArrayBuffer> };
  /** Whether this is the last piece of the range. */
  readonly last: boolean;
};

export type DecodeSummary = {
  /** Seconds of audio from the range's start to its end, those before `resume.at` included. */
  readonly duration: number;
  /** Sentences for a person, e.g. that the file ends early. */
  readonly warnings: readonly string[];
};

export type Decode = {
  /** To be iterated once. Leaving the loop early kills ffmpeg. */
  readonly pieces: AsyncIterable<AudioPiece>;
  /** Valid once the pieces have been read to their end. */
  summary(): DecodeSummary;
};

export type BleepOptions = {
  readonly input: MediaInput;
  readonly output: string;
  /** Parts to cover, on the source's timeline. */
  readonly spans: readonly Span[];
  readonly format: 'm4a' | 'ogg' | 'wav';
  /** `tone`: 1 kHz; `mute`: silence. Default tone. */
  readonly cover?: 'tone' | 'mute';
  readonly range?: { readonly start: number; readonly end: number | null };
  readonly signal?: AbortSignal;
  readonly limits?: ProcessLimits;
};

/** The media engine: ffmpeg behind a few calls. All reject with AppErrors meant for a person. */
export type MediaEngine = {
  /** Throws `not_media`, `decode_failed`; a file without sound is an answer with no audio streams. */
  probe(input: MediaInput, options?: ProbeOptions): Promise<MediaInfo>;
  /** The pieces throw `not_media`, `no_audio_track`, `decode_failed`, `empty_range`, `cancelled`. */
  decodePieces(input: MediaInput, options?: DecodeOptions): Decode;
  /** Writes playable audio of unchanged length with the spans covered. */
  bleep(options: BleepOptions): Promise<{ readonly bytes: number; readonly duration: number }>;
  /** The version line of ffmpeg, for `doctor` and `/v1/system`. */
  version(): Promise<string>;
};
