import { createHash } from 'node:crypto';
import { mkdir, open, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { LIVE_URL } from '../../../contract/realtime.ts';
import { AppError, isAppError } from '../../base/errors.ts';
import { withLogin } from '../../base/url-login.ts';
import { localFile } from '../../engines/ffmpeg/local-file.ts';
import type { LocalFile, MediaInput } from '../../engines/ffmpeg/types.ts';
import { download, removeResumeState, saveRevalidationState } from '../../engines/net/download.ts';
import { openRangeReader, type RangeReader } from '../../engines/net/range-reader/range-reader.ts';
import type { DownloadProgress } from '../../engines/net/types.ts';
import {
  type PageLimits,
  type PageRecording,
  readWebPage,
  type WebPage,
  webPageIn,
} from '../../engines/pages/yt-dlp.ts';
import type { Transcript } from '../../stores/codecs.ts';
import { updateClaimed } from '../../stores/jobs.ts';
import { findTranscript } from '../../stores/transcripts.ts';
import type { JobContext, PipelineDeps } from '../deps.ts';
import { LIVE_FILE } from '../live/live-audio.ts';
import { redactsNames } from '../redaction/names.ts';
import { transcriptFolder } from './recording.ts';
import { DOWNLOADED_FILE, workFolder } from './work-folder.ts';

/** What resolving a source needs. */
type SourceDeps = Pick<PipelineDeps, 'db' | 'paths' | 'http' | 'pages'> & {
  readonly files: Pick<PipelineDeps['files'], 'locate'>;
  readonly settings: Pick<PipelineDeps['settings'], 'maxDownloadBytes' | 'stallSeconds' | 'pages'>;
};

const SETTING = 'network.pages';

type FetchedFromPage = { readonly name: string; readonly bytesFetched: number };

const describe = ({ title }: WebPage): string =>
  title === null ? 'an HTML page without a title' : `an HTML page titled “${title}”`;

const notMedia = (page: WebPage, hint: string): AppError =>
  new AppError('not_media', `At this address is ${describe(page)}, not a recording. ${hint}`);

const hintFor = (isAllowed: boolean, isInstalled: boolean): string => {
  if (!isAllowed && !isInstalled) {
    return `To have the recording in such a page found, install yt-dlp and turn on the setting ${SETTING}.`;
  }
  return isAllowed
    ? `The setting ${SETTING} is on, but yt-dlp, which finds the recordings in pages, was not found on this machine.`
    : `To have yt-dlp find the recording in such a page, turn on the setting ${SETTING}.`;
};

/** Saves title and chapters, but not of a transcript to redact: they may contain what it hides. */
const savePageSource = (deps: SourceDeps, { transcript }: JobContext, recording: PageRecording): void => {
  if (redactsNames(transcript.options)) return;
  const { title, site, chapters, count } = recording;
  const isNamed = findTranscript(deps.db, transcript.id)?.isNameGiven !== false;
  updateClaimed(deps.db, transcript.id, transcript.attempt, {
    source: { title: title ?? '', site: site ?? '', recordings: count, chapters: [...chapters] },
    ...(isNamed || title === null ? {} : { name: title }),
  });
};

type PageTarget = {
  readonly folder: string;
  /** The recording's file name in that folder. */
  readonly file: string;
  /** Bytes fetched for this job so far. */
  readonly before: number;
  readonly onProgress: (progress: DownloadProgress) => void;
};

/**
 * Fetches the recording in a web page with yt-dlp, if the owner allows that. Otherwise throws `not_media`, with what
 * the page is and how to allow it.
 */
const fetchFromPage = async (
  deps: SourceDeps,
  context: JobContext,
  page: WebPage,
  { folder, file, before, onProgress }: PageTarget,
): Promise<FetchedFromPage> => {
  const program = await deps.pages.program();
  const isAllowed = deps.settings.pages();
  if (!isAllowed || program === undefined) {
    throw notMedia(page, hintFor(isAllowed, program !== undefined));
  }
  const limits: PageLimits = {
    folder,
    url: withLogin(context.transcript.audioUrl, context.transcript.audioLogin),
    maxBytes: deps.settings.maxDownloadBytes(),
    stallSeconds: deps.settings.stallSeconds(),
    signal: context.signal,
  };
  try {
    const { recording, bytes } = await deps.pages.inspect(program, limits);
    savePageSource(deps, context, recording);
    const name = `${recording.title ?? 'recording'}.${recording.extension}`;
    const fetched = await fetchRecording(deps, program, recording, { ...limits, file, onProgress });
    return { name, bytesFetched: before + bytes + fetched };
  } catch (error) {
    throw isAppError(error) && error.code === 'not_media' ? notMedia(page, error.message) : error;
  }
};

/** Returns the bytes fetched. A plain file is downloaded by us, resumably; segmented media by yt-dlp. */
const fetchRecording = async (
  deps: SourceDeps,
  program: string,
  recording: PageRecording,
  limits: PageLimits & Pick<PageTarget, 'file' | 'onProgress'>,
): Promise<number> => {
  const { folder, file, onProgress, signal, maxBytes, stallSeconds } = limits;
  if (recording.file !== null) {
    const { bytesFetched } = await download(deps.http, {
      url: recording.file.url,
      headers: recording.file.headers,
      destination: join(folder, file),
      purpose: 'audio',
      limits: { maxBytes, stallSeconds },
      signal,
      onProgress,
    });
    return bytesFetched;
  }
  const onBytes = (bytes: number) => onProgress({ bytes, total: null });
  const { bytes } = await deps.pages.fetch(program, { ...limits, onBytes, recording, file });
  const status = await stat(join(folder, file)).catch(() => undefined);
  if (status === undefined) throw new AppError('download_failed', 'yt-dlp ended without a file.');
  return bytes;
};

const SAMPLES = 32;
const SAMPLE_BYTES = 64 * 1024;

/**
 * Identifies a recording: SHA-256 over its size and 32 samples of 64 KB spread evenly from its first to its last byte.
 * Reads at most 2 MB, whatever the size.
 */
const fingerprint = async (path: string): Promise<string> => {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const hash = createHash('sha256').update(String(size));
    const block = Buffer.alloc(Math.min(size, SAMPLE_BYTES));
    for (let i = 0; i < SAMPLES; i++) {
      const { bytesRead } = await file.read(
        block,
        0,
        block.length,
        Math.round(((size - block.length) * i) / (SAMPLES - 1)),
      );
      hash.update(block.subarray(0, bytesRead));
    }
    return hash.digest('hex');
  } finally {
    await file.close();
  }
};

