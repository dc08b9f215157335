import { setImmediate as nextTurn } from 'node:timers/promises';
import { resolvePolicies } from '../../../contract/analysis.ts';
import type { AnalysisOptions, KnownSpeaker } from '../../../contract/transcript.ts';
import { type StoredWarning, warningOf } from '../../../contract/warnings.ts';
import { findIntroductions, type SpokenTurn } from '../../analysis/introductions.ts';
import { throwIfAborted } from '../../base/abort.ts';
import { type AppError, isAppError } from '../../base/errors.ts';
import { cosine } from '../../base/numbers.ts';
import { isNamed } from '../../base/speaker-names.ts';
import type { Diarization } from '../../engines/diarizer/tasks.ts';
import { localFile } from '../../engines/ffmpeg/local-file.ts';
import type { StoredSegment } from '../../stores/segments.ts';
import { listRememberedSpeakers, type NewSpeakerEmbedding } from '../../stores/speakers.ts';
import { type JobContext, MissingSpeakerModel, type PipelineDeps, type SpeakerModels } from '../deps.ts';
import type { Recording } from '../source/recording.ts';
import {
  recordingFrom,
  type Speakers,
  withEarlierEdits,
  withEarlierNames,
  withSpeakers,
  withSpeakersFrom,
} from './diarize-words.ts';

/** A voice by its name. */
type NamedVoice = { readonly name: string; readonly embedding: Float32Array };
type Match = { readonly label: string; readonly name: string; readonly score: number };

type IdentifyInput = {
  readonly segments: readonly StoredSegment[];
  readonly speakers: Speakers;
  readonly embeddings: readonly NewSpeakerEmbedding[];
  readonly models: SpeakerModels;
};

const unusable = (name: string): StoredWarning => warningOf('voice_sample_unusable', { name });

/** The voice in a sample recording; undefined if the file is gone, unreadable, or without enough speech. */
const voiceOf = async (
  deps: PipelineDeps,
  { transcript, signal }: JobContext,
  { name, sample }: KnownSpeaker,
  models: SpeakerModels,
): Promise<NamedVoice | undefined> => {
  const file = sample === undefined ? undefined : await deps.files.locateOwn(transcript.userId, sample);
  if (file === undefined) return undefined;
  try {
    const { chunks } = deps.media.decodeChunks(await localFile(file.path, file.name), { signal });
    const { embeddings } = await deps.diarize(chunks, { models, speakers: 1, signal });
    const embedding = embeddings[0]?.embedding;
    return embedding === undefined ? undefined : { name, embedding };
  } catch (error) {
    throwIfAborted(signal);
    if (!isAppError(error)) throw error;
    return undefined;
  }
};

/** Pairs the best matches first, each speaker and each name at most once. */
const pair = (matches: readonly Match[]): Map<string, string> => {
  const names = new Map<string, string>();
  const taken = new Set<string>();
  for (const { label, name } of matches.toSorted((a, b) => b.score - a.score)) {
    if (names.has(label) || taken.has(name)) continue;
    names.set(label, name);
    taken.add(name);
  }
  return names;
};

const byVoice = (input: IdentifyInput, voices: readonly NamedVoice[]): Match[] =>
  input.embeddings.flatMap(({ speaker: label, embedding }) =>
    voices
      .map((voice) => ({ label, name: voice.name, score: cosine(embedding, voice.embedding) }))
      .filter(({ score }) => score >= input.models.sameVoiceCosine),
  );

const turnsOf = (segments: readonly StoredSegment[]): SpokenTurn[] =>
  segments.flatMap(({ speaker_id: speaker, text }) => (speaker === null ? [] : [{ speaker, text }]));

/** Names that a redaction of people covers are not written to the transcript. */
const redactsPeople = ({ redact_pii, redact_pii_policies }: AnalysisOptions): boolean =>
  redact_pii && resolvePolicies(redact_pii_policies).includes('person_name');

/**
 * Names the speakers who are known to the request: by samples of their voices, by remembered voices of those names, and
 * by how people introduce themselves. A speaker who has a name keeps it. Throws only `cancelled`.
 */
const identifySpeakers = async (
  deps: PipelineDeps,
  context: JobContext,
  input: IdentifyInput,
  options: AnalysisOptions,
): Promise<{ speakers: Speakers; warnings: StoredWarning[] }> => {
  const { speakers, models } = input;
  const known = options.known_speakers ?? [];
  if (known.length === 0 || redactsPeople(options)) return { speakers, warnings: [] };
  const voices: NamedVoice[] = listRememberedSpeakers(deps.db, context.transcript.userId).filter(
    ({ model, name }) => model === models.id && known.some((speaker) => speaker.name === name),
  );
  const warnings: StoredWarning[] = [];
  for (const speaker of known.filter(({ sample }) => sample !== undefined)) {
    const voice = await voiceOf(deps, context, speaker, models);
    if (voice === undefined) warnings.push(unusable(speaker.name));
    else voices.push(voice);
  }
  const earlier = new Set(Object.values(speakers).map(({ name }) => name));
  const isFree = ({ label, name }: Match): boolean => {
    const speaker = speakers[label];
    return speaker !== undefined && !isNamed(label, speaker) && !earlier.has(name);
  };
  const heard = pair(byVoice(input, voices).filter(isFree));
  const others = known.map(({ name }) => name).filter((name) => ![...heard.values()].includes(name));
  const introduced = findIntroductions(others, turnsOf(input.segments))
    .map(({ speaker, ...rest }) => ({ ...rest, label: speaker }))
    .filter((match) => isFree(match) && !heard.has(match.label));
  const names = new Map([...heard, ...pair(introduced)]);
  const named = Object.entries(speakers).map(([label, speaker]) => [
    label,
    { ...speaker, name: names.get(label) ?? speaker.name },
  ]);
  return { speakers: Object.fromEntries(named), warnings };
};

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

/** The requested number of speakers if the number that was found is out of the requested range, else null. */
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
  const { labels, ...found } = withSpeakers(before.segments, turns);
  await nextTurn();
  const { segments, speakers } = withEarlierEdits(before, found);
  await nextTurn();
  const named = withEarlierNames(before, { segments, speakers });
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
