import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { RedactionReport } from '../../../contract/transcript.ts';
import type { MediaInfo } from '../../engines/ffmpeg/types.ts';
import type { PipelineDeps } from '../deps.ts';
import type { JobContext } from '../types.ts';
import type { Source } from './acquire.ts';
import type { RangeAudio } from './range-audio.ts';
import { workFolder } from './work-folder.ts';

/** Why no sound is kept of a range that was fetched in parts. */
export const NOT_KEPT =
  'The sound of this range is not kept for playback: it is longer than three hours, and nothing else of the recording was fetched.';

/** The name of audio that was encoded here. */
export const RANGE_FILE = 'audio.m4a';

/** The folder of what is made for a transcript and kept with it. */
export const transcriptFolder = (deps: Pick<PipelineDeps, 'paths'>, id: string): string =>
  join(deps.paths.transcripts, id);

export type KeptAudio = {
  /** Its name in the transcript's folder; null where nothing of ours is kept. */
  readonly file: string | null;
  readonly offset: number;
  readonly warnings: readonly string[];
  /** Of redacted audio alone. */
  readonly report?: RedactionReport;
};

/** Keeps what was downloaded, or gathered of a range, as the transcript's playable audio. */
export const keepAudio = async (
  deps: PipelineDeps,
  { transcript, signal }: JobContext,
  source: Source,
  info: MediaInfo,
  gathered: RangeAudio | null,
): Promise<KeptAudio> => {
  const nothing: KeptAudio = { file: null, offset: 0, warnings: [] };
  const folder = transcriptFolder(deps, transcript.id);
  await mkdir(folder, { recursive: true });
  if (gathered !== null) {
    const input = await gathered.finish();
    if (input === null) return { ...nothing, warnings: [NOT_KEPT] };
    const encoded = join(workFolder(deps, transcript), RANGE_FILE);
    await deps.media.bleep({ input, output: encoded, spans: [], format: 'm4a', signal });
    await rename(encoded, join(folder, RANGE_FILE));
    return { file: RANGE_FILE, offset: gathered.from, warnings: [] };
  }
  if (source.kind !== 'downloaded' || source.input.kind !== 'file') return nothing;
  const file = `audio.${info.format.replaceAll(/\W/g, '')}`;
  await rename(source.input.path, join(folder, file));
  return { ...nothing, file };
};