/** The identity of the audio of a live session, which does not change once it has ended. */
export const liveIdentity = (id: string): string => `live ${id}`;

/** A job's audio, ready to be read. */
export type Source = (
  | { readonly kind: 'upload'; readonly input: LocalFile }
  /** Downloaded, or for a time range read part by part. */
  | { readonly kind: 'remote'; readonly input: MediaInput }
  /** Found in a web page, and downloaded. */
  | { readonly kind: 'page'; readonly input: LocalFile }
) & {
  readonly name: string;
  readonly size: number | null;
  /** Tells one recording from another at the same URL: a checkpoint is valid for one identity. */
  readonly identity: string;
  /** Bytes fetched from the network for this job so far. */
  bytesFetched(): number;
  /** Throws the network error if there was one: ffmpeg only sees a broken stream. */
  throwIfFailed(): void;
  close(): Promise<void>;
};

/** The file in the work folder with the recording from a web page. */
const PAGE_FILE = 'recording';
/** About half a minute of attempts without a new byte, in which a machine that wakes up gets online again. */
const MAX_DOWNLOAD_ATTEMPTS = 6;
/** Progress that outweighs what a crash can lose; equals FLUSH_EVERY of `net/download.ts`. */
const MIN_SAFE_PROGRESS = 4 * 1024 * 1024;

const sourceDeleted = () =>
  new AppError('file_not_found', 'The stored file of this transcription was deleted.');

const uploadSource = async (deps: SourceDeps, fileId: string): Promise<Source> => {
  const file = await deps.files.locate(fileId);
  if (file === undefined) throw sourceDeleted();
  return {
    kind: 'upload',
    input: await localFile(file.path, file.name),
    name: file.name,
    size: file.size,
    identity: `stored ${fileId}`,
    bytesFetched: () => 0,
    throwIfFailed: () => {},
    close: async () => {},
  };
};

