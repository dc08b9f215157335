import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError, isAppError } from '../../base/errors.ts';
import { download } from '../../engines/net/download.ts';
import type { DownloadProgress } from '../../engines/net/types.ts';
import type { WebPage } from '../../engines/pages/web-page.ts';
import type { PageLimits } from '../../engines/pages/yt-dlp.ts';
import type { PageRecording } from '../../engines/pages/yt-dlp-output.ts';
import { updateClaimed } from '../../stores/jobs.ts';
import { findTranscript } from '../../stores/transcripts.ts';
import type { PipelineDeps } from '../deps.ts';
import type { JobContext } from '../types.ts';

const SETTING = 'network.pages';

/** What was fetched for a page. */
export type FetchedFromPage = { readonly name: string; readonly bytesFetched: number };

const describe = ({ title }: WebPage): string =>
  title === null ? 'an HTML page without a title' : `an HTML page titled “${title}”`;

/** Says what is at the address instead of a recording, and what would help. */
const notMedia = (page: WebPage, help: string): AppError =>
  new AppError('not_media', `At this address is ${describe(page)}, not a recording. ${help}`);

const helpFor = (allowed: boolean, installed: boolean): string => {
  if (!allowed && !installed) {
    return `To have the recording in such a page found, install yt-dlp and turn on the setting ${SETTING}.`;
  }
  return allowed
    ? `The setting ${SETTING} is on, but yt-dlp, which finds the recordings in pages, was not found on this machine.`
    : `To have yt-dlp find the recording in such a page, turn on the setting ${SETTING}.`;
};

/** Keeps the title and the chapters; for a transcript that is to be redacted neither, since they may tell what it hides. */
const keepSource = (deps: PipelineDeps, { transcript }: JobContext, recording: PageRecording): void => {
  if (transcript.options.redact_pii) return;
  const { title, site, chapters, count } = recording;
  const isNamed = findTranscript(deps.db, transcript.id)?.isNameGiven !== false;
  updateClaimed(deps.db, transcript.id, transcript.attempt, {
    source: { title: title ?? '', site: site ?? '', recordings: count, chapters: [...chapters] },
    ...(isNamed || title === null ? {} : { name: title }),
  });
};

type Wanted = {
  readonly folder: string;
  /** Where the recording goes, a name in that folder. */
  readonly file: string;
  /** Bytes read from the network for this job before. */
  readonly before: number;
  readonly onProgress: (progress: DownloadProgress) => void;
};

/**
 * Fetches the recording that a page holds, by yt-dlp where the owner allows it.
 * Throws `not_media` with what the page is and what would help otherwise.
 */
export const fetchFromPage = async (
  deps: PipelineDeps,
  context: JobContext,
  page: WebPage,
  { folder, file, before, onProgress }: Wanted,
): Promise<FetchedFromPage> => {
  const program = await deps.pages.program();
  const allowed = deps.settings.pages();
  if (!allowed || program === undefined) throw notMedia(page, helpFor(allowed, program !== undefined));
  const limits: PageLimits = {
    folder,
    url: context.transcript.audioUrl,
    maxBytes: deps.settings.maxDownloadBytes(),
    stallSeconds: deps.settings.stallSeconds(),
    signal: context.signal,
  };
  try {
    const { recording, bytes } = await deps.pages.inspect(program, limits);
    keepSource(deps, context, recording);
    const name = `${recording.title ?? 'recording'}.${recording.extension}`;
    const fetched = await fetchRecording(deps, program, recording, { ...limits, file, onProgress });
    return { name, bytesFetched: before + bytes + fetched };
  } catch (error) {
    throw isAppError(error) && error.code === 'not_media' ? notMedia(page, error.message) : error;
  }
};

/** The bytes fetched. One plain file comes by our own resuming download; what is sent in parts, by yt-dlp. */
const fetchRecording = async (
  deps: PipelineDeps,
  program: string,
  recording: PageRecording,
  limits: PageLimits & Pick<Wanted, 'file' | 'onProgress'>,
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
  const made = await stat(join(folder, file)).catch(() => undefined);
  if (made === undefined) throw new AppError('download_failed', 'yt-dlp ended without a file.');
  return bytes;
};
