import { setImmediate as nextTurn } from 'node:timers/promises';
import { cancellationError, onAbort, throwIfAborted } from '../../base/abort.ts';
import { SAMPLE_RATE, toSamples, toSeconds } from '../../base/audio.ts';
import { AppError } from '../../base/errors.ts';
import { refuseNonMedia } from './content-kind.ts';
import { Cutter, planCuts } from './cutter.ts';
import { explainFfmpegError, parseDurationLine } from './explain-error.ts';
import { type FfmpegRun, runFfmpeg } from './fluent.ts';
import { inputName, safeInputOptions } from './input-options.ts';
import { lost, MOST_LOSSES, wasLost } from './lost.ts';
import { seekOptions, seekOrigin } from './seek.ts';
import { SILENCE_FILTERS, SilenceMap, SilenceParser } from './silence-map.ts';
import { StallTimer } from './stall-timer.ts';
import type { AudioPiece, DecodeOptions, DecodeSummary, FfmpegTools, MediaInput } from './types.ts';

const DEFAULT_STALL_SECONDS = 60;
const DEFAULT_MAX_SECONDS = 48 * 3600;
const BYTES_PER_SAMPLE = 4;

/** Positions in samples of 16 kHz on the source's timeline. */
type DecodePlan = {
  /** Where ffmpeg's own time begins: it is told to seek there. */
  readonly origin: number;
  readonly rangeStart: number;
  readonly end: number | null;
  readonly limit: number;
};

const planDecode = (input: MediaInput, options: DecodeOptions): DecodePlan => {
  const start = options.start ?? 0;
  const rangeStart = toSamples(start);
  return {
    origin: toSamples(seekOrigin(input, start)),
    rangeStart,
    end: options.end === null || options.end === undefined ? null : toSamples(options.end),
    limit: toSamples(options.limits?.maxSeconds ?? DEFAULT_MAX_SECONDS),
  };
};

const filtersFor = (plan: DecodePlan, first: number): string => {
  const skip = first - plan.origin;
  const stop = plan.end === null ? '' : `:end_sample=${plan.end - plan.origin}`;
  return [
    `aresample=${SAMPLE_RATE}`,
    'aformat=sample_fmts=flt:channel_layouts=mono',
    // Gaps in the time stamps become silence, and a late start too: a sample's number is its time. Only after
    // the resampling, since ffmpeg makes the whole silence in memory, where 16 kHz mono takes the least.
    'aresample=async=1:first_pts=0',
    SILENCE_FILTERS,
    `atrim=start_sample=${skip}${stop}`,
  ].join(',');
};

/** Float32 samples out of chunks that may end in the middle of one. */
class SampleReader {
  #rest: Buffer = Buffer.alloc(0);

  read(chunk: Buffer): Float32Array {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const whole = bytes.length - (bytes.length % BYTES_PER_SAMPLE);
    this.#rest = bytes.subarray(whole);
    // A copy, since a Float32Array must begin at a multiple of four bytes.
    const aligned = new Uint8Array(bytes.subarray(0, whole));
    return new Float32Array(aligned.buffer, 0, whole / BYTES_PER_SAMPLE);
  }
}

/** One decode, from starting ffmpeg to explaining how it ended; an ffmpeg that was killed is started again. */
export class Decoder {
  readonly #tools: FfmpegTools;
  readonly #input: MediaInput;
  readonly #options: DecodeOptions;
  readonly #plan: DecodePlan;
  readonly #stallSeconds: number;
  #silences = new SilenceMap();
  #parser = new SilenceParser();
  /** The first sample to hand out next: the range's start, or where the last piece ended; and that piece's number. */
  #first: number;
  #index: number;
  /** The sample after the last one received. */
  #position: number;
  #declared: number | null = null;
  /** Whether the declared length is a guess, or that of the pictures: then it proves nothing about the sound. */
  #lengthIsVague = false;
  #jumps = false;
  #stalled = false;
  #warnings: string[] = [];