/** What was spoken live is in the transcript's folder. */
const liveSource = async (deps: SourceDeps, { id, name }: Transcript): Promise<Source> => {
  const path = join(transcriptFolder(deps, id), LIVE_FILE);
  const file = await stat(path).catch(() => undefined);
  if (file === undefined) throw new AppError('file_not_found', 'The audio of this live session is gone.');
  return {
    kind: 'remote',
    input: { kind: 'file', path },
    name: `${name}.wav`,
    size: file.size,
    identity: liveIdentity(id),
    bytesFetched: () => 0,
    throwIfFailed: () => {},
    close: async () => {},
  };
};

type DownloadedFile = {
  readonly path: string;
  readonly name: string;
  readonly size: number;
  readonly bytesFetched: number;
};

const downloadedSource = async (
  kind: 'remote' | 'page',
  { path, name, size, bytesFetched }: DownloadedFile,
): Promise<Source> => ({
  kind,
  input: await localFile(path, name),
  name,
  size,
  identity: `downloaded ${await fingerprint(path)}`,
  bytesFetched: () => bytesFetched,
  throwIfFailed: () => {},
  close: async () => {},
});

const rangeSource = (
  deps: SourceDeps,
  { transcript }: JobContext,
  reader: RangeReader,
  before: number,
): Source => {
  const bytesFetched = () => before + reader.bytesFetched();
  return {
    kind: 'remote',
    input: reader,
    name: reader.fileName,
    size: reader.totalBytes,
    identity: `remote ${reader.identity}`,
    bytesFetched,
    throwIfFailed: () => {
      const failure = reader.failure();
      if (failure !== null) throw failure;
    },
    close: async () => {
      await reader.close();
      updateClaimed(deps.db, transcript.id, transcript.attempt, { bytesFetched: bytesFetched() });
    },
  };
};

/** Reports a download's progress, and resets the job's count of app crashes once it is worth something. */
const downloadProgress = (deps: SourceDeps, { transcript, onProgress }: JobContext) => {
  let first: number | undefined;
  let isReset = transcript.appCrashes === 0;
  return ({ bytes, total }: DownloadProgress) => {
    first ??= bytes;
    if (!isReset && bytes - first >= MIN_SAFE_PROGRESS) {
      updateClaimed(deps.db, transcript.id, transcript.attempt, { appCrashes: 0 });
      isReset = true;
    }
    const percent = total === null || total === 0 ? 1 : Math.min(10, (bytes / total) * 10);
    onProgress({ stage: 'downloading', percent, etaSeconds: null, speed: null });
  };
};

/** What a URL leads to: a readable source, or a web page that may contain a recording. */
type Remote =
  | { readonly kind: 'source'; readonly source: Source }
  | { readonly kind: 'page'; readonly page: WebPage; readonly bytesFetched: number };

/** Downloads the URL into the work folder; stops at the head of a web page. */
const downloadRemote = async (deps: SourceDeps, context: JobContext, before: number): Promise<Remote> => {
  const { transcript, signal } = context;
  const folder = workFolder(deps, transcript);
  const path = join(folder, DOWNLOADED_FILE);
  await mkdir(folder, { recursive: true });
  let page: WebPage | undefined;
  let received = 0;
  try {
    const result = await download(deps.http, {
      url: withLogin(transcript.audioUrl, transcript.audioLogin),
      destination: path,
      purpose: 'audio',
      limits: {
        maxBytes: deps.settings.maxDownloadBytes(),
        stallSeconds: deps.settings.stallSeconds(),
        maxTries: MAX_DOWNLOAD_ATTEMPTS,
      },
      signal,
      onProgress: downloadProgress(deps, context),
      checkHead: async (head, bytesFetched) => {
        received = bytesFetched;
        page = await webPageIn(head);
        if (page !== undefined) throw new AppError('not_media', 'This is a web page, not a recording.');
      },
    });
    await saveRevalidationState(path, { ...result, url: transcript.audioUrl });
    const bytesFetched = before + result.bytesFetched;
    const name = result.fileName;
    updateClaimed(deps.db, transcript.id, transcript.attempt, { bytesFetched, fileName: name });
    const file = { path, name, size: result.bytes, bytesFetched };
    return { kind: 'source', source: await downloadedSource('remote', file) };
  } catch (error) {
    if (page === undefined) throw error;
    await rm(path, { force: true });
    await removeResumeState(path);
    const bytesFetched = before + received;
    updateClaimed(deps.db, transcript.id, transcript.attempt, { bytesFetched });
    return { kind: 'page', page, bytesFetched };
  }
};

