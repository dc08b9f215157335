// Uploads, downloads and decoding of large files, for `npm run bench -- --service`.

import { execFile, spawn } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freeMemory } from '../../electron/core/base/memory.ts';
import { createMediaEngine } from '../../electron/core/engines/ffmpeg/engine.ts';
import { findFfmpeg } from '../../electron/core/engines/ffmpeg/tools.ts';
import { writeBigFile } from '../http/storage/support/big-file.ts';
import { discard, startServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { type Cost, costOfScript, costTo, medianCost } from './measure.ts';
import { spokenWav } from './recordings.ts';
import type { ServiceRow } from './service.ts';

const run = promisify(execFile);
const READERS = 8;

const inWords = ({ wall, cpu }: Cost): string => `${wall.toFixed(2)} s, processor ${cpu.toFixed(2)} s`;

/** A row of two times for the same bytes, of which ours is to reach a share of the other's rate; none of theirs if it is not installed. */
const rateRow = (
  name: string,
  ours: readonly Cost[],
  reference: string,
  theirs: readonly Cost[],
): ServiceRow => {
  const own = medianCost(ours);
  const row = { name, ours: inWords(own), goal: '≥ 0.7 ×' };
  if (theirs.length === 0) return { ...row, reference: `${reference}: not here`, isMet: null };
  const other = medianCost(theirs);
  const share = other.wall / own.wall;
  return {
    ...row,
    reference: `${reference}: ${inWords(other)} (${share.toFixed(2)} ×)`,
    isMet: share >= 0.7,
  };
};

const uploadRow = async (server: TestServer, path: string, size: string, runs: number) => {
  const [ours, theirs]: [Cost[], Cost[]] = [[], []];
  const copy = `${path}.copy`;
  let key = '';
  for (let count = 0; count < runs; count++) {
    if (key !== '') await server.client.send('deleteFile', { params: { fileKey: key } });
    const curl = ['-sS', '--fail', '-H', `Authorization: Bearer ${server.key}`, '-F', `file=@${path}`];
    let answer = '';
    ours.push(
      await costTo(server.pid, async () => {
        answer = (await run('curl', [...curl, `${server.url}/v1/storage/upload`])).stdout;
      }),
    );
    const stored: { data: { file: { key: string } } } = JSON.parse(answer);
    key = stored.data.file.key;
    theirs.push(await costOfScript('cp "$1" "$2"; sync "$2"; md5sum "$2"; sha256sum "$2"', path, copy));
    rmSync(copy);
  }
  return { key, row: rateRow(`upload of ${size}`, ours, 'cp, sync, md5sum, sha256sum', theirs) };
};

/** Reads the file in eight ranges at once. */
const readAtOnce = async (url: string, key: string, bytes: number): Promise<void> => {
  const part = Math.ceil(bytes / READERS);
  await Promise.all(
    Array.from({ length: READERS }, (_, index) =>
      run('curl', [
        ...['-sS', '--fail', '-o', '/dev/null', '-H', `Authorization: Bearer ${key}`],
        ...['-r', `${index * part}-${Math.min(bytes, (index + 1) * part) - 1}`, url],
      ]),
    ),
  );
};

/** Serves a folder with nginx (Debian's package); null if it is not installed. */
const startNginx = async (folder: string): Promise<{ url: string; pid: number; stop: () => void } | null> => {
  const port = 20_000 + (process.pid % 10_000);
  const url = `http://127.0.0.1:${port}`;
  const state = join(folder, 'nginx');
  mkdirSync(state);
  writeFileSync(
    join(state, 'nginx.conf'),
    `daemon off; worker_processes 2; pid ${state}/pid; error_log ${state}/error.log; user root;
     events {} http { access_log off; sendfile on; tcp_nopush on; root ${folder};
     client_body_temp_path ${state}/a; proxy_temp_path ${state}/b; fastcgi_temp_path ${state}/c;
     uwsgi_temp_path ${state}/d; scgi_temp_path ${state}/e; server { listen 127.0.0.1:${port}; } }`,
  );
  const child = spawn('nginx', ['-p', state, '-c', join(state, 'nginx.conf')], { stdio: 'ignore' });
  let isMissing = false;
  child.on('error', () => {
    isMissing = true;
  });
  await until(async () => isMissing || (await fetch(url).catch(() => undefined)) !== undefined);
  return isMissing ? null : { url, pid: child.pid ?? 0, stop: () => child.kill('SIGTERM') };
};

/** Rows of a file of so many bytes, with so many uploads and downloads. */
export async function* measureFiles(
  folder: string,
  bytes: number,
  uploads: number,
  downloads: number,
): AsyncGenerator<ServiceRow> {
  const path = join(folder, 'big.csv');
  writeBigFile(path, bytes);
  const server = await startServer();
  const size = `${bytes / 2 ** 20} MiB`;
  const { key, row } = await uploadRow(server, path, size, uploads);
  yield row;
  const nginx = await startNginx(folder);
  const [ours, theirs]: [Cost[], Cost[]] = [[], []];
  const own = `${server.url}/v1/storage/download/${encodeURIComponent(key)}`;
  for (let count = 0; count < downloads; count++) {
    ours.push(await costTo(server.pid, () => readAtOnce(own, server.key, bytes)));
    if (nginx === null) continue;
    const other = `${nginx.url}/big.csv`;
    theirs.push(await costTo(nginx.pid, () => readAtOnce(other, server.key, bytes)));
  }
  nginx?.stop();
  yield rateRow(`download of ${size}, eight ranges at once`, ours, 'nginx', theirs);
  await discard(server);
  rmSync(path);
}

/** The row of an hour, or so many minutes, of MP3. */
export const measureDecode = async (folder: string, minutes: number, runs: number): Promise<ServiceRow> => {
  const mp3 = join(folder, 'long.mp3');
  const wav = await spokenWav(folder, 'long', minutes * 60);
  await run('ffmpeg', ['-v', 'error', '-y', '-i', wav, '-ar', '44100', '-b:a', '64k', mp3]);
  rmSync(wav);
  const engine = createMediaEngine(
    await findFfmpeg({ environment: process.env, platform: process.platform }),
  );
  const [ours, theirs]: [Cost[], Cost[]] = [[], []];
  for (let count = 0; count < runs; count++) {
    ours.push(
      await costTo(process.pid, async () => {
        const { chunks } = engine.decodeChunks({ kind: 'file', path: mp3 });
        for await (const { pcm } of chunks) freeMemory(pcm);
      }),
    );
    const bare = 'ffmpeg -nostdin -v error -i "$1" -ac 1 -ar 16000 -f f32le - > /dev/null';
    theirs.push(await costOfScript(bare, mp3));
  }
  const [own, other] = [medianCost(ours), medianCost(theirs)];
  const ratio = own.wall / other.wall;
  return {
    name: `decode of ${minutes} minutes of MP3, with silences and peaks`,
    ours: inWords(own),
    reference: `bare ffmpeg: ${inWords(other)} (${ratio.toFixed(2)} ×)`,
    goal: '≤ 1.1 ×',
    isMet: ratio <= 1.1,
  };
};
