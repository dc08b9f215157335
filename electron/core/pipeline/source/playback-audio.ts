import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { RedactionReport } from '../../../contract/transcript.ts';
import { type StoredWarning, warningOf } from '../../../contract/warnings.ts';
import type { MediaInfo } from '../../engines/ffmpeg/types.ts';
import type { JobContext, PipelineDeps } from '../deps.ts';
import type { RangeAudio } from './range-audio.ts';
import type { Source } from './resolve.ts';
import { workFolder } from './work-folder.ts';

const RANGE_TOO_LONG = warningOf('range_too_long');

/** The file name of audio that was encoded here. */
export const ENCODED_FILE = 'audio.m4a';

/** The folder of the files that belong to a transcript. */
export const transcriptFolder = (deps: Pick<PipelineDeps, 'paths'>, id: string): string =>
  join(deps.paths.transcripts, id);

/** The audio that a transcript plays. */
export type PlaybackAudio = {
  /** The file name in the transcript's folder; null if the upload is played, or nothing. */
  readonly file: string | null;
  /** Where it starts on the source's timeline; seconds. */
  readonly offset: number;
  readonly warnings: readonly StoredWarning[];
  /** For redacted audio alone. */
  readonly report?: RedactionReport;
};

/** Keeps what was downloaded, or collected of a range, or several tracks mixed, as the transcript's playback audio. */
export const keepPlaybackAudio = async (
  deps: PipelineDeps,
  { transcript, signal }: JobContext,
  source: Source,
  info: MediaInfo,
  rangeAudio: RangeAudio | null,
): Promise<PlaybackAudio> => {
  const none: PlaybackAudio = { file: null, offset: 0, warnings: [] };
  const folder = transcriptFolder(deps, transcript.id);
  await mkdir(folder, { recursive: true });
  if (rangeAudio !== null) {
    const input = await rangeAudio.finish();
    if (input === null) return { ...none, warnings: [RANGE_TOO_LONG] };
    const encoded = join(workFolder(deps, transcript), ENCODED_FILE);
    await deps.media.bleep({ input, output: encoded, spans: [], format: 'm4a', signal });
    await rename(encoded, join(folder, ENCODED_FILE));
    return { file: ENCODED_FILE, offset: rangeAudio.from, warnings: [] };
  }
  if (transcript.options.multichannel && info.audioStreams.length > 1) {
    // Players play the first track alone.
    const encoded = join(workFolder(deps, transcript), ENCODED_FILE);
    const { input } = source;
    await deps.media.bleep({ input, output: encoded, spans: [], format: 'm4a', tracks: 'all', signal });
    await rename(encoded, join(folder, ENCODED_FILE));
    return { ...none, file: ENCODED_FILE };
  }
  if (source.kind === 'upload' || source.input.kind !== 'file') return none;
  const file = `audio.${info.format.replaceAll(/\W/g, '')}`;
  await rename(source.input.path, join(folder, file));
  return { ...none, file };
};
