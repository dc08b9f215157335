import { rm, stat } from 'node:fs/promises';
import { Transform, type TransformCallback } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { cancellationError, onAbort, throwIfAborted } from '../../base/abort.ts';
import { AppError } from '../../base/errors.ts';
import { refuseNonMedia } from './content-kind.ts';
import { averageOf } from './downmix.ts';
import { explainFfmpegError } from './failures.ts';
import { inputName, safeInputOptions } from './input-options.ts';
import { probe } from './probe.ts';
import { type FfmpegRun, runFfmpeg } from './run-ffmpeg.ts';
import { seekOrigin, seekTo } from './seek.ts';
import { DEFAULT_STALL_SECONDS, StallTimer } from './stall-timer.ts';
import { FROM_ZERO, TIMED_OUTPUT, Timeline, within } from './timeline.ts';
import type { BleepOptions, FfmpegTools, Span } from './types.ts';
import { declaredWavSound, hasMoreWavSound, WHOLE_WAV } from './wav-header.ts';

const TONE_HERTZ = 1000;
const TONE_AMPLITUDE = 0.2 * 32767;

type CoverOptions = {
  readonly sampleRate: number;
  readonly channels: number;
  /** Seconds on the source's timeline. */
  readonly spans: readonly Span[];
  /** The stream's start on that timeline. */
  readonly start: number;
  readonly cover: 'tone' | 'mute';
  /** What takes the place of the sound, from these frames on. */
  readonly restored?: readonly { readonly from: number; readonly pcm: Buffer }[];
};

/** The spans sorted and merged, as frames from the stream's start. */
const toFrames = ({ spans, sampleRate, start }: CoverOptions): { from: number; to: number }[] => {
  const frames: { from: number; to: number }[] = [];
  const nonEmpty = spans.filter((span) => span.end > span.start).sort((a, b) => a.start - b.start);
  for (const span of nonEmpty) {
    const from = Math.max(0, Math.floor((span.start - start) * sampleRate));
    const to = Math.ceil((span.end - start) * sampleRate);
    const last = frames.at(-1);
    if (last !== undefined && from <= last.to) last.to = Math.max(last.to, to);
    else if (to > from) frames.push({ from, to });
  }
  return frames;
};

/** Replaces spans of interleaved 16-bit PCM with a tone or silence. */
export class CoverTransform extends Transform {
  readonly #options: CoverOptions;
  readonly #spans: { from: number; to: number }[];
  readonly #frameBytes: number;
  #rest: Buffer = Buffer.alloc(0);
  #span = 0;
  /** Frames written so far. */
  frames = 0;

  constructor(options: CoverOptions) {
    super();
    this.#options = options;
    this.#spans = toFrames(options);
    this.#frameBytes = options.channels * 2;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, callback: TransformCallback): void {
    const bytes = Buffer.concat([this.#rest, chunk]);
    const whole = bytes.length - (bytes.length % this.#frameBytes);
    this.#rest = bytes.subarray(whole);
    const frames = bytes.subarray(0, whole);
    this.#restore(frames);
    this.#cover(frames);
    this.frames += frames.length / this.#frameBytes;
    callback(null, frames);
  }

  #restore(bytes: Buffer): void {
    for (const { from, pcm } of this.#options.restored ?? []) {
      const at = (from - this.frames) * this.#frameBytes;
      if (at < bytes.length && at + pcm.length > 0) pcm.copy(bytes, Math.max(0, at), Math.max(0, -at));
    }
  }

  #cover(bytes: Buffer): void {
    const end = this.frames + bytes.length / this.#frameBytes;
    for (let span = this.#spans[this.#span]; span !== undefined; span = this.#spans[this.#span]) {
      const to = Math.min(end, span.to);
      for (let frame = Math.max(this.frames, span.from); frame < to; frame++) this.#set(bytes, frame);
      if (span.to > end) return;
      this.#span++;
    }
  }

  #set(bytes: Buffer, frame: number): void {
    const { cover, sampleRate, channels } = this.#options;
    const value =
      cover === 'mute'
        ? 0
        : Math.round(TONE_AMPLITUDE * Math.sin((2 * Math.PI * TONE_HERTZ * frame) / sampleRate));
    const offset = (frame - this.frames) * this.#frameBytes;
    for (let channel = 0; channel < channels; channel++) bytes.writeInt16LE(value, offset + channel * 2);
  }
}

