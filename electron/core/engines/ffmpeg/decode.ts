import { type StoredWarning, warningOf } from '../../../contract/warnings.ts';
import { cancellationError, onAbort, throwIfAborted } from '../../base/abort.ts';
import { SAMPLE_RATE, toSamples, toSeconds } from '../../base/audio.ts';
import { AppError } from '../../base/errors.ts';
import { Chunker, planChunks } from './chunker.ts';
import { refuseNonMedia } from './content-kind.ts';
import { averageOf, Downmix, midAndSide } from './downmix.ts';
import {
  explainFfmpegError,
  isTransientFailure,
  lengthFromStart,
  MAX_FFMPEG_ATTEMPTS,
  parseDurationLine,
  transientFailure,
} from './failures.ts';
import { inputName, safeInputOptions } from './input-options.ts';
import { probe } from './probe.ts';
import { type FfmpegRun, runFfmpeg } from './run-ffmpeg.ts';
import { type Seeking, seekOrigin, seekTo } from './seek.ts';
import { DEFAULT_STALL_SECONDS, StallTimer } from './stall-timer.ts';
import { FROM_ZERO, TIMED_OUTPUT, Timeline, within } from './timeline.ts';
import type { AudioChunk, Decode, DecodeOptions, DecodeSummary, FfmpegTools, MediaInput } from './types.ts';
import { declaredWavSound, hasMoreWavSound, isAvi, WHOLE_WAV } from './wav-header.ts';

const DEFAULT_MAX_SECONDS = 48 * 3600;
const BYTES_PER_SAMPLE = 4;
/** ffmpeg's lines for channels that the file does not name; more than it has names for fail. */
const GUESSED_CHANNELS =
  /Guessed Channel Layout.*: (?!mono$|stereo$)|Rematrix is needed between \d+ channels/;

/** Positions in samples on the source's timeline. */
type DecodePlan = {
  /** Zero of ffmpeg's own timeline: the position that it seeks to. */
  readonly origin: number;
  readonly rangeStart: number;
  readonly end: number | null;
  readonly limit: number;
};

const planDecode = (input: MediaInput, options: DecodeOptions): DecodePlan => {
  const start = options.start ?? 0;
  const rangeStart = toSamples(start);
  return {
    origin: toSamples(seekOrigin(input, start, options.seek)),
    rangeStart,
    end: options.end === null || options.end === undefined ? null : toSamples(options.end),
    limit: toSamples(options.limits?.maxSeconds ?? DEFAULT_MAX_SECONDS),
  };
};

/** Thrown out of a run whose channels ffmpeg named by guessing. */
class GuessedChannels extends Error {}

/**
 * One decode, from starting ffmpeg to explaining how it ended. Restarts an ffmpeg that was killed from outside,
 * at the end of the last chunk; gives up after MAX_FFMPEG_ATTEMPTS without a chunk in between.
 */
