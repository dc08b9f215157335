import { type PiiPolicyName, resolvePolicies } from '../../../contract/analysis.ts';
import type { AnalysisOptions, AnalyzeTranscript } from '../../../contract/transcript.ts';
import type { PatchTranscript } from '../../../contract/transcript-edits.ts';
import { AppError } from '../../base/errors.ts';
import type { StoredAnalysis } from '../../stores/codecs.ts';
import type { Transcript } from '../../stores/transcript-record.ts';
import type { SpeakerService } from '../speakers.ts';

type NamedTranscript = Pick<Transcript, 'id' | 'userId'> & { readonly speakers: StoredAnalysis['speakers'] };

/**
 * The speakers with names and colors that a person gave. Remembers a speaker only if that is asked for; throws
 * `invalid_request` for a label that the transcript does not have.
 */
export const nameSpeakers = (
  { id, userId, speakers: before }: NamedTranscript,
  given: NonNullable<PatchTranscript['speakers']>,
  service: Pick<SpeakerService, 'remember'>,
): NonNullable<StoredAnalysis['speakers']> => {
  const speakers = { ...before };
  for (const [label, change] of Object.entries(given)) {
    const speaker = speakers[label];
    if (speaker === undefined) {
      throw new AppError('invalid_request', `There is no speaker ${label}.`, {
        details: [{ path: `speakers.${label}`, message: 'is not a speaker of this transcription' }],
      });
    }
    const asked = typeof change === 'string' ? { name: change, remember: false } : change;
    const { name = speaker.name, remember } = asked;
    if (remember) service.remember({ id, userId }, label, name);
    const { color: earlier, ...rest } = speaker;
    const color = 'color' in asked && asked.color !== undefined ? asked.color : earlier;
    speakers[label] = { ...rest, name, ...(color == null ? {} : { color }) };
  }
  return speakers;
};

const policiesOf = (
  before: AnalysisOptions,
  asked: AnalyzeTranscript,
): readonly PiiPolicyName[] | undefined => {
  if (!asked.redact_pii) return before.redact_pii_policies;
  const policies = resolvePolicies(asked.redact_pii_policies);
  return before.redact_pii
    ? [...new Set([...resolvePolicies(before.redact_pii_policies), ...policies])]
    : policies;
};

/**
 * The options of a transcript after another analysis: earlier analyses stay, requested ones are added or made again, and
 * redacted text stays redacted. Throws `invalid_request` if no analysis is requested.
 */
export const optionsAgain = (before: AnalysisOptions, asked: AnalyzeTranscript): AnalysisOptions => {
  const { diarize, entity_detection, topics, summarization, content_safety, redact_pii } = asked;
  if (!(diarize || entity_detection || topics || summarization || content_safety || redact_pii)) {
    throw new AppError('invalid_request', 'No analysis is asked for.', {
      details: [{ path: '', message: 'names no analysis to make' }],
    });
  }
  if (diarize && before.multichannel) {
    throw new AppError('invalid_request', 'Each channel of this transcription is a speaker already.', {
      details: [{ path: 'diarize', message: 'does not go with multichannel' }],
    });
  }
  const policies = policiesOf(before, asked);
  return {
    ...before,
    diarize: before.diarize || diarize,
    entity_detection: before.entity_detection || entity_detection,
    topics: before.topics || topics,
    summarization: before.summarization || summarization,
    content_safety: before.content_safety || content_safety,
    redact_pii: before.redact_pii || redact_pii,
    redact_pii_audio: before.redact_pii_audio || (redact_pii && asked.redact_pii_audio),
    ...(diarize
      ? {
          speakers_expected: asked.speakers_expected,
          min_speakers: asked.min_speakers,
          max_speakers: asked.max_speakers,
          known_speakers: asked.known_speakers,
        }
      : {}),
    ...(entity_detection ? { entity_types: asked.entity_types } : {}),
    ...(summarization ? { summary_language: asked.summary_language, summary_type: asked.summary_type } : {}),
    // Only a redaction that asks for it deletes the source; redacting again after a later analysis does not.
    redact_source: redact_pii ? asked.redact_source : 'keep',
    ...(redact_pii ? { redact_pii_sub: asked.redact_pii_sub, redact_names: asked.redact_names } : {}),
    ...(policies === undefined ? {} : { redact_pii_policies: [...policies] }),
  };
};