  constructor(tools: FfmpegTools, input: MediaInput, options: DecodeOptions) {
    this.#tools = tools;
    this.#input = input;
    this.#options = options;
    this.#plan = planDecode(input, options);
    const { resume } = options;
    this.#first = resume === undefined ? this.#plan.rangeStart : toSamples(resume.at);
    this.#index = resume?.index ?? 0;
    this.#position = this.#first;
    this.#stallSeconds = options.limits?.stallSeconds ?? DEFAULT_STALL_SECONDS;
  }

  summary(): DecodeSummary {
    return {
      duration: toSeconds(Math.max(0, this.#position - this.#plan.rangeStart)),
      warnings: this.#warnings,
    };
  }

  async *pieces(): AsyncGenerator<AudioPiece, void, undefined> {
    let losses = 0;
    for (;;) {
      const before = this.#index;
      try {
        yield* this.#run();
        return;
      } catch (error) {
        losses = this.#index > before ? 1 : losses + 1;
        if (!wasLost(error) || this.#stalled || losses === MOST_LOSSES) throw error;
      }
      this.#silences = new SilenceMap();
      this.#parser = new SilenceParser();
      this.#position = this.#first;
    }
  }

  async *#run(): AsyncGenerator<AudioPiece, void, undefined> {
    const { signal } = this.#options;
    throwIfAborted(signal);
    const seeking = await this.#prepare();
    throwIfAborted(signal);
    const stall = new StallTimer(this.#stallSeconds, () => {
      this.#stalled = true;
      void run.kill();
    });
    const run = this.#start(seeking, stall);
    const unlisten = onAbort(signal, () => void run.kill());
    try {
      yield* this.#cut(run, stall);
    } catch (error) {
      throw this.#interruption() ?? error;
    } finally {
      stall.pause();
      unlisten();
      await run.kill();
    }
  }

  /** Looks at the first bytes; gives the options with which ffmpeg finds the range's start in a remote file. */
  async #prepare(): Promise<string[]> {
    const { signal } = this.#options;
    try {
      await refuseNonMedia(this.#input, signal);
      return await seekOptions(this.#input, toSeconds(this.#plan.origin), signal);
    } catch (error) {
      throw this.#interruption() ?? error;
    }
  }

  #start(seeking: readonly string[], stall: StallTimer): FfmpegRun {
    return runFfmpeg({
      tools: this.#tools,
      input: inputName(this.#input),
      inputOptions: [...safeInputOptions(this.#input), ...seeking],
      outputOptions: [
        ...['-loglevel', 'info', '-progress', 'pipe:2', '-stats_period', '2'],
        ...['-map', '0:a:0', '-vn', '-sn', '-dn', '-map_metadata', '-1'],
        ...['-af', filtersFor(this.#plan, this.#first), '-f', 'f32le', '-c:a', 'pcm_f32le'],
      ],
      outputFile: null,
      onStderr: (line) => {
        stall.touch();
        this.#read(line);
      },
    });
  }

  #read(line: string): void {
    const event = this.#parser.read(line);
    if (event !== null) this.#silences.add({ ...event, sample: event.sample + this.#plan.origin });
    this.#jumps ||= line.includes('Failed to compensate for timestamp delta');
    this.#declared ??= parseDurationLine(line);
    this.#lengthIsVague ||=
      line.includes('Estimating duration from bitrate') ||
      (/Stream #0:\d+.*: Video: /.test(line) && !line.includes('attached pic'));
  }

  async *#cut(run: FfmpegRun, stall: StallTimer): AsyncGenerator<AudioPiece, void, undefined> {
    const cutter = new Cutter(planCuts(this.#options.cut), this.#silences, this.#first, this.#index);
    const reader = new SampleReader();
    stall.resume();
    for await (const chunk of run.stdout) {
      let samples = reader.read(chunk);
      while (samples.length > 0) {
        const part = samples.subarray(0, cutter.room);
        samples = samples.subarray(part.length);
        cutter.push(part);
        this.#position += part.length;
        if (!cutter.ready) continue;
        await this.#logHeard();
        for (let piece = cutter.next(false); piece !== null; piece = cutter.next(false)) {
          // The consumer may take as long as it likes: that is no stall of ffmpeg's.
          stall.pause();
          yield this.#noted(piece);
          throwIfAborted(this.#options.signal);
          stall.resume();
        }
      }
      if (this.#position > this.#plan.limit) throw this.#tooLong();
      stall.touch();
    }
    await this.#finish(run);
    stall.pause();
    for (let piece = cutter.next(true); piece !== null; piece = cutter.next(true)) yield this.#noted(piece);
  }

  /** Where to go on from if ffmpeg is lost after this piece. */
  #noted(piece: AudioPiece): AudioPiece {
    this.#first = toSamples(piece.end);
    this.#index = piece.index + 1;
    return piece;
  }

  /**
   * ffmpeg logs a silence before it writes the samples after it, but on another pipe. When samples have been
   * read, everything logged before them waits in that pipe: after one whole turn of the event loop it is read.
   */
  async #logHeard(): Promise<void> {
    await nextTurn();
    await nextTurn();
  }

  /** Throws if the audio is not what was asked for; else notes what a person should know about it. */
  async #finish(run: FfmpegRun): Promise<void> {
    const exit = await run.exit;
    const failure = this.#interruption();
    if (failure !== null) throw failure;
    if (exit.startError !== null) {
      throw new AppError('engine_unavailable', `ffmpeg could not be started: ${exit.startError}`);
    }
    const { rangeStart, end } = this.#plan;
    const received = this.#position > this.#first;
    if (exit.code === null || (exit.code !== 0 && !received))
      throw explainFfmpegError(exit.stderr, exit.code);
    if (!received && this.#first === rangeStart) throw this.#emptyError(rangeStart, exit.stderr);
    if (end === null || this.#position < end) this.#noteEarlyEnd(exit.code);
    if (this.#jumps) {
      this.#warnings.push(
        'The time stamps in the file jump by more than an hour: later times are too early.',
      );
    }
  }

  #emptyError(rangeStart: number, stderr: readonly string[]): AppError {
    if (rangeStart > 0) {
      const length = this.#declared === null ? '' : ` It is ${Math.round(this.#declared)} seconds long.`;
      return new AppError('empty_range', `The range begins after the end of the audio.${length}`);
    }
    const damaged = stderr.some((line) => /error|invalid|truncat|partial/i.test(line));
    return new AppError(
      'decode_failed',
      damaged ? 'The file is damaged: no sound could be decoded from it.' : 'The file holds no sound at all.',
    );
  }

  #noteEarlyEnd(exitCode: number): void {
    const seconds = toSeconds(this.#position);
    const declared = this.#declared;
    const short = declared !== null && seconds < declared - Math.max(1, declared * 0.01);
    if (exitCode !== 0 || (short && !this.#lengthIsVague)) {
      const of = declared === null ? '' : ` of ${Math.round(declared)}`;
      this.#warnings.push(
        `The file ends early or is damaged: ${Math.round(seconds)}${of} seconds could be decoded.`,
      );
    }
  }

  /** Why the decode was broken off from outside, or null. */
  #interruption(): AppError | null {
    if (this.#options.signal?.aborted) return cancellationError(this.#options.signal);
    const upstream = this.#input.kind === 'range' ? this.#input.failure() : null;
    if (upstream !== null) return upstream;
    return this.#stalled ? lost(`ffmpeg made no progress for ${this.#stallSeconds} seconds.`) : null;
  }

  #tooLong(): AppError {
    const hours = Math.round(toSeconds(this.#plan.limit) / 3600);
    return new AppError('decode_failed', `The audio is longer than ${hours} hours.`);
  }
}
