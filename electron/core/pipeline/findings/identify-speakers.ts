import { resolvePolicies } from '../../../contract/analysis.ts';
import type { AnalysisOptions, KnownSpeaker } from '../../../contract/transcript.ts';
import { type StoredWarning, warningOf } from '../../../contract/warnings.ts';
import { findIntroductions, type SpokenTurn } from '../../analysis/introductions.ts';
import { throwIfAborted } from '../../base/abort.ts';
import { isAppError } from '../../base/errors.ts';
import { isNamed } from '../../base/speaker-names.ts';
import { cosine } from '../../base/vectors.ts';
import { localFile } from '../../engines/ffmpeg/local-file.ts';
import type { StoredSegment } from '../../stores/segments.ts';
import { listRememberedSpeakers, type NewSpeakerEmbedding } from '../../stores/speakers.ts';
import type { PipelineDeps, SpeakerModels } from '../deps.ts';
import type { JobContext } from '../types.ts';
import type { Speakers } from './diarize-words.ts';

/** A voice by its name. */
type NamedVoice = { readonly name: string; readonly embedding: Float32Array };
type Match = { readonly label: string; readonly name: string; readonly score: number };

export type IdentifyInput = {
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
export const identifySpeakers = async (
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
