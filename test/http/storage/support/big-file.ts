import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { closeSync, openAsBlob, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { MALLOC_ENVIRONMENT, NODE_OPTIONS } from '../../../../electron/cli/bootstrap/places.mjs';
import { createClient } from '../../../../electron/contract/client.ts';
import { cacheDir } from '../../../../native/build.mjs';
import { ROOT } from '../../../support/paths.ts';

const MIB = 1024 ** 2;

const LINE = `${'0'.repeat(15)},1234567890,some words\n`;
/** Lines between two that occur once in the file. */
const LINES = 1500;

/** A CSV file of exactly `bytes` bytes in which no 64 KiB repeat. */
export const writeBigFile = (path: string, bytes: number): void => {
  const handle = openSync(path, 'w');
  const block = Buffer.from(LINE.repeat(LINES));
  for (let at = 0, i = 0; at < bytes; i++) {
    block.write(String(i).padStart(15, '0'));
    at += writeSync(handle, block, 0, Math.min(block.length, bytes - at));
  }
  closeSync(handle);
};

export type BigResult = {
  /** Growth of the server's memory in megabytes. */
  readonly uploadGrowth: number;
  readonly downloadGrowth: number;
  readonly uploadSeconds: number;
  readonly downloadSeconds: number;
  /** Processor time of the server, which is comparable on a busy machine, too. */
  readonly uploadCpu: number;
  readonly downloadCpu: number;
  /** Whether the answer's and the download's checksums are those of `md5sum` and `sha256sum`. */
  readonly sameHashes: boolean;
  /** Status of an upload with one more byte, if `over` is set. */
  readonly overStatus: number | undefined;
};

const once = <T>(child: ChildProcess): Promise<T> =>
  new Promise((done) => child.once('message', (message: T) => done(message)));

type Use = { peak: number; cpu: number };

const useOf = (child: ChildProcess): Promise<Use> => {
  const answer = once<Use>(child);
  child.send('use');
  return answer;
};

const systemHash = (program: string, path: string): string =>
  execFileSync(program, [path])
    .toString()
    .slice(0, program === 'md5sum' ? 32 : 64);

/** Uploads and downloads a file of `bytes` bytes with a server process, and measures its memory. */
export const measureBigFile = async (folder: string, bytes: number, over: boolean): Promise<BigResult> => {
  const path = join(folder, 'big.csv');
  writeBigFile(path, bytes);
  const program = join(ROOT, 'test', 'faults', 'storage-server.ts');
  // As the service runs: with a larger young generation its garbage alone grows to 60 MB.
  const env = { ...process.env, ...MALLOC_ENVIRONMENT, NODE_COMPILE_CACHE: join(cacheDir(), 'code') };
  const child = fork(program, [join(folder, 'data')], { execArgv: [...NODE_OPTIONS], env });
  const { url, key } = await once<{ url: string; key: string }>(child);
  const client = createClient({ baseUrl: url, key });
  const send = async (name: string, from: string) => {
    const body = new FormData();
    body.set('file', await openAsBlob(from), name);
    return client.call('uploadFile', { body });
  };
  // Load what is loaded on first use, the OpenAPI document included, so that it does not count.
  await (await fetch(`${url}/openapi.json`)).arrayBuffer();
  const small = join(folder, 'small.csv');
  writeBigFile(small, 8 * MIB);
  const warm = (await send('small.csv', small)).data.file;
  await (await client.send('downloadFile', { params: { fileKey: warm.key } })).arrayBuffer();
  await useOf(child);
  const before = await useOf(child);
  const started = performance.now();
  const { file } = (await send('big.csv', path)).data;
  const uploaded = performance.now();
  const afterUpload = await useOf(child);
  const hash = createHash('sha256');
  const response = await client.send('downloadFile', { params: { fileKey: file.key } });
  for await (const chunk of response.body ?? []) hash.update(chunk);
  const downloaded = performance.now();
  const afterDownload = await useOf(child);
  const sha256 = systemHash('sha256sum', path);
  const md5 = systemHash('md5sum', path);
  const sameHashes =
    file.checksums.sha256 === sha256 && file.checksums.md5 === md5 && hash.digest('hex') === sha256;
  let overStatus: number | undefined;
  if (over) {
    const handle = openSync(path, 'a');
    writeSync(handle, '\n');
    closeSync(handle);
    overStatus = await send('over.csv', path).then(
      () => 201,
      (error: { status?: number }) => error.status,
    );
  }
  await new Promise((done) => {
    child.once('exit', done);
    child.kill('SIGTERM');
  });
  rmSync(path);
  return {
    uploadGrowth: (afterUpload.peak - before.peak) / MIB,
    downloadGrowth: (afterDownload.peak - before.peak) / MIB,
    uploadSeconds: (uploaded - started) / 1000,
    downloadSeconds: (downloaded - uploaded) / 1000,
    uploadCpu: afterUpload.cpu - before.cpu,
    downloadCpu: afterDownload.cpu - afterUpload.cpu,
    sameHashes,
    overStatus,
  };
};
