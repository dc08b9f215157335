import { spawn } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { z } from 'zod';
import { cancellationError, onAbort, throwIfAborted } from '../../base/abort.ts';
import { AppError } from '../../base/errors.ts';
import { refuseNonMedia } from './content-kind.ts';
import { explainFfmpegError } from './explain-error.ts';
import { inputName, safeInputOptions } from './input-options.ts';
import { MOST_LOSSES } from './lost.ts';
import { StallTimer } from './stall-timer.ts';
import type { FfmpegTools, MediaInfo, MediaInput, ProbeOptions } from './types.ts';

const MAX_OUTPUT = 4 * 1024 * 1024;

const numberText = z.string().transform(Number).pipe(z.number().min(0)).optional().catch(undefined);

const ProbeOutput = z.object({
  streams: z
    .array(
      z.object({
        codec_type: z.string().optional(),
        codec_name: z.string().optional(),
        sample_rate: numberText,
        channels: z.number().optional(),
        duration: numberText,
        disposition: z.object({ attached_pic: z.number().optional() }).optional(),
      }),
    )
    .default([]),
  format: z.object({ format_name: z.string(), duration: numberText, size: numberText }),
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

/** Reads ffprobe's JSON. Throws where it is not what ffprobe prints. */
export const parseProbe = (json: string): MediaInfo => {
  const { streams, format } = ProbeOutput.parse(JSON.parse(json));
  const audio = streams.filter(({ codec_type }) => codec_type === 'audio');
  const hasVideo = streams.some(
    ({ codec_type, disposition }) => codec_type === 'video' && disposition?.attached_pic !== 1,
  );
  return {
    container: format.format_name,
    format: shortName(format.format_name, hasVideo, audio[0]?.codec_name),
    duration: audio[0]?.duration ?? format.duration ?? null,
    audioStreams: audio.map(({ codec_name, sample_rate, channels }) => ({
      codec: codec_name ?? 'unknown',
      sampleRate: sample_rate ?? 0,
      channels: channels ?? 0,
    })),
    hasVideo,
    size: format.size ?? null,
  };
};

type ToolOutput = {
  /** null where a signal ended it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string[];
  /** Whether the signal was ours. */
  readonly killed: boolean;
};

/** Runs a program to its end, killed when it prints nothing for too long, too much, or is aborted. */
const runTool = (
  program: string,
  args: readonly string[],
  stallSeconds: number,
  signal: AbortSignal | undefined,
): Promise<ToolOutput> =>
  new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true });
    let killed = false;
    const kill = (): void => {
      killed = true;
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
      resolve({ code, stdout: out.text(), stderr: err.text().split('\n').filter(Boolean), killed });
    });
  });

/** Runs a program again that something outside ended. */
const runToEnd: typeof runTool = async (...tool) => {
  for (let tries = 1; ; tries++) {
    const output = await runTool(...tool);
    if (output.code !== null || output.killed || tries === MOST_LOSSES) return output;
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
  const output = await runToEnd(tools.ffprobe, args, limits?.stallSeconds ?? 60, signal);
  if (signal?.aborted) throw cancellationError(signal);
  const upstream = input.kind === 'range' ? input.failure() : null;
  if (upstream !== null) throw upstream;
  if (output.code !== 0) throw explainFfmpegError(output.stderr, output.code);
  const parsed = parseProbe(output.stdout);
  // ffmpeg's guess for a stream without a length: 12 % too short has been seen, so it is no length at all.
  const guessed = output.stderr.some((line) => line.includes('Estimating duration from bitrate'));
  const info = guessed ? { ...parsed, duration: null } : parsed;
  return input.kind === 'range' ? { ...info, size: input.totalBytes } : info;
};

/** Asks for the version of ffmpeg, e.g. `5.1.9-0+deb12u1`: once, and again when the program was replaced. */
export const versionReader = (tools: FfmpegTools): (() => Promise<string>) => {
  let known: { readonly file: string; readonly version: string } | undefined;
  return async () => {
    const found = await stat(tools.ffmpeg).catch(() => undefined);
    const file = found === undefined ? '' : `${found.ino} ${found.size} ${found.mtimeMs}`;
    if (known?.file !== file || file === '') {
      const { stdout } = await runTool(tools.ffmpeg, ['-version'], 30, undefined);
      known = { file, version: /^ffmpeg version (\S+)/.exec(stdout)?.[1] ?? 'unknown' };
    }
    return known.version;
  };
};
