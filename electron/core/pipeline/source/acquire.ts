import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../base/errors.ts';
import type { MediaInput } from '../../engines/ffmpeg/types.ts';
import { download } from '../../engines/net/download.ts';
import { openRangeReader } from '../../engines/net/range-reader/range-reader.ts';
import type { RangeReader } from '../../engines/net/range-reader/types.ts';
import { saveRevalidationState } from '../../engines/net/resume-state.ts';
import type { DownloadProgress } from '../../engines/net/types.ts';
import { readWebPage } from '../../engines/pages/web-page.ts';
import { updateClaimed } from '../../stores/jobs.ts';
import type { PipelineDeps } from '../deps.ts';
import type { JobContext } from '../types.ts';
import { fingerprint } from './fingerprint.ts';
import { fetchFromPage } from './page.ts';
import { DOWNLOADED, workFolder } from './work-folder.ts';

/** The audio of a job, ready to be read. */
export type Source = {
  readonly input: MediaInput;
  readonly name: string;
  readonly size: number | null;
  /** `stored`: the user's own file; `downloaded`: ours to keep; `remote`: read in parts, not kept. */
  readonly kind: 'stored' | 'downloaded' | 'remote';
  /** Tells this recording from another at the same address: a checkpoint holds for it alone. */
  readonly identity: string;
  /** Bytes read from the network for this job so far. */
  bytesFetched(): number;
  /** Throws what really went wrong when ffmpeg only saw a broken stream. */
  check(): void;
  close(): Promise<void>;
};

/** The recording that was found in a page. */
const FROM_PAGE = 'recording';
/** Connections tried without any new byte: half a minute, which a machine that wakes up may take to be online. */
const DOWNLOAD_TRIES = 6;
/** As much as a download that goes on later can have lost. */
const RESUMABLE_BYTES = 4 * 1024 * 1024;

const local = (fetched: number) => ({ check() {}, async close() {}, bytesFetched: () => fetched });

const fromStore = async (deps: PipelineDeps, fileId: string): Promise<Source> => {
  const file = await deps.files.locate(fileId);
  if (file === undefined) throw new AppError('file_not_found', 'The stored file is gone.');
  return {
    ...local(0),
    input: { kind: 'file', path: file.path },
    name: file.name,
    size: file.size,
    kind: 'stored',
    identity: `stored ${fileId}`,
  };
};

const fromReader = (
  deps: PipelineDeps,
  { transcript }: JobContext,
  reader: RangeReader,
  before: number,
): Source => {
  const bytesFetched = () => before + reader.bytesFetched();
  return {
    input: reader,
    name: reader.fileName,
    size: reader.totalBytes,
    kind: 'remote',
    identity: `remote ${reader.identity}`,
    bytesFetched,
    check() {
      const failure = reader.failure();
      if (failure !== null) throw failure;
    },
    async close() {
      await reader.close();
      updateClaimed(deps.db, transcript.id, transcript.attempt, { bytesFetched: bytesFetched() });
    },
  };
};

const downloadedSource = async (
  path: string,
  name: string,
  size: number,
  fetched: number,
): Promise<Source> => ({
  ...local(fetched),
  input: { kind: 'file', path },
  name,
  size,
  kind: 'downloaded',
  identity: `downloaded ${await fingerprint(path)}`,
});

/** Says how far the download is; that it moves also clears the job of keeping the program down. */
const downloadProgress = (deps: PipelineDeps, { transcript, onProgress }: JobContext) => {
  let first: number | undefined;
  let cleared = transcript.appCrashes === 0;
  return ({ bytes, total }: DownloadProgress) => {
    first ??= bytes;
    if (!cleared && bytes - first >= RESUMABLE_BYTES) {
      updateClaimed(deps.db, transcript.id, transcript.attempt, { appCrashes: 0 });
      cleared = true;
    }
    const percent = total === null || total === 0 ? 1 : Math.min(10, (bytes / total) * 10);
    onProgress({ stage: 'downloading', percent, etaSeconds: null, speed: null });
  };
};

