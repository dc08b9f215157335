import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError, isAppError } from '../../base/errors.ts';
import { withLogin } from '../../base/url-login.ts';
import { download } from '../../engines/net/download.ts';
import type { DownloadProgress } from '../../engines/net/types.ts';
import type { PageLimits } from '../../engines/pages/yt-dlp.ts';
import type { PageRecording, WebPage } from '../../engines/pages/yt-dlp-output.ts';
import { updateClaimed } from '../../stores/jobs.ts';
import { findTranscript } from '../../stores/transcripts.ts';
import type { JobContext, PipelineDeps } from '../deps.ts';
import { redactsNames } from '../redaction/names.ts';

/** What resolving a source needs. */
export type SourceDeps = Pick<PipelineDeps, 'db' | 'paths' | 'http' | 'pages'> & {
  readonly files: Pick<PipelineDeps['files'], 'locate'>;
  readonly settings: Pick<PipelineDeps['settings'], 'maxDownloadBytes' | 'stallSeconds' | 'pages'>;
};

const SETTING = 'network.pages';

export type FetchedFromPage = { readonly name: string; readonly bytesFetched: number };

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
export const fetchFromPage = async (
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
