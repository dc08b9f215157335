import { spawn } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { z } from 'zod';
import { cancellationError, onAbort, throwIfAborted } from '../../base/abort.ts';
import { AppError } from '../../base/errors.ts';
import { refuseNonMedia } from './content-kind.ts';
import { explainFfmpegError, lengthFromStart, MAX_FFMPEG_ATTEMPTS } from './failures.ts';
import { inputName, safeInputOptions } from './input-options.ts';
import { withLimitedMemory } from './memory-limit.ts';
import { DEFAULT_STALL_SECONDS, StallTimer } from './stall-timer.ts';
import type { AudioStream, FfmpegTools, MediaInfo, MediaInput, ProbeOptions } from './types.ts';

const VERSION_TIMEOUT_SECONDS = 30;
/** Characters. */
const MAX_OUTPUT = 4 * 1024 * 1024;

/**
 * What real recordings stay within: telephone recordings from 4 kHz, DSD512 up to 2.8 MHz as ffmpeg counts it, and
 * ambisonics of the seventh order. The resampler allocates by the ratio to 16 kHz: 16 KB at 1 Hz took 929 MB.
 */
const MIN_SAMPLE_RATE = 1000;
const MAX_SAMPLE_RATE = 6_000_000;
const MAX_CHANNELS = 64;

const numberText = z.string().transform(Number).pipe(z.number().min(0)).optional().catch(undefined);

const ProbeOutput = z.object({
  streams: z
    .array(
      z.object({
        codec_type: z.string().optional(),
        codec_name: z.string().optional(),
        sample_rate: numberText,
        channels: z.number().optional(),
        channel_layout: z.string().optional(),
        duration: numberText,
        disposition: z.object({ attached_pic: z.number().optional() }).optional(),
      }),
    )
    .default([]),
  format: z.object({
    format_name: z.string(),
    start_time: numberText,
    duration: numberText,
    size: numberText,
  }),
});

const SHORT_NAMES: readonly (readonly [RegExp, (video: boolean) => string])[] = [
  [/^mov,mp4/, (video) => (video ? 'mp4' : 'm4a')],
  [/^matroska,webm/, () => 'webm'],
  [/^(aiff|amr|amrnb|amrwb)$/, () => 'amr'],
  [/^asf$/, (video) => (video ? 'wmv' : 'wma')],
  [/^mpegts$/, () => 'ts'],
];

const shortName = (container: string, video: boolean, codec: string | undefined): string => {
  if (container === 'aiff') return 'aiff';
  // Matroska and WebM share a demuxer; WebM holds only Opus and Vorbis.
  if (container.startsWith('matroska') && codec !== 'opus' && codec !== 'vorbis') return 'mkv';
  const rule = SHORT_NAMES.find(([pattern]) => pattern.test(container));
  return rule?.[1](video) ?? container.split(',')[0] ?? container;
};

/** Parses ffprobe's JSON. Throws a ZodError or SyntaxError for anything else. */
export const parseProbe = (json: string): MediaInfo => {
  const { streams, format } = ProbeOutput.parse(JSON.parse(json));
  const audio = streams.filter(({ codec_type }) => codec_type === 'audio');
  const hasVideo = streams.some(
    ({ codec_type, disposition }) => codec_type === 'video' && disposition?.attached_pic !== 1,
  );
  const { start_time: start = 0, duration: end = null } = format;
  const length = end === null ? null : lengthFromStart(format.format_name, end, start);
  return {
    container: format.format_name,
    format: shortName(format.format_name, hasVideo, audio[0]?.codec_name),
    duration: audio[0]?.duration ?? length,
    audioStreams: audio.map(({ codec_name, sample_rate, channels, channel_layout = 'unknown' }) => ({
      codec: codec_name ?? 'unknown',
      sampleRate: sample_rate ?? 0,
      channels: channels ?? 0,
      hasNamedChannels: !/unknown|channels/.test(channel_layout),
    })),
    hasVideo,
    size: format.size ?? null,
  };
};

/** Throws `decode_failed` if a stream that would be decoded declares an absurd format. 0 is unknown, not absurd. */
const refuseAbsurdFormat = ({ sampleRate, channels }: AudioStream): void => {
  if (sampleRate !== 0 && (sampleRate < MIN_SAMPLE_RATE || sampleRate > MAX_SAMPLE_RATE)) {
    throw new AppError(
      'decode_failed',
      `The file declares a sample rate of ${sampleRate} Hz, which no recording has.`,
    );
  }
  if (channels > MAX_CHANNELS) {
    throw new AppError(
      'decode_failed',
      `The file declares ${channels} audio channels; at most ${MAX_CHANNELS} can be decoded.`,
    );
  }
};

