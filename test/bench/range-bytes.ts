// Prints, per container, what a 60-second range of a long file costs in bytes fetched.
// Usage: node test/bench/range-bytes.ts [seconds of audio, default 7200]
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createMediaEngine } from '../../electron/core/engines/ffmpeg/engine.ts';
import { findFfmpeg } from '../../electron/core/engines/ffmpeg/tools.ts';
import { createHttpClient } from '../../electron/core/engines/net/http-client.ts';
import { openRangeReader } from '../../electron/core/engines/range-reader/range-reader.ts';
import { ffmpeg, fixture } from '../support/ffmpeg.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { file, startUrlServer } from '../support/url-server.ts';

const SECONDS = Number(process.argv[2] ?? 7200);
const RANGE = 60;
const SOURCE_SECONDS = 233;

const CONTAINERS: readonly (readonly [name: string, file: string, args: readonly string[]])[] = [
  ['WAV', 'a.wav', []],
  ['FLAC', 'a.flac', []],
  ['MP3, constant rate', 'cbr.mp3', ['-b:a', '64k']],
  ['MP3, variable rate', 'vbr.mp3', ['-q:a', '4']],
  ['M4A, index at the end', 'end.m4a', ['-b:a', '48k']],
  ['M4A, index at the front', 'front.m4a', ['-b:a', '48k', '-movflags', '+faststart']],
  ['OGG Vorbis', 'a.ogg', ['-c:a', 'libvorbis']],
  ['WEBM Opus', 'a.webm', ['-c:a', 'libopus', '-b:a', '24k']],
];

const folder = await temporaryFolder();
const server = await startUrlServer();
const client = createHttpClient({
  policy: () => ({ allowPrivateAddresses: true, offline: false }),
  version: 'bench',
});
try {
  const engine = createMediaEngine(
    await findFfmpeg({ environment: process.env, platform: process.platform }),
  );
  const list = join(folder.path, 'list.txt');
  const line = `file '${fixture('08-meeting-4min.mp3')}'\n`;
  await writeFile(list, line.repeat(Math.ceil(SECONDS / SOURCE_SECONDS)));
  const long = join(folder.path, 'long.wav');
  await ffmpeg(
    '-f',
    'concat',
    '-safe',
    '0',
    '-i',
    list,
    '-t',
    String(SECONDS),
    '-ar',
    '16000',
    '-ac',
    '1',
    long,
  );
  console.log(`| container | file, bytes | fetched for ${RANGE} s | share | requests | pure share |`);
  console.log('|---|---|---|---|---|---|');
  for (const [name, fileName, args] of CONTAINERS) {
    const path = join(folder.path, fileName);
    await ffmpeg('-i', long, ...args, path);
    const bytes = await readFile(path);
    const before = server.requests.length;
    const opened = await openRangeReader({ client, url: server.set('/a', file(bytes)), maxBytes: 1e10 });
    if (!opened.supported) throw new Error(opened.reason);
    const start = Math.floor(SECONDS / 2);
    const { pieces, summary } = engine.decodePieces(opened.reader, { start, end: start + RANGE });
    for await (const piece of pieces) if (piece.last) break;
    await opened.reader.close();
    const fetched = opened.reader.bytesFetched();
    const percent = (part: number): string => `${(part * 100).toFixed(2)} %`;
    const requests = server.requests.length - before;
    if (Math.abs(summary().duration - RANGE) > 0.01) throw new Error(`${name}: ${summary().duration} s`);
    console.log(
      `| ${name} | ${bytes.length} | ${fetched} | ${percent(fetched / bytes.length)} | ${requests} | ${percent(RANGE / SECONDS)} |`,
    );
  }
} finally {
  await client.close();
  await server.close();
  await folder.remove();
}