const ENCODERS: Readonly<Record<BleepOptions['format'], readonly string[]>> = {
  m4a: ['-c:a', 'aac', '-b:a', '96k', '-movflags', '+faststart', '-f', 'ipod'],
  ogg: ['-c:a', 'libopus', '-b:a', '48k', '-f', 'ogg'],
  wav: ['-c:a', 'pcm_s16le', '-rf64', 'auto', '-f', 'wav'],
};

/** `tracks`: how many tracks are mixed together. */
type PcmFormat = {
  readonly sampleRate: number;
  readonly channels: number;
  readonly tracks: number;
  /** How many channels the file has without saying which is which; null if it does. */
  readonly unnamed: number | null;
  readonly hasTimes: boolean;
  /** Whether the file has no other sound and no pictures. */
  readonly isAlone: boolean;
};

const layoutOf = (channels: number): string => (channels === 1 ? 'mono' : 'stereo');

/** One track through filters, or several mixed together as loud as they are, each with its own late start. */
const mapTracks = (pcm: PcmFormat, seeking: readonly string[]): string[] => {
  const { sampleRate, tracks, channels, unnamed } = pcm;
  const format = `aformat=sample_fmts=s16:channel_layouts=${layoutOf(channels)}`;
  const average = unnamed === null ? [] : [averageOf(unnamed)];
  const each = [...seeking, ...average, `aresample=${sampleRate}`, format];
  if (tracks === 1) return ['-map', '0:a:0', '-af', [...each, FROM_ZERO].join(',')];
  const late = [...each, 'aresample=async=1:first_pts=0'].join(',');
  const inputs = Array.from({ length: tracks }, (_, track) => `[0:a:${track}]${late}[t${track}]`);
  const names = inputs.map((_, track) => `[t${track}]`).join('');
  // amix divides by the number of inputs, and raises the others after the end of one; `normalize` came with ffmpeg 4.4.
  const loud = Array.from({ length: channels }, (_, at) => `c${at}=${tracks}*c${at}`).join('|');
  const sum = `amix=inputs=${tracks}:duration=longest:dropout_transition=1e9,pan=${layoutOf(channels)}|${loud}`;
  const mix = `${names}${sum},${format},${FROM_ZERO}[mix]`;
  return ['-filter_complex', [...inputs, mix].join(';'), '-map', '[mix]'];
};

/** The zero of ffmpeg's own timeline: the position that it seeks to, in seconds. */
const originOf = ({ input, range }: BleepOptions): number => seekOrigin(input, range?.start ?? 0);

const decodeRun = async (
  tools: FfmpegTools,
  options: BleepOptions,
  pcm: PcmFormat,
  onActivity: () => void,
): Promise<FfmpegRun> => {
  const { input, signal } = options;
  const sound = declaredWavSound(await refuseNonMedia(input, signal));
  const isWavLonger = sound !== null && (await hasMoreWavSound(input, sound, signal));
  const seeking = await seekTo(options.input, originOf(options), options.signal);
  throwIfAborted(options.signal);
  return runFfmpeg({
    tools,
    input: inputName(options.input),
    inputOptions: [...safeInputOptions(input), ...(isWavLonger ? WHOLE_WAV : []), ...seeking.inputOptions],
    outputOptions: [
      ...['-loglevel', 'error', '-progress', 'pipe:2'],
      ...mapTracks(pcm, seeking.filters),
      ...['-vn', '-sn', '-dn', '-c:a', 'pcm_s16le', ...TIMED_OUTPUT],
    ],
    outputFile: null,
    onStderr: onActivity,
  });
};