export class Decoder implements Decode {
  readonly chunks: AsyncIterable<AudioChunk>;
  readonly #tools: FfmpegTools;
  readonly #input: MediaInput;
  readonly #options: DecodeOptions;
  readonly #plan: DecodePlan;
  readonly #stallSeconds: number;
  /** The first sample of the next chunk, and that chunk's index. */
  #first: number;
  #index: number;
  /** The position after the last sample received. */
  #position: number;
  /** ffmpeg's name of it. */
  #container = '';
  #declaredSeconds: number | null = null;
  /** Declared by the header of a WAV file, where ffmpeg takes the length of the file instead. */
  #wavSeconds: number | null = null;
  /** That file goes on behind the end that its header declares. */
  #isWavLonger = false;
  #isDurationEstimated = false;
  /** The numbers of the file's streams of sound and pictures. The declared duration is that of the longest. */
  readonly #streams = new Set<string>();
  #hasReadStreams = false;
  /** Resolves once they are known, or ffmpeg has ended. */
  #streamsRead = Promise.withResolvers<void>();
  /** ffmpeg says that the container goes on beyond the end of the file. */
  #isCutOff = false;
  #hasTimes = true;
  #hasJumps = false;
  #hasWrongRate = false;
  /** ffmpeg guesses which channel is which, and would leave out what it takes for a channel of bass. */
  #hasGuessedChannels = false;
  /** The number of channels of which nothing says which is which. */
  #unnamedChannels: number | null = null;
  #hasStalled = false;
  #warnings: StoredWarning[] = [];

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
    this.chunks = this.#decode();
  }

  summary(): DecodeSummary {
    return {
      duration: toSeconds(Math.max(0, this.#position - this.#plan.rangeStart)),
      warnings: this.#warnings,
    };
  }

  async *#decode(): AsyncGenerator<AudioChunk, void, undefined> {
    let failures = 0;
    for (;;) {
      const before = this.#index;
      try {
        yield* this.#run();
        return;
      } catch (error) {
        if (error instanceof GuessedChannels) {
          this.#unnamedChannels = await this.#countChannels();
          this.#position = this.#first;
          continue;
        }
        failures = this.#index > before ? 1 : failures + 1;
        if (!isTransientFailure(error) || this.#hasStalled || failures === MAX_FFMPEG_ATTEMPTS) throw error;
      }
      this.#position = this.#first;
    }
  }

  async *#run(): AsyncGenerator<AudioChunk, void, undefined> {
    const { signal } = this.#options;
    throwIfAborted(signal);
    const seeking = await this.#prepare();
    throwIfAborted(signal);
    const stall = new StallTimer(this.#stallSeconds, () => {
      this.#hasStalled = true;
      void run.kill();
    });
    const run = this.#start(seeking, stall);
    const unlisten = onAbort(signal, () => void run.kill());
    try {
      yield* this.#readChunks(run, stall);
    } catch (error) {
      throw this.#interruption() ?? error;
    } finally {
      stall.pause();
      unlisten();
      await run.kill();
    }
  }

  /** Refuses non-media by its first bytes. Returns how ffmpeg seeks to the origin. */
  async #prepare(): Promise<Seeking> {
    const { signal } = this.#options;
    try {
      const head = await refuseNonMedia(this.#input, signal);
      const sound = declaredWavSound(head);
      this.#wavSeconds = sound?.seconds ?? null;
      this.#isWavLonger = sound !== null && (await hasMoreWavSound(this.#input, sound, signal));
      this.#hasTimes = !isAvi(head);
      return await seekTo(this.#input, toSeconds(this.#plan.origin), signal);
    } catch (error) {
      throw this.#interruption() ?? error;
    }
  }

  #start(seeking: Seeking, stall: StallTimer): FfmpegRun {
    return runFfmpeg({
      tools: this.#tools,
      input: inputName(this.#input),
      inputOptions: [
        ...safeInputOptions(this.#input),
        ...(this.#isWavLonger ? WHOLE_WAV : []),
        ...seeking.inputOptions,
      ],
      outputOptions: [
        ...['-loglevel', 'info', '-progress', 'pipe:2'],
        ...['-map', `0:a:${this.#options.select?.track ?? 0}`, '-vn', '-sn', '-dn'],
        ...['-af', this.#filters(seeking), '-c:a', 'pcm_f32le', ...TIMED_OUTPUT],
      ],
      outputFile: null,
      onStderr: (line) => {
        stall.touch();
        this.#readLogLine(line);
      },
    });
  }

  #filters({ filters }: Seeking): string {
    const { select } = this.#options;
    if (select !== undefined) {
      const mono = `aresample=${SAMPLE_RATE},aformat=sample_fmts=flt:channel_layouts=mono`;
      return [...filters, `pan=mono|c0=c${select.channel}`, mono, FROM_ZERO].join(',');
    }
    const average = this.#unnamedChannels === null ? [] : [averageOf(this.#unnamedChannels)];
    return `${midAndSide([...filters, ...average])},${FROM_ZERO}`;
  }

  async #countChannels(): Promise<number> {
    const { signal, limits } = this.#options;
    const { audioStreams } = await probe(this.#tools, this.#input, {
      ...(signal && { signal }),
      ...(limits && { limits }),
    });
    return audioStreams[0]?.channels ?? 1;
  }

  #readLogLine(line: string): void {
    this.#hasGuessedChannels ||= GUESSED_CHANNELS.test(line);
    this.#container = /^Input #0, (\S+), from/.exec(line)?.[1] ?? this.#container;
    const declared = this.#declaredSeconds === null ? parseDurationLine(line) : null;
    if (declared !== null)
      this.#declaredSeconds = lengthFromStart(this.#container, declared.duration, declared.start);
    this.#isDurationEstimated ||= line.includes('Estimating duration from bitrate');
    this.#isCutOff ||= line.includes('File ended prematurely') || line.includes('partial file');
    // The streams of the output are listed after the mapping.
    this.#hasReadStreams ||= line.includes('Stream mapping:');
    if (this.#hasReadStreams) this.#streamsRead.resolve();
    const stream = /Stream #0:(\d+).*: (?:Audio|Video): /.exec(line)?.[1];
    if (stream !== undefined && !this.#hasReadStreams && !line.includes('attached pic')) {
      this.#streams.add(stream);
    }
  }

  async *#readChunks(run: FfmpegRun, stall: StallTimer): AsyncGenerator<AudioChunk, void, undefined> {
    const chunker = new Chunker(planChunks(this.#options.chunking), this.#first, this.#index);
    stall.resume();
    for await (const part of this.#readRange(run)) {
      let rest = part;
      while (rest.length > 0) {
        rest = rest.subarray(chunker.push(rest));
        this.#position = chunker.position;
        if (!chunker.isReady) continue;
        // The consumer's pace is no stall of ffmpeg's.
        stall.pause();
        this.#refuseGuess();
        for (let chunk = await chunker.next(false); chunk !== null; chunk = await chunker.next(false)) {
          yield this.#advancePast(chunk);
          throwIfAborted(this.#options.signal);
        }
        stall.resume();
      }
      if (this.#position > this.#plan.limit) throw this.#tooLong();
      stall.touch();
    }
    if (this.#position !== this.#plan.end) await this.#checkEnd(run);
    this.#refuseGuess();
    if (this.#isWavLonger && this.#plan.end === null) this.#warnings.push(this.#longerWav());
    if (this.#hasJumps) this.#warnings.push(warningOf('time_stamps_jump'));
    stall.pause();
    for (let chunk = await chunker.next(true); chunk !== null; chunk = await chunker.next(true)) {
      yield this.#advancePast(chunk);
    }
  }

  #refuseGuess(): void {
    const isMixed = this.#options.select === undefined && this.#unnamedChannels === null;
    if (isMixed && this.#hasGuessedChannels) throw new GuessedChannels();
  }

  /** What ffmpeg writes, from the next chunk to the end of the range. */
  async *#readRange(run: FfmpegRun): AsyncGenerator<Buffer, void, undefined> {
    const range = { from: this.#first, to: this.#plan.end };
    let at = this.#plan.origin;
    for await (const part of this.#readMono(run)) {
      yield within(part, BYTES_PER_SAMPLE, at, range);
      at += part.length / BYTES_PER_SAMPLE;
      if (range.to !== null && at >= range.to) return;
    }
  }

  async *#readMono(run: FfmpegRun): AsyncGenerator<Buffer, void, undefined> {
    const isMixed = this.#options.select === undefined;
    const frameBytes = isMixed ? 2 * BYTES_PER_SAMPLE : BYTES_PER_SAMPLE;
    void run.exit.then(() => this.#streamsRead.resolve());
    const timeline = new Timeline({
      sampleRate: SAMPLE_RATE,
      frameBytes,
      hasTimes: this.#hasTimes,
      beginsWithSound: async () => {
        await this.#streamsRead.promise;
        return this.#plan.origin === 0 && this.#streams.size === 1;
      },
    });
    const samples = timeline.read(run.stdout);
    const downmix = new Downmix();
    for await (const part of samples) {
      this.#hasJumps ||= timeline.hasJumps;
      this.#hasWrongRate ||= timeline.hasWrongRate;
      if (isMixed) yield* downmix.push(part);
      else yield part;
    }
    yield* downmix.end();
  }

  /** A restarted ffmpeg continues after this chunk. */
  #advancePast(chunk: AudioChunk): AudioChunk {
    this.#first = toSamples(chunk.end);
    this.#index = chunk.index + 1;
    return chunk;
  }

  /** Throws if the audio is not what was asked for; adds warnings about what was decoded. */
  async #checkEnd(run: FfmpegRun): Promise<void> {
    const exit = await run.exit;
    this.#refuseGuess();
    const failure = this.#interruption();
    if (failure !== null) throw failure;
    if (exit.startError !== null) {
      throw new AppError('engine_unavailable', `ffmpeg could not be started: ${exit.startError}`);
    }
    const { rangeStart } = this.#plan;
    const hasAudio = this.#position > this.#first;
    if (exit.code === null || (exit.code !== 0 && !hasAudio))
      throw explainFfmpegError(exit.stderr, exit.code);
    if (!hasAudio && this.#first === rangeStart) throw this.#emptyError(rangeStart, exit.stderr);
    this.#warnIfTruncated(exit.code);
  }

  #emptyError(rangeStart: number, stderr: readonly string[]): AppError {
    if (rangeStart > 0) {
      const seconds = this.#declaredSeconds;
      const length = seconds === null ? '' : ` It is ${Math.round(seconds)} seconds long.`;
      return new AppError('empty_range', `The range begins after the end of the audio.${length}`);
    }
    const isDamaged = stderr.some((line) => /error|invalid|truncat|partial/i.test(line));
    return new AppError(
      'decode_failed',
      isDamaged
        ? 'The file is damaged: no sound could be decoded from it.'
        : 'The file holds no sound at all.',
    );
  }

  #warnIfTruncated(exitCode: number): void {
    const seconds = toSeconds(this.#position);
    const declared = this.#wavSeconds ?? this.#declaredSeconds;
    const isShort = declared !== null && seconds < declared - Math.max(1, declared * 0.01);
    // Beside a longer stream, a track may be shorter than the file without a loss.
    const isConclusive = this.#streams.size === 1 || this.#isCutOff;
    const isGuessed = this.#isDurationEstimated || this.#hasWrongRate;
    const isTruncated = isShort && (this.#wavSeconds !== null || (!isGuessed && isConclusive));
    if (exitCode !== 0 || isTruncated) {
      this.#warnings.push(
        declared === null || seconds > declared
          ? warningOf('file_damaged', { seconds: Math.round(seconds) })
          : warningOf('file_ends_early', { seconds: Math.round(seconds), declared: Math.round(declared) }),
      );
    }
  }

  /** Why the decode was stopped from outside: abort, failed range reader, stall. Null if it was not. */
  #interruption(): AppError | null {
    if (this.#options.signal?.aborted) return cancellationError(this.#options.signal);
    const upstream = this.#input.kind === 'range' ? this.#input.failure() : null;
    if (upstream !== null) return upstream;
    return this.#hasStalled
      ? transientFailure(`ffmpeg made no progress for ${this.#stallSeconds} seconds.`)
      : null;
  }

  #longerWav(): StoredWarning {
    const [declared, seconds] = [Math.round(this.#wavSeconds ?? 0), Math.round(toSeconds(this.#position))];
    return warningOf('wav_length_wrong', { declared, seconds });
  }

  #tooLong(): AppError {
    const hours = Math.round(toSeconds(this.#plan.limit) / 3600);
    return new AppError('decode_failed', `The audio is longer than ${hours} hours.`);
  }
}
