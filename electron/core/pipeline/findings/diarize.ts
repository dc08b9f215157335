import type { AnalysisOptions } from '../../../contract/transcript.ts';
import { type StoredWarning, warningOf } from '../../../contract/warnings.ts';
import { throwIfAborted } from '../../base/abort.ts';
import { type AppError, isAppError } from '../../base/errors.ts';
import type { Diarization } from '../../engines/diarizer/types.ts';
import type { StoredSegment } from '../../stores/segments.ts';
import type { NewSpeakerEmbedding } from '../../stores/speakers.ts';
import { MissingSpeakerModel, type PipelineDeps, type SpeakerModels } from '../deps.ts';
import type { Recording } from '../source/recording.ts';
import type { JobContext } from '../types.ts';
import {
  recordingFrom,
  type Speakers,
  withEarlierEdits,
  withEarlierNames,
  withSpeakers,
  withSpeakersFrom,
} from './diarize-words.ts';
import { identifySpeakers } from './identify-speakers.ts';

const ENGINE_FAILED = warningOf('speakers_engine_crashed');
const NOT_DECODED = warningOf('speakers_not_decoded');
const NO_AUDIO = warningOf('speakers_audio_gone');

export type DiarizeInput = {
  /** Null if no audio is on this machine. */
  readonly recording: Recording | null;
  readonly segments: readonly StoredSegment[];
  /** Those of an earlier diarization, whose names are kept. */
  readonly speakers?: Speakers | undefined;
  /** The second from which on speakers are identified again; absent: everywhere. */
  readonly from?: number | undefined;
};

/** Without `speakers` and `embeddings`, nothing was diarized. */
export type Diarized = {
  readonly segments: readonly StoredSegment[];
  readonly speakers?: Speakers;
  readonly embeddings?: readonly NewSpeakerEmbedding[];
  readonly warnings: readonly StoredWarning[];
};

/** The requested number of speakers where the number that was found is out of the requested range, else null. */
const boundOf = ({ turns }: Diarization, { min_speakers, max_speakers }: AnalysisOptions): number | null => {
  const found = new Set(turns.map(({ speaker }) => speaker)).size;
  if (found > (max_speakers ?? Infinity)) return max_speakers ?? null;
  return found > 0 && found < (min_speakers ?? 0) ? (min_speakers ?? null) : null;
};

/** Diarizes the recording; times are on the transcript's timeline. */
const diarizeRecording = async (
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

const nameDropped = (label: string): StoredWarning => warningOf('speaker_name_dropped', { speaker: label });

const assignSpeakers = async (
  before: DiarizeInput,
  { turns, embeddings }: Diarization,
  model: string,
): Promise<Required<Diarized>> => {
  const { labels, ...found } = await withSpeakers(before.segments, turns);
  const { segments, speakers } = await withEarlierEdits(before, found);
  const named = await withEarlierNames(before, { segments, speakers });
  return {
    segments,
    speakers: named.speakers,
    embeddings: embeddings.flatMap(({ speaker, embedding }) => {
      const label = labels.get(speaker);
      return label === undefined ? [] : [{ speaker: label, model, embedding }];
    }),
    warnings: named.dropped.map(nameDropped),
  };
};

const warningFor = (error: AppError): StoredWarning => {
  if (error instanceof MissingSpeakerModel) return error.warning;
  return error.code === 'decode_failed' ? NOT_DECODED : ENGINE_FAILED;
};

/**
 * Assigns speakers to segments and words, if the options ask for it. A failure becomes a warning, because the text is
 * worth keeping without speakers. Throws only `cancelled`.
 */
export const diarizeTranscript = async (
  deps: PipelineDeps,
  context: JobContext,
  input: DiarizeInput,
  options: AnalysisOptions,
): Promise<Diarized> => {
  const { recording, segments } = input;
  if (!options.diarize || segments.length === 0) return { segments, warnings: [] };
  if (recording === null) return { segments, warnings: [NO_AUDIO] };
  context.onProgress({ stage: 'diarizing', percent: 95, etaSeconds: null, speed: null });
  try {
    const models = deps.speakerModels();
    const { from } = input;
    const heard = from === undefined ? recording : recordingFrom(recording, from);
    const diarize = (speakers: number | null) => diarizeRecording(deps, context, heard, models, speakers);
    const found = await diarize(options.speakers_expected ?? null);
    const bound = options.speakers_expected === undefined ? boundOf(found, options) : null;
    const diarization = bound === null ? found : await diarize(bound);
    if (from !== undefined)
      return { ...(await withSpeakersFrom(input, from, diarization.turns)), warnings: [] };
    const diarized = await assignSpeakers(input, diarization, models.id);
    const identified = await identifySpeakers(deps, context, { ...diarized, models }, options);
    return {
      ...diarized,
      speakers: identified.speakers,
      warnings: [...diarized.warnings, ...identified.warnings],
    };
  } catch (error) {
    throwIfAborted(context.signal);
    if (!isAppError(error)) throw error;
    deps.logger.warn({ transcript: context.transcript.id, code: error.code }, 'Diarization failed');
    return { segments, warnings: [warningFor(error)] };
  }
};