/** The range in samples of the source's timeline. */
const framesOf = ({ range }: BleepOptions, sampleRate: number): { from: number; to: number | null } => {
  const { start = 0, end = null } = range ?? {};
  return {
    from: Math.round(start * sampleRate),
    to: end === null ? null : Math.round(end * sampleRate),
  };
};

/** The samples of the range. Copied, as a stream may keep them. Kills ffmpeg at the end of the range. */
async function* readRange(
  run: FfmpegRun,
  options: BleepOptions,
  { sampleRate, channels, hasTimes, isAlone }: PcmFormat,
  onRead: () => void,
): AsyncGenerator<Buffer, void, undefined> {
  const frameBytes = 2 * channels;
  const range = framesOf(options, sampleRate);
  const origin = originOf(options);
  // As in decode.ts, whose times the spans have.
  const beginsWithSound = async () => isAlone && origin === 0;
  const timeline = new Timeline({ sampleRate, frameBytes, hasTimes, beginsWithSound });
  let at = Math.round(origin * sampleRate);
  for await (const part of timeline.read(run.stdout)) {
    onRead();
    yield Buffer.from(within(part, frameBytes, at, range));
    at += part.length / frameBytes;
    if (range.to !== null && at >= range.to) return void run.kill();
  }
}

const encodeRun = (
  tools: FfmpegTools,
  options: BleepOptions,
  pcm: PcmFormat,
  input: CoverTransform,
  onActivity: () => void,
): FfmpegRun =>
  runFfmpeg({
    tools,
    input,
    inputOptions: ['-f', 's16le', '-ar', String(pcm.sampleRate), '-ac', String(pcm.channels)],
    outputOptions: ['-loglevel', 'error', '-map_metadata', '-1', '-vn', ...ENCODERS[options.format]],
    outputFile: options.output,
    onStderr: onActivity,
  });

/** The sound that is restored, in the format of the input. */
const readRestored = async (
  tools: FfmpegTools,
  options: BleepOptions,
  pcm: PcmFormat,
  track: (run: FfmpegRun) => FfmpegRun,
): Promise<{ from: number; pcm: Buffer }[]> => {
  const { restore } = options;
  if (restore === undefined) return [];
  const source = { ...options, input: restore.input };
  const own = await pcmFormat(tools, source);
  const format = { ...own, sampleRate: pcm.sampleRate, channels: pcm.channels };
  const restored: { from: number; pcm: Buffer }[] = [];
  for (const span of restore.spans) {
    const part = { ...source, range: span };
    const run = track(await decodeRun(tools, part, format, () => {}));
    const buffers: Buffer[] = [];
    for await (const buffer of readRange(run, part, format, () => {})) buffers.push(buffer);
    await run.exit;
    const from = Math.round((span.start - restore.offset) * format.sampleRate);
    restored.push({ from, pcm: Buffer.concat(buffers) });
  }
  return restored;
};

/** Why the bleeping was stopped from outside: abort, failed range reader, stall. Null if it was not. */
const interruption = (options: BleepOptions, stalledAfter: number | null): AppError | null => {
  if (options.signal?.aborted) return cancellationError(options.signal);
  const upstream = options.input.kind === 'range' ? options.input.failure() : null;
  if (upstream !== null || stalledAfter === null) return upstream;
  return new AppError('decode_failed', `ffmpeg made no progress for ${stalledAfter} seconds.`);
};

/**
 * Throws if either run failed. A damaged source is no failure: what decodes is kept. `isWhole`: the decoder was ended
 * after the range.
 */