const fromNetwork = async (deps: PipelineDeps, context: JobContext, before: number): Promise<Source> => {
  const { transcript, signal } = context;
  const folder = workFolder(deps, transcript);
  const path = join(folder, DOWNLOADED);
  await mkdir(folder, { recursive: true });
  const result = await download(deps.http, {
    url: transcript.audioUrl,
    destination: path,
    purpose: 'audio',
    limits: {
      maxBytes: deps.settings.maxDownloadBytes(),
      stallSeconds: deps.settings.stallSeconds(),
      maxTries: DOWNLOAD_TRIES,
    },
    signal,
    onProgress: downloadProgress(deps, context),
  });
  await saveRevalidationState(path, { ...result, url: transcript.audioUrl });
  const fetched = before + result.bytesFetched;
  updateClaimed(deps.db, transcript.id, transcript.attempt, {
    bytesFetched: fetched,
    fileName: result.fileName,
  });
  return downloadedSource(path, result.fileName, result.bytes, fetched);
};

/** The size of a file that an earlier run of this job fetched whole. */
const isDownloaded = async (path: string): Promise<number | undefined> => {
  const partial = await stat(`${path}.resume.json`).catch(() => undefined);
  const whole = await stat(path).catch(() => undefined);
  return partial === undefined ? whole?.size : undefined;
};

/** What the address itself gives, by a range or by a download. */
const fromAddress = async (deps: PipelineDeps, context: JobContext): Promise<Source> => {
  const { transcript, signal } = context;
  const path = join(workFolder(deps, transcript), DOWNLOADED);
  const size = await isDownloaded(path);
  if (size !== undefined)
    return downloadedSource(path, transcript.fileName ?? transcript.name, size, transcript.bytesFetched);
  context.onProgress({ stage: 'downloading', percent: 0, etaSeconds: null, speed: null });
  let before = transcript.bytesFetched;
  if (transcript.audioStartFrom > 0 || transcript.audioEndAt > 0) {
    const opened = await openRangeReader({
      client: deps.http,
      url: transcript.audioUrl,
      signal,
      stallSeconds: deps.settings.stallSeconds(),
      maxBytes: deps.settings.maxDownloadBytes(),
    });
    if (opened.supported) return fromReader(deps, context, opened.reader, before);
    before += opened.bytesFetched;
  }
  return fromNetwork(deps, context, before);
};

/**
 * Gets at the audio: the user's own file where it lies; a time range of a server that serves ranges part by
 * part; anything else by a download into the job's folder, which an interrupted job finds again. Where the address
 * gives a web page, the recording in that page.
 */
export const acquire = async (deps: PipelineDeps, context: JobContext): Promise<Source> => {
  const { transcript, signal } = context;
  if (transcript.fileId !== null) return fromStore(deps, transcript.fileId);
  const folder = workFolder(deps, transcript);
  const path = join(folder, FROM_PAGE);
  const known = await isDownloaded(path);
  if (known !== undefined)
    return downloadedSource(path, transcript.fileName ?? transcript.name, known, transcript.bytesFetched);
  const source = await fromAddress(deps, context);
  const page = await readWebPage(source.input, signal).catch(async (error: unknown) => {
    await source.close();
    throw error;
  });
  if (page === undefined) return source;
  await source.close();
  await mkdir(folder, { recursive: true });
  const { name, bytesFetched } = await fetchFromPage(deps, context, page, {
    folder,
    file: FROM_PAGE,
    before: source.bytesFetched(),
    onProgress: downloadProgress(deps, context),
  });
  const { size } = await stat(path);
  updateClaimed(deps.db, transcript.id, transcript.attempt, { bytesFetched: bytesFetched, fileName: name });
  return downloadedSource(path, name, size, bytesFetched);
};