/** Opens the URL: for a time range part by part if the server allows it, else by downloading it. */
const openRemote = async (deps: SourceDeps, context: JobContext): Promise<Remote> => {
  const { transcript, signal } = context;
  context.onProgress({ stage: 'downloading', percent: 0, etaSeconds: null, speed: null });
  let before = transcript.bytesFetched;
  const isRange = transcript.audioStartFrom > 0 || transcript.audioEndAt > 0;
  // Channel by channel, each part would be fetched once for each of them.
  if (isRange && !transcript.options.multichannel) {
    const opened = await openRangeReader({
      client: deps.http,
      url: withLogin(transcript.audioUrl, transcript.audioLogin),
      signal,
      stallSeconds: deps.settings.stallSeconds(),
      maxBytes: deps.settings.maxDownloadBytes(),
    });
    if (opened.supported) return checkForPage(rangeSource(deps, context, opened.reader, before), signal);
    before += opened.bytesFetched;
  }
  return downloadRemote(deps, context, before);
};

const checkForPage = async (source: Source, signal: AbortSignal): Promise<Remote> => {
  try {
    const page = await readWebPage(source.input, signal);
    if (page === undefined) return { kind: 'source', source };
    await source.close();
    return { kind: 'page', page, bytesFetched: source.bytesFetched() };
  } catch (error) {
    await source.close();
    throw error;
  }
};

/** The file that an earlier attempt of this job downloaded completely. */
const findDownloaded = async (
  deps: SourceDeps,
  { transcript }: JobContext,
  name: string,
): Promise<DownloadedFile | undefined> => {
  const path = join(workFolder(deps, transcript), name);
  const partial = await stat(`${path}.resume.json`).catch(() => undefined);
  const file = await stat(path).catch(() => undefined);
  if (partial !== undefined || file === undefined) return undefined;
  return {
    path,
    name: transcript.fileName ?? transcript.name,
    size: file.size,
    bytesFetched: transcript.bytesFetched,
  };
};

const pageSource = async (
  deps: SourceDeps,
  context: JobContext,
  page: WebPage,
  before: number,
): Promise<Source> => {
  const { transcript } = context;
  const folder = workFolder(deps, transcript);
  await mkdir(folder, { recursive: true });
  const { name, bytesFetched } = await fetchFromPage(deps, context, page, {
    folder,
    file: PAGE_FILE,
    before,
    onProgress: downloadProgress(deps, context),
  });
  const path = join(folder, PAGE_FILE);
  const { size } = await stat(path);
  updateClaimed(deps.db, transcript.id, transcript.attempt, { bytesFetched, fileName: name });
  return downloadedSource('page', { path, name, size, bytesFetched });
};

/**
 * Resolves a job's source: the user's upload, in place; a recording at a URL, downloaded or read part by part; or the
 * recording in a web page, whose first bytes tell it apart before the rest is downloaded. A download lands in the
 * job's work folder, where a later attempt finds it or resumes it.
 */
export const resolveSource = async (deps: SourceDeps, context: JobContext): Promise<Source> => {
  const { transcript, signal } = context;
  if (transcript.fileId !== null) return uploadSource(deps, transcript.fileId);
  if (transcript.audioUrl.startsWith('storage:')) throw sourceDeleted();
  if (transcript.audioUrl === LIVE_URL) return liveSource(deps, transcript);
  const fromPage = await findDownloaded(deps, context, PAGE_FILE);
  if (fromPage !== undefined) return downloadedSource('page', fromPage);
  const downloaded = await findDownloaded(deps, context, DOWNLOADED_FILE);
  const remote =
    downloaded === undefined
      ? await openRemote(deps, context)
      : await checkForPage(await downloadedSource('remote', downloaded), signal);
  return remote.kind === 'source'
    ? remote.source
    : pageSource(deps, context, remote.page, remote.bytesFetched);
};
