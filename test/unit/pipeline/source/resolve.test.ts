import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { dataPaths } from '../../../../electron/core/base/paths.ts';
import type { OpenOptions } from '../../../../electron/core/engines/net/types.ts';
import type { JobProgress } from '../../../../electron/core/pipeline/deps.ts';
import { resolveSource } from '../../../../electron/core/pipeline/source/resolve.ts';
import type { TranscriptChange } from '../../../../electron/core/stores/codecs.ts';
import { claimNext } from '../../../../electron/core/stores/jobs.ts';
import { addJob, openTestDatabase, transcriptIn } from '../../../support/database.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const RECORDING = Buffer.alloc(200_000, 7);
const PAGE = Buffer.from(`<!doctype html><html><title>A talk</title>${' '.repeat(1_000_000)}</html>`);

/** Sends a body in reads of 16 KB and counts the bytes that were taken. */
class FakeServer {
  readonly requests: OpenOptions[] = [];
  bytesSent = 0;
  readonly #body: Buffer;

  constructor(body: Buffer) {
    this.#body = body;
  }

  async open(request: OpenOptions) {
    this.requests.push(request);
    const from = Number(/^bytes=(\d+)-/.exec(request.headers?.range ?? '')?.[1] ?? 0);
    const length = this.#body.length;
    return {
      status: from === 0 ? 200 : 206,
      headers: {
        'content-length': String(length - from),
        etag: '"1"',
        ...(from === 0 ? {} : { 'content-range': `bytes ${from}-${length - 1}/${length}` }),
      },
      url: request.url,
      movedTo: null,
      body: Readable.from(this.#reads(from), { objectMode: true, highWaterMark: 1 }),
    };
  }

  *#reads(from: number): Generator<Buffer> {
    for (let at = from; at < this.#body.length; at += 16_384) {
      const read = this.#body.subarray(at, at + 16_384);
      this.bytesSent += read.length;
      yield read;
    }
  }
}

const unused = (): never => {
  throw new Error('The source must not use this.');
};

/** A claimed job whose source is to be resolved, with a fake network. */
const startJob = (server: FakeServer, change: TranscriptChange = {}) => {
  const paths = dataPaths(temporaryFolder());
  for (const folder of [paths.temporary, paths.transcripts]) mkdirSync(folder);
  const db = openTestDatabase(paths.root);
  const id = addJob(db, 'usr_1', { audioUrl: 'https://example.org/talks/monday.mp3', ...change });
  const progress: JobProgress[] = [];
  const folder = join(paths.temporary, id);
  claimNext(db, 'this-run', 1);
  return {
    folder,
    progress,
    transcript: () => transcriptIn(db, id),
    resolve: () =>
      resolveSource(
        {
          db,
          paths,
          http: { open: (request) => server.open(request), tunnel: unused, close: unused },
          pages: { program: async () => undefined, inspect: unused, fetch: unused },
          settings: { maxDownloadBytes: () => 1e9, stallSeconds: () => 30, pages: () => true },
          files: {
            locate: async (file) =>
              file === 'file_1' ? { path: '/upload.wav', name: 'talk.wav', size: 5 } : undefined,
          },
        },
        {
          transcript: transcriptIn(db, id),
          signal: new AbortController().signal,
          onProgress: (latest) => progress.push(latest),
          onSegmentsSaved: unused,
          onDraining: unused,
        },
      ),
  };
};

describe('an upload', () => {
  it('is read in place', async () => {
    const server = new FakeServer(RECORDING);
    const source = await startJob(server, { fileId: 'file_1' }).resolve();
    expect(source).toMatchObject({
      kind: 'upload',
      input: { kind: 'file', path: '/upload.wav' },
      name: 'talk.wav',
      size: 5,
      identity: 'stored file_1',
    });
    expect(server.requests).toEqual([]);
  });

  it('is file_not_found once it is deleted', async () => {
    const job = startJob(new FakeServer(RECORDING), { fileId: 'file_2' });
    await expect(job.resolve()).rejects.toMatchObject({ code: 'file_not_found' });
  });
});

describe('a recording at a URL', () => {
  it('is downloaded into the work folder', async () => {
    const job = startJob(new FakeServer(RECORDING));
    const source = await job.resolve();
    expect(source).toMatchObject({ kind: 'remote', name: 'monday.mp3', size: RECORDING.length });
    expect(source.identity).toMatch(/^downloaded [0-9a-f]{64}$/);
    expect(source.bytesFetched()).toBe(RECORDING.length);
    expect(source.input.kind === 'file' && readFileSync(source.input.path).equals(RECORDING)).toBe(true);
    expect(job.transcript()).toMatchObject({ fileName: 'monday.mp3', bytesFetched: RECORDING.length });
    expect(job.progress.map(({ stage }) => stage)).toContain('downloading');
    expect(job.progress.at(-1)?.percent).toBe(10);
  });

  it('is not downloaded again by a later attempt, and has the same identity', async () => {
    const server = new FakeServer(RECORDING);
    const job = startJob(server);
    const first = await job.resolve();
    const second = await job.resolve();
    expect(server.requests).toHaveLength(1);
    expect(second).toMatchObject({ kind: 'remote', name: 'monday.mp3', identity: first.identity });
  });

  it('is downloaded as a whole for a time range if the server does not support ranges', async () => {
    const server = new FakeServer(RECORDING);
    const whole: FakeServer['open'] = async (request) =>
      FakeServer.prototype.open.call(server, { ...request, headers: {} });
    server.open = whole;
    const source = await startJob(server, { audioStartFrom: 1 }).resolve();
    expect(source).toMatchObject({ kind: 'remote', input: { kind: 'file' } });
  });
});

describe('a web page', () => {
  it('is refused by its head, before the rest is downloaded, and leaves no file', async () => {
    const server = new FakeServer(PAGE);
    const job = startJob(server);
    await expect(job.resolve()).rejects.toMatchObject({
      code: 'not_media',
      message: expect.stringContaining('an HTML page titled “A talk”'),
    });
    expect(server.requests).toHaveLength(1);
    expect(server.bytesSent).toBeLessThan(PAGE.length / 4);
    expect(job.transcript().bytesFetched).toBeLessThanOrEqual(server.bytesSent);
    expect(job.transcript().bytesFetched).toBeGreaterThanOrEqual(65_536);
    expect(existsSync(job.folder) ? await readdir(job.folder) : []).toEqual([]);
  });
});
