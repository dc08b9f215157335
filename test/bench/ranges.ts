// `node test/bench/ranges.ts [--minutes 120] [--only TEXT]`: bytes and time for a 60-second range of a long recording, per container.

import { execFileSync } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { talk } from '../support/audio.ts';
import { discard, startServer } from '../support/server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { file, startUrlServer } from '../support/url-server.ts';

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

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '120' }, only: { type: 'string', default: '' } },
});
const seconds = Number(values.minutes) * 60;
const from = Math.round((seconds * 0.6) / 10) * 10;

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};
const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(2)} MB`;

const folder = temporaryFolder();
const source = join(folder, 'source.wav');
await writeFile(source, talk(600, 10));
const urls = await startUrlServer();
const server = await startServer();
await server.client.call('patchSettings', { body: { 'engine.beamSize': 1 } });

const measure = async ({ name, extension, options }: Container): Promise<void> => {
  const path = join(folder, `long.${extension}`);
  const loop = ['-stream_loop', '-1', '-i', source, '-t', String(seconds)];
  execFileSync('ffmpeg', ['-nostdin', '-v', 'error', '-y', ...loop, ...options, path]);
  const body = await readFile(path);
  await rm(path);
  const [sent, requests] = [urls.bytesSent(), urls.requests.length];
  const made = await server.client.call('createTranscript', {
    body: {
      audio_url: urls.set(`/${name.replaceAll(/\W/g, '-')}.${extension}`, file(body)),
      audio_start_from: from,
      audio_end_at: from + RANGE_SECONDS,
      wait_until_complete: true,
    },
  });
  const share = (body.length * RANGE_SECONDS) / seconds;
  if (made.error !== undefined) throw new Error(`${name}: ${made.error.message}`);
  if (Math.abs(made.duration - RANGE_SECONDS) > 0.01) throw new Error(`${name}: ${made.duration} s`);
  const cells = [
    name,
    megabytes(body.length),
    megabytes(share),
    megabytes(made.bytes_fetched),
    `${((100 * made.bytes_fetched) / body.length).toFixed(1)} %`,
    megabytes(urls.bytesSent() - sent),
    urls.requests.length - requests,
    made.segments.length,
  ];
  print(`| ${cells.join(' | ')} |`);
};

print(`${RANGE_SECONDS} s from ${from} s of ${values.minutes} minutes\n`);
print('| container | file | share of the range | fetched | of the file | sent | requests | segments |');
print('|---|---|---|---|---|---|---|---|');
for (const container of CONTAINERS) {
  if (container.name.toLowerCase().includes(values.only.toLowerCase())) await measure(container);
}
await discard(server);
await urls.close();
