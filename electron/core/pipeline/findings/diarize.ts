import type { AnalysisOptions, Transcription } from '../../../contract/transcript.ts';
import { throwIfAborted } from '../../base/abort.ts';
import { type AppError, isAppError } from '../../base/errors.ts';
import type { Diarization } from '../../engines/diarizer/types.ts';
import type { StoredSegment } from '../../stores/segments.ts';
import { packVector } from '../../stores/voices.ts';
import type { PipelineDeps, SpeakerModels } from '../deps.ts';
import type { Recording } from '../redaction/audio.ts';
import type { JobContext } from '../types.ts';
import type { KeptVoice } from './analyze.ts';
import { type Speakers, withEarlierNames } from './diarize-names.ts';
import { withSpeakers } from './diarize-words.ts';

const NOT_KNOWN = 'The speakers were not told apart: the program that does it went down. The text is whole.';
const NOT_READ = 'The speakers were not told apart: the audio could not be read again. The text is whole.';
const NO_SOUND = 'The speakers were not told apart: the audio is not kept any more.';

export type Diarized = {
  readonly segments: readonly StoredSegment[];
  readonly speakers?: NonNullable<Transcription['speakers']>;
  readonly voices?: readonly KeptVoice[];
  readonly warnings: readonly string[];
};

/** What is to be told apart, with the speakers that it had before. */
export type ToDiarize = {
  /** Null where no sound is on this machine. */
  readonly recording: Recording | null;
  readonly segments: readonly StoredSegment[];
  readonly speakers?: Speakers | undefined;
};

const diarizationOf = async (
  deps: PipelineDeps,
  { signal }: JobContext,
  { input, shift, range }: Recording,
  models: SpeakerModels,
  speakers: number | null,
): Promise<Diarization> => {
  const { chunks } = deps.media.decodeChunks(input, { ...range, signal });
  const from = shift + (range?.start ?? 0);
  const { turns, embeddings } = await deps.diarize(chunks, { models, speakers, signal });
  return {
    turns: turns.map((turn) => ({ ...turn, start: turn.start + from, end: turn.end + from })),
    embeddings,
  };
};

const lostName = (label: string): string =>
  `The name of speaker ${label} is gone: nobody says most of that speaker's words any more.`;

const diarized = (before: ToDiarize, { turns, embeddings }: Diarization, model: string): Diarized => {
  const { segments, speakers, labels } = withSpeakers(before.segments, turns);
  const named = withEarlierNames(before, { segments, speakers });
  return {
    segments,
    speakers: named.speakers,
    voices: embeddings.flatMap(({ speaker, embedding }) => {
      const label = labels.get(speaker);
      return label === undefined ? [] : [{ speaker: label, model, embedding: packVector(embedding) }];
    }),
    warnings: named.lost.map(lostName),
  };
};

const reasonOf = ({ code, message }: AppError): string => {
  if (code === 'model_not_installed') return message;
  return code === 'decode_failed' ? NOT_READ : NOT_KNOWN;
};

/**
 * Tells who speaks when, where that is asked for. What goes wrong with it is a warning: text is never thrown
 * away for an analysis. Throws `cancelled` alone.
 */
export const diarizeTranscript = async (
  deps: PipelineDeps,
  context: JobContext,
  what: ToDiarize,
  options: AnalysisOptions,
): Promise<Diarized> => {
  const { recording, segments } = what;
  if (!options.diarize || segments.length === 0) return { segments, warnings: [] };
  if (recording === null) return { segments, warnings: [NO_SOUND] };
  context.onProgress({ stage: 'diarizing', percent: 95, etaSeconds: null, speed: null });
  try {
    const models = deps.speakerModels();
    const expected = options.speakers_expected ?? null;
    const result = await diarizationOf(deps, context, recording, models, expected);
    return diarized(what, result, models.id);
  } catch (error) {
    throwIfAborted(context.signal);
    if (!isAppError(error)) throw error;
    deps.logger.warn({ transcript: context.transcript.id, code: error.code }, 'Diarization failed');
    return { segments, warnings: [reasonOf(error)] };
  }
};
