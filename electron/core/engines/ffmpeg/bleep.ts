import { rm, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { AppError } from '../../base/errors.ts';
import { cancellation, throwIfAborted } from '../net/network-errors.ts';
import { CoverTransform } from './cover-transform.ts';
import { explainFfmpegError } from './explain-error.ts';
import { type FfmpegRun, runFfmpeg } from './fluent.ts';
import { inputName, safeInputOptions } from './input-options.ts';
import { probe } from './probe.ts';
import { StallTimer } from './stall-timer.ts';
import type { BleepOptions, FfmpegTools } from './types.ts';

const ENCODERS: Readonly<Record<BleepOptions['format'], readonly string[]>> = {
  m4a: ['-c:a', 'aac', '-b:a', '96k', '-movflags', '+faststart', '-f', 'ipod'],
  ogg: ['-c:a', 'libopus', '-b:a', '48k', '-f', 'ogg'],
  wav: ['-c:a', 'pcm_s16le', '-rf64', 'auto', '-f', 'wav'],
};

type PcmFormat = { readonly sampleRate: number; readonly channels: number };

const decodeRun = (
  tools: FfmpegTools,
  options: BleepOptions,
  pcm: PcmFormat,
  alive: () => void,
): FfmpegRun => {
  const { start = 0, end = null } = options.range ?? {};
  const stop = end === null ? '' : `:end_sample=${Math.round(end * pcm.sampleRate)}`;
  return runFfmpeg({
    tools,
    input: inputName(options.input),
    inputOptions: safeInputOptions(options.input),
    outputOptions: [
      ...['-loglevel', 'error', '-progress', 'pipe:2', '-stats_period', '2'],
      ...['-map', '0:a:0', '-vn', '-sn', '-dn', '-map_metadata', '-1'],
      '-af',
      `aresample=${pcm.sampleRate}:async=1:first_pts=0,aformat=sample_fmts=s16:channel_layouts=${pcm.channels === 1 ? 'mono' : 'stereo'},atrim=start_sample=${Math.round(start * pcm.sampleRate)}${stop}`,
      ...['-f', 's16le', '-c:a', 'pcm_s16le'],
    ],
    outputFile: null,
    onStderr: alive,
  });
};

/**
 * Writes the audio with the spans covered by a tone or by silence; everything else keeps its place and the
 * length stays. The samples are replaced before encoding, and no metadata of the source is kept: nothing of
 * what was said in a span is in the output.
 */
export const bleep = async (
  tools: FfmpegTools,
  options: BleepOptions,
): Promise<{ bytes: number; duration: number }> => {
  const { input, output, signal, limits } = options;
  const info = await probe(tools, input, { signal, limits });
  const [stream] = info.audioStreams;
  if (stream === undefined) throw new AppError('no_audio_track', 'The file has no sound in it.');
  const pcm = { sampleRate: stream.sampleRate || 48_000, channels: stream.channels === 1 ? 1 : 2 };
  const stallSeconds = limits?.stallSeconds ?? 60;
  const runs: FfmpegRun[] = [];
  const killAll = (): void => void Promise.all(runs.map((run) => run.kill()));
  let stalled = false;
  const stall = new StallTimer(stallSeconds, () => {
    stalled = true;
    killAll();
  });
  const alive = (): void => stall.touch();
  const cover = new CoverTransform({
    ...pcm,
    spans: options.spans,
    start: options.range?.start ?? 0,
    cover: options.cover ?? 'tone',
  });
  throwIfAborted(signal);
  signal?.addEventListener('abort', killAll, { once: true });
  try {
    stall.resume();
    const decoding = decodeRun(tools, options, pcm, alive);
    runs.push(decoding);
    const encoding = runFfmpeg({
      tools,
      input: cover,
      inputOptions: ['-f', 's16le', '-ar', String(pcm.sampleRate), '-ac', String(pcm.channels)],
      outputOptions: ['-loglevel', 'error', '-map_metadata', '-1', '-vn', ...ENCODERS[options.format]],
      outputFile: output,
      onStderr: alive,
    });
    runs.push(encoding);
    await Promise.all([pipeline(decoding.stdout, cover), decoding.exit, encoding.exit]).catch(() =>
      killAll(),
    );
    for (const run of runs) {
      const exit = await run.exit;
      if (signal?.aborted) throw cancellation(signal);
      if (stalled) {
        throw new AppError('decode_failed', `ffmpeg made no progress for ${stallSeconds} seconds.`);
      }
      if (exit.code !== 0) throw explainFfmpegError(exit.stderr, exit.code);
    }
    return { bytes: (await stat(output)).size, duration: cover.frames / pcm.sampleRate };
  } catch (error) {
    await Promise.all(runs.map((run) => run.kill()));
    await rm(output, { force: true });
    throw error;
  } finally {
    stall.pause();
    signal?.removeEventListener('abort', killAll);
  }
};