const checkExits = async (
  decoding: FfmpegRun,
  encoding: FfmpegRun,
  frames: number,
  isWhole: boolean,
): Promise<void> => {
  const decoded = await decoding.exit;
  const encoded = await encoding.exit;
  if (encoded.code !== 0 && encoded.code !== null) throw explainFfmpegError(encoded.stderr, encoded.code);
  if (!isWhole && (decoded.code === null || frames === 0))
    throw explainFfmpegError(decoded.stderr, decoded.code);
  if (encoded.code === null) throw explainFfmpegError(encoded.stderr, null);
};

const pcmFormat = async (tools: FfmpegTools, options: BleepOptions): Promise<PcmFormat> => {
  const { signal, limits, tracks } = options;
  const { audioStreams, container, hasVideo } = await probe(tools, options.input, { signal, limits, tracks });
  const [stream] = audioStreams;
  if (stream === undefined) throw new AppError('no_audio_track', 'The file has no sound in it.');
  const heard = tracks === 'all' ? audioStreams : [stream];
  const isUnnamed = heard.length === 1 && stream.channels > 2 && !stream.hasNamedChannels;
  return {
    sampleRate: stream.sampleRate || 48_000,
    channels: isUnnamed || heard.every(({ channels }) => channels === 1) ? 1 : 2,
    unnamed: isUnnamed ? stream.channels : null,
    tracks: heard.length,
    hasTimes: container !== 'avi',
    isAlone: audioStreams.length === 1 && !hasVideo,
  };
};

/**
 * Writes the audio with the spans covered by a tone or by silence, without moving anything else. Samples are
 * replaced before encoding and the source's metadata is dropped, so nothing said in a span is in the output.
 * A failed or cancelled call leaves no output.
 */
export const bleep = async (
  tools: FfmpegTools,
  options: BleepOptions,
): Promise<{ bytes: number; duration: number }> => {
  const { output, signal, limits } = options;
  const pcm = await pcmFormat(tools, options);
  const stallSeconds = limits?.stallSeconds ?? DEFAULT_STALL_SECONDS;
  let stalledAfter: number | null = null;
  const runs: FfmpegRun[] = [];
  let isStopped = false;
  const killAll = async (): Promise<void> => {
    isStopped = true;
    await Promise.all(runs.map((run) => run.kill()));
  };
  /** A run that starts after the end was asked for is killed at once. */
  const track = (run: FfmpegRun): FfmpegRun => {
    runs.push(run);
    if (isStopped) void run.kill();
    return run;
  };
  const stall = new StallTimer(stallSeconds, () => {
    stalledAfter = stallSeconds;
    void killAll();
  });
  const start = options.range?.start ?? 0;
  const unlisten = onAbort(signal, () => void killAll());
  try {
    stall.resume();
    const restored = await readRestored(tools, options, pcm, track);
    const cover = new CoverTransform({
      ...pcm,
      spans: options.spans,
      start,
      cover: options.cover ?? 'tone',
      restored,
    });
    const decoding = track(await decodeRun(tools, options, pcm, () => stall.touch()));
    const encoding = track(encodeRun(tools, options, pcm, cover, () => stall.touch()));
    // If the encoder ends early, e.g. on a full disk, nothing reads the decoder's output: it would wait forever.
    void encoding.exit.then(({ code }) => {
      if (code === 0) return;
      cover.destroy();
      void decoding.kill();
    });
    // A broken pipe is only a symptom: checkExits finds the cause.
    const samples = readRange(decoding, options, pcm, () => stall.touch());
    await pipeline(samples, cover).catch(() => encoding.kill());
    const { from, to } = framesOf(options, pcm.sampleRate);
    await checkExits(decoding, encoding, cover.frames, to !== null && from + cover.frames === to);
    return { bytes: (await stat(output)).size, duration: cover.frames / pcm.sampleRate };
  } catch (error) {
    await killAll();
    await rm(output, { force: true });
    throw interruption(options, stalledAfter) ?? error;
  } finally {
    stall.pause();
    unlisten();
  }
};
