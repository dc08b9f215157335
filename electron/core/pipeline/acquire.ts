import { mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../base/errors.ts';
import type { MediaInput } from '../engines/ffmpeg/types.ts';
import { download } from '../engines/net/download.ts';
import { openRangeReader } from '../engines/range-reader/range-reader.ts';
import type { RangeReader } from '../engines/range-reader/types.ts';
import { updateClaimed } from '../stores/queue.ts';
import type { TranscriptRow } from '../stores/schema.ts';
import type { PipelineDeps } from './deps.ts';
import type { JobContext } from './types.ts';

/** The audio of a job, ready to be read. */
export type Source = {
  readonly input: MediaInput;
  readonly name: string;
  readonly size: number | null;
  /** `stored`: the user's own file; `downloaded`: ours to keep; `remote`: read in parts, not kept. */
  readonly kind: 'stored' | 'downloaded' | 'remote';
  /** Throws what really went wrong when ffmpeg only saw a broken stream. */
  check(): void;
  close(): Promise<void>;
};

const DOWNLOADED = 'source';

/** The job's own folder for what is needed only while it runs. */
export const workFolder = (deps: PipelineDeps, row: TranscriptRow): string =>
  join(deps.paths.temporary, row.id);

const nothing = { check() {}, async close() {} };

const fromStore = async (deps: PipelineDeps, fileId: string): Promise<Source> => {
  const file = await deps.files.locate(fileId);
  if (file === undefined) throw new AppError('file_not_found', 'The stored file is gone.');
  return {
    ...nothing,
    input: { kind: 'file', path: file.path },
    name: file.name,
    size: file.size,
    kind: 'stored',
  };
};

const fromReader = (deps: PipelineDeps, { row }: JobContext, reader: RangeReader, before: number): Source => {
  const note = () =>
    updateClaimed(deps.db, row.id, row.attempt, { bytes_fetched: before + reader.bytesFetched() });
  return {
    input: reader,
    name: reader.fileName,
    size: reader.totalBytes,
    kind: 'remote',
    check() {
      const failure = reader.failure();
      if (failure !== null) throw failure;
    },
    async close() {
      note();
      await reader.close();
    },
  };
};

const fromNetwork = async (deps: PipelineDeps, context: JobContext): Promise<Source> => {
  const { row, signal, report } = context;
  const folder = workFolder(deps, row);
  const path = join(folder, DOWNLOADED);
  await mkdir(folder, { recursive: true });
  const result = await download(deps.http, {
    url: row.audio_url,
    destination: path,
    purpose: 'audio',
    limits: { maxBytes: deps.settings.maxDownloadBytes(), stallSeconds: deps.settings.stallSeconds() },
    signal,
    onProgress: ({ bytes, total }) =>
      report({
        stage: 'downloading',
        percent: total === null || total === 0 ? 1 : Math.min(10, (bytes / total) * 10),
        etaSeconds: null,
        speed: null,
      }),
  });
  updateClaimed(deps.db, row.id, row.attempt, { bytes_fetched: row.bytes_fetched + result.bytesFetched });
  return {
    ...nothing,
    input: { kind: 'file', path },
    name: result.fileName,
    size: result.bytes,
    kind: 'downloaded',
  };
};

const isDownloaded = async (deps: PipelineDeps, row: TranscriptRow): Promise<number | undefined> => {
  const path = join(workFolder(deps, row), DOWNLOADED);
  const partial = await stat(`${path}.resume.json`).catch(() => undefined);
  const whole = await stat(path).catch(() => undefined);
  return partial === undefined ? whole?.size : undefined;
};

/**
 * Gets at the audio: the user's own file where it lies; a time range of a server that serves ranges part by
 * part; anything else by a download into the job's folder, which an interrupted job finds again.
 */
export const acquire = async (deps: PipelineDeps, context: JobContext): Promise<Source> => {
  const { row, signal } = context;
  if (row.file_id !== null) return fromStore(deps, row.file_id);
  const size = await isDownloaded(deps, row);
  if (size !== undefined) {
    const path = join(workFolder(deps, row), DOWNLOADED);
    return {
      ...nothing,
      input: { kind: 'file', path },
      name: row.file_name ?? row.name,
      size,
      kind: 'downloaded',
    };
  }
  context.report({ stage: 'downloading', percent: 0, etaSeconds: null, speed: null });
  if (row.audio_start_from > 0 || row.audio_end_at > 0) {
    const opened = await openRangeReader({
      client: deps.http,
      url: row.audio_url,
      signal,
      stallSeconds: deps.settings.stallSeconds(),
      maxBytes: deps.settings.maxDownloadBytes(),
    });
    if (opened.supported) return fromReader(deps, context, opened.reader, row.bytes_fetched);
  }
  return fromNetwork(deps, context);
};

/** Removes what was needed only while the job ran. */
export const cleanUp = (deps: PipelineDeps, row: TranscriptRow): Promise<void> =>
  rm(workFolder(deps, row), { recursive: true, force: true });
