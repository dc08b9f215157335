import type { AnalysisOptions, Transcription } from '../../contract/transcript.ts';
import { isAppError } from '../base/errors.ts';
import type { SpeakerTurn } from '../engines/diarizer/types.ts';
import { throwIfAborted } from '../engines/net/network-errors.ts';
import type { StoredSegment } from '../stores/segments.ts';
import type { PipelineDeps } from './deps.ts';
import { withSpeakers } from './diarize-words.ts';
import type { Recording } from './redact-audio.ts';
import type { JobContext } from './types.ts';

const NOT_KNOWN = 'The speakers were not told apart: the program that does it went down. The text is whole.';
const NO_SOUND = 'The speakers were not told apart: the audio is not kept any more.';

export type Diarized = {
  readonly segments: readonly StoredSegment[];
  readonly speakers?: NonNullable<Transcription['speakers']>;
  readonly warnings: readonly string[];
};

const turnsOf = async (
  deps: PipelineDeps,
  { signal }: JobContext,
  { input, shift, range }: Recording,
  speakers: number | null,
): Promise<SpeakerTurn[]> => {
  const { pieces } = deps.media.decodePieces(input, { ...range, signal });
  const from = shift + (range?.start ?? 0);
  const turns = await deps.diarize(pieces, { speakers, signal });
  return turns.map((turn) => ({ ...turn, start: turn.start + from, end: turn.end + from }));
};

/**
 * Tells who speaks when, where that is asked for. What goes wrong with it is a warning: text is never thrown
 * away for an analysis. Throws `cancelled` alone.
 */
export const diarizeTranscript = async (
  deps: PipelineDeps,
  context: JobContext,
  recording: Recording | null,
  segments: readonly StoredSegment[],
  options: AnalysisOptions,
): Promise<Diarized> => {
  if (!options.diarize || segments.length === 0) return { segments, warnings: [] };
  if (recording === null) return { segments, warnings: [NO_SOUND] };
  context.report({ stage: 'diarizing', percent: 95, etaSeconds: null, speed: null });
  try {
    const turns = await turnsOf(deps, context, recording, options.speakers_expected ?? null);
    return { ...withSpeakers(segments, turns), warnings: [] };
  } catch (error) {
    throwIfAborted(context.signal);
    if (!isAppError(error)) throw error;
    deps.logger.warn({ transcript: context.row.id, code: error.code }, 'Diarization failed');
    return { segments, warnings: [NOT_KNOWN] };
  }
};