type ToolOutput = {
  /** null if a signal killed it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string[];
  /** Whether the signal was ours. */
  readonly wasKilled: boolean;
};

/** Runs a program to its end. Kills it if it stalls, prints more than MAX_OUTPUT, or is aborted. */
const runTool = (
  program: string,
  args: readonly string[],
  stallSeconds: number,
  signal: AbortSignal | undefined,
): Promise<ToolOutput> =>
  new Promise((resolve, reject) => {
    const limited = withLimitedMemory({ file: program, args });
    const child = spawn(limited.file, limited.args, { stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true });
    let wasKilled = false;
    const kill = (): void => {
      wasKilled = true;
      child.kill('SIGKILL');
    };
    const stall = new StallTimer(stallSeconds, kill);
    const collect = (limit: number): { add: (text: string) => void; text: () => string } => {
      let all = '';
      return {
        add: (text) => {
          stall.touch();
          all += text;
          if (all.length > limit) kill();
        },
        text: () => all,
      };
    };
    const [out, err] = [collect(MAX_OUTPUT), collect(MAX_OUTPUT)];
    child.stdout.setEncoding('utf8').on('data', out.add);
    child.stderr.setEncoding('utf8').on('data', err.add);
    const unlisten = onAbort(signal, kill);
    stall.resume();
    const settle = (): void => {
      stall.pause();
      unlisten();
    };
    child.on('error', (error) => {
      settle();
      reject(new AppError('engine_unavailable', 'ffprobe could not be started.', { cause: error }));
    });
    child.on('close', (code) => {
      settle();
      resolve({ code, stdout: out.text(), stderr: err.text().split('\n').filter(Boolean), wasKilled });
    });
  });

/** Retries a program that was killed from outside. */
const runWithRetry: typeof runTool = async (...tool) => {
  for (let attempt = 1; ; attempt++) {
    const output = await runTool(...tool);
    if (output.code !== null || output.wasKilled || attempt === MAX_FFMPEG_ATTEMPTS) return output;
  }
};

/** See MediaEngine.probe. */
export const probe = async (
  tools: FfmpegTools,
  input: MediaInput,
  options: ProbeOptions = {},
): Promise<MediaInfo> => {
  const { signal, limits } = options;
  throwIfAborted(signal);
  try {
    await refuseNonMedia(input, signal);
  } catch (error) {
    if (signal?.aborted) throw cancellationError(signal);
    throw (input.kind === 'range' ? input.failure() : null) ?? error;
  }
  const args = [
    ...['-hide_banner', '-loglevel', 'warning', ...safeInputOptions(input)],
    ...['-show_format', '-show_streams', '-of', 'json', inputName(input)],
  ];
  const output = await runWithRetry(
    tools.ffprobe,
    args,
    limits?.stallSeconds ?? DEFAULT_STALL_SECONDS,
    signal,
  );
  if (signal?.aborted) throw cancellationError(signal);
  const upstream = input.kind === 'range' ? input.failure() : null;
  if (upstream !== null) throw upstream;
  if (output.code !== 0) throw explainFfmpegError(output.stderr, output.code);
  const parsed = parseProbe(output.stdout);
  const decoded = options.tracks === 'all' ? parsed.audioStreams : parsed.audioStreams.slice(0, 1);
  for (const stream of decoded) refuseAbsurdFormat(stream);
  // ffmpeg's estimate for a stream of undeclared duration has been 12 % too short: treat it as unknown.
  const isEstimate = output.stderr.some((line) => line.includes('Estimating duration from bitrate'));
  const info = isEstimate ? { ...parsed, duration: null } : parsed;
  return input.kind === 'range' ? { ...info, size: input.totalBytes } : info;
};

/** Reads ffmpeg's version, e.g. `5.1.9-0+deb12u1`; again only after the program file has changed. */
export const versionReader = (tools: FfmpegTools): (() => Promise<string>) => {
  let cached: { readonly file: string; readonly version: string } | undefined;
  return async () => {
    const status = await stat(tools.ffmpeg).catch(() => undefined);
    const file = status === undefined ? '' : `${status.ino} ${status.size} ${status.mtimeMs}`;
    if (cached?.file !== file || file === '') {
      const { stdout } = await runTool(tools.ffmpeg, ['-version'], VERSION_TIMEOUT_SECONDS, undefined);
      cached = { file, version: /^ffmpeg version (\S+)/.exec(stdout)?.[1] ?? 'unknown' };
    }
    return cached.version;
  };
};
