// `node test/bench/ranges.ts [--minutes 120] [--only TEXT]`: bytes and time for a 60-second range of a long recording, per container.

import { execFileSync } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { talk } from '../support/audio.ts';
import { discard, startServer, type TestServer } from '../support/server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { file, startUrlServer, type UrlServer } from '../support/url-server.ts';

const RANGE_SECONDS = 60;

type Container = { readonly name: string; readonly extension: string; readonly options: readonly string[] };

const CONTAINERS: readonly Container[] = [
  { name: 'WAV', extension: 'wav', options: ['-c:a', 'pcm_s16le'] },
  { name: 'MP3, constant rate', extension: 'mp3', options: ['-c:a', 'libmp3lame', '-b:a', '64k'] },
  {
    name: 'MP3, variable rate',
    extension: 'mp3',
    options: ['-c:a', 'libmp3lame', '-q:a', '5'],
  },
  { name: 'M4A, index at the end', extension: 'm4a', options: ['-c:a', 'aac', '-b:a', '64k'] },
  {
    name: 'M4A, index in front',
    extension: 'm4a',
    options: ['-c:a', 'aac', '-b:a', '64k', '-movflags', '+faststart'],
  },
  { name: 'FLAC', extension: 'flac', options: ['-c:a', 'flac'] },
  { name: 'OGG Opus', extension: 'ogg', options: ['-c:a', 'libopus', '-b:a', '32k'] },
  { name: 'OGG Vorbis', extension: 'ogg', options: ['-c:a', 'libvorbis'] },
  { name: 'WEBM Opus', extension: 'webm', options: ['-c:a', 'libopus', '-b:a', '32k'] },
];

export type RangeBytes = {
  readonly name: string;
  readonly file: number;
  readonly fetched: number;
  readonly sent: number;
  readonly requests: number;
  readonly segments: number;
};

const placeOf = (seconds: number): number => Math.round((seconds * 0.6) / 10) * 10;

const measure = async (
  { server, urls, source }: { server: TestServer; urls: UrlServer; source: string },
  { name, extension, options }: Container,
  seconds: number,
): Promise<RangeBytes> => {
  const path = join(dirname(source), `long.${extension}`);
  const loop = ['-stream_loop', '-1', '-i', source, '-t', String(seconds)];
  execFileSync('ffmpeg', ['-nostdin', '-v', 'error', '-y', ...loop, ...options, path]);
  const body = await readFile(path);
  await rm(path);
  const [sent, requests] = [urls.bytesSent(), urls.requests.length];
  const from = placeOf(seconds);
  const made = await server.client.call('createTranscript', {
    body: {
      audio_url: urls.set(`/${name.replaceAll(/\W/g, '-')}.${extension}`, file(body)),
      audio_start_from: from,
      audio_end_at: from + RANGE_SECONDS,
      wait_until_complete: true,
    },
  });
  if (made.error !== undefined) throw new Error(`${name}: ${made.error.message}`);
  if (Math.abs(made.duration - RANGE_SECONDS) > 0.01) throw new Error(`${name}: ${made.duration} s`);
  return {
    name,
    file: body.length,
    fetched: made.bytes_fetched,
    sent: urls.bytesSent() - sent,
    requests: urls.requests.length - requests,
    segments: made.segments.length,
  };
};

/** Transcribes a minute out of a long recording behind a URL, in each container whose name contains `only`. */
export async function* measureRanges(seconds: number, only = ''): AsyncGenerator<RangeBytes> {
  const source = join(temporaryFolder(), 'source.wav');
  await writeFile(source, talk(600, 10));
  const urls = await startUrlServer();
  const server = await startServer();
  await server.client.call('patchSettings', { body: { 'engine.beamSize': 1 } });
  for (const container of CONTAINERS) {
    if (!container.name.toLowerCase().includes(only.toLowerCase())) continue;
    yield await measure({ server, urls, source }, container, seconds);
  }
  await discard(server);
  await urls.close();
}

const main = async (): Promise<void> => {
  const { values } = parseArgs({
    options: { minutes: { type: 'string', default: '120' }, only: { type: 'string', default: '' } },
  });
  const seconds = Number(values.minutes) * 60;
  const print = (cells: readonly (string | number)[]): void => {
    process.stdout.write(`| ${cells.join(' | ')} |\n`);
  };
  const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(2)} MB`;
  process.stdout.write(`${RANGE_SECONDS} s from ${placeOf(seconds)} s of ${values.minutes} minutes\n\n`);
  print([
    'container',
    'file',
    'share of the range',
    'fetched',
    'of the file',
    'sent',
    'requests',
    'segments',
  ]);
  print(Array.from({ length: 8 }, () => '---'));
  for await (const range of measureRanges(seconds, values.only)) {
    print([
      range.name,
      megabytes(range.file),
      megabytes((range.file * RANGE_SECONDS) / seconds),
      megabytes(range.fetched),
      `${((100 * range.fetched) / range.file).toFixed(1)} %`,
      megabytes(range.sent),
      range.requests,
      range.segments,
    ]);
  }
};

if (import.meta.main) await main();
