import { PII_POLICY_NAMES, type PiiPolicyName } from '../../../contract/analysis.ts';
import type { AaiCreate, AaiPiiPolicy } from '../../../contract/assemblyai.ts';
import { isLanguageCode } from '../../../contract/languages.ts';
import type { CreateTranscriptInput } from '../../../contract/transcript.ts';
import { AppError } from '../../base/errors.ts';

const SPEECH_MODELS: Readonly<Record<string, 'pro'>> = {
  best: 'pro',
  universal: 'pro',
  'universal-2': 'pro',
  'universal-3-pro': 'pro',
  'slam-1': 'pro',
};

/** Our names of AssemblyAI's policies, where they differ. */
const POLICIES: Partial<Record<AaiPiiPolicy, readonly PiiPolicyName[]>> = {
  account_number: ['bank_account', 'iban'],
  banking_information: ['bank_account', 'iban'],
  healthcare_number: ['number_sequence'],
  medical_process: ['medical_condition'],
};

const problem = (path: string, message: string) =>
  new AppError('invalid_request', `${path} ${message}.`, { details: [{ path, message }] });

/** `en_us` → `en`; `auto` with language detection. */
const languageOf = ({ language_code, language_detection }: AaiCreate): string => {
  if (language_detection === true) return 'auto';
  const code = (language_code ?? 'en_us').toLowerCase().split(/[_-]/)[0] ?? '';
  if (!isLanguageCode(code)) throw problem('language_code', 'is not a language code that Whisper knows');
  return code;
};

const modelOf = ({ speech_model, speech_models }: AaiCreate, language: string): string => {
  const name = speech_models?.[0] ?? speech_model ?? 'mini';
  if (name === 'nano') return language === 'en' ? 'nano' : 'mini';
  return SPEECH_MODELS[name] ?? name;
};

const policiesOf = (policies: readonly AaiPiiPolicy[]): PiiPolicyName[] => [
  ...new Set(
    policies.flatMap((policy) => POLICIES[policy] ?? PII_POLICY_NAMES.filter((name) => name === policy)),
  ),
];

const redactionOf = (body: AaiCreate) =>
  body.redact_pii !== true
    ? {}
    : {
        redact_pii: true,
        redact_pii_audio: body.redact_pii_audio === true,
        redact_pii_sub: body.redact_pii_sub === 'entity_name' ? ('hash' as const) : ('mask' as const),
        ...(body.redact_pii_policies?.length
          ? { redact_pii_policies: policiesOf(body.redact_pii_policies) }
          : {}),
      };

/** Converts an AssemblyAI request to ours. The caller validates conflicting options. */
export const requestOf = (body: AaiCreate): CreateTranscriptInput => {
  const language = languageOf(body);
  const bullets = body.summary_type == null || body.summary_type.startsWith('bullets');
  return {
    audio_url: body.audio_url,
    model: modelOf(body, language),
    language,
    timestamp_style: 'word',
    audio_start_from: (body.audio_start_from ?? 0) / 1000,
    audio_end_at: (body.audio_end_at ?? 0) / 1000,
    diarize: body.speaker_labels === true,
    ...(body.speakers_expected == null ? {} : { speakers_expected: body.speakers_expected }),
    content_safety: body.content_safety === true || body.filter_profanity === true,
    entity_detection: body.entity_detection === true,
    topics: body.iab_categories === true || body.auto_highlights === true,
    summarization: body.summarization === true,
    summary_type: bullets ? 'bullets' : 'paragraphs',
    ...(language === 'auto' ? {} : { summary_language: language }),
    ...redactionOf(body),
  };
};
