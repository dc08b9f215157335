import { PII_POLICY_NAMES, type PiiPolicyName } from '../../../contract/analysis.ts';
import type { AaiCreate, AaiPiiPolicy } from '../../../contract/assemblyai-create.ts';
import { isLanguageCode } from '../../../contract/languages.ts';
import type { CreateTranscriptInput } from '../../../contract/transcript.ts';
import { MAX_VOCABULARY, toTerms } from '../../../contract/vocabulary.ts';
import { AppError } from '../../base/errors.ts';

/** `universal`, `universal-2`, `universal-3-5-pro` and other versions. */
const PRO = /^(?:best|slam-1|universal(?:-\d+)*(?:-pro)?)$/;

/** What the choice among several models depends on. */
export type ModelChoice = {
  isKnown(name: string): boolean;
  /** What it transcribes: any language, or these. */
  languagesOf(name: string): 'multilingual' | readonly string[];
  /** Whether it is installed or may be downloaded. */
  isAvailable(name: string): boolean;
};

/** Our names of AssemblyAI's policies, if they differ. */
const POLICIES: Partial<Record<AaiPiiPolicy, readonly PiiPolicyName[]>> = {
  account_number: ['bank_account', 'iban'],
  banking_information: ['bank_account', 'iban'],
  healthcare_number: ['number_sequence'],
  medical_process: ['medical_condition'],
};

const problem = (path: string, message: string) =>
  new AppError('invalid_request', `${path} ${message}.`, { details: [{ path, message }] });

/** `en_us` → `en`. */
const languageCode = (text: string, path: string): string => {
  const code = text.toLowerCase().split(/[_-]/)[0] ?? '';
  if (!isLanguageCode(code)) throw problem(path, 'is not a language code that Whisper knows');
  return code;
};

/** `auto` with language detection. */
const languageOf = ({ language_code, language_detection }: AaiCreate): string =>
  language_detection === true ? 'auto' : languageCode(language_code ?? 'en_us', 'language_code');

const detectionOf = ({ language_detection_options: options, language_confidence_threshold }: AaiCreate) => {
  const { expected_languages: expected, fallback_language: fallback } = options ?? {};
  const path = 'language_detection_options';
  return {
    ...(expected == null || expected.length === 0
      ? {}
      : { expected_languages: expected.map((code) => languageCode(code, `${path}.expected_languages`)) }),
    ...(fallback == null || fallback === 'auto'
      ? {}
      : { fallback_language: languageCode(fallback, `${path}.fallback_language`) }),
    ...(language_confidence_threshold == null ? {} : { language_confidence_threshold }),
    ...(options?.on_low_language_confidence == null
      ? {}
      : { on_low_language_confidence: options.on_low_language_confidence }),
  };
};

const ourModel = (name: string, language: string): string => {
  if (name === 'nano') return language === 'en' ? 'nano' : 'mini';
  return PRO.test(name) ? 'pro' : name;
};

const knowsLanguage = (models: ModelChoice, name: string, language: string): boolean => {
  const languages = models.languagesOf(name);
  if (languages === 'multilingual') return true;
  return language === 'auto' ? languages.length > 1 : languages.includes(language);
};

/** The first model that can run and knows the language; if none can, the first of them, which is refused with the reason. */
const modelOf = (
  { speech_model, speech_models }: AaiCreate,
  language: string,
  models: ModelChoice,
): string => {
  if (!speech_models?.length) return ourModel(speech_model ?? 'mini', language);
  const named = speech_models.map((name) => ourModel(name, language));
  const known = named.filter((name) => models.isKnown(name) && knowsLanguage(models, name, language));
  const chosen = known.find((name) => models.isAvailable(name)) ?? known[0];
  if (chosen === undefined) {
    throw problem('speech_models', 'names no model that is known here and knows the language');
  }
  return chosen;
};

const BOOST_WEIGHTS = { low: 0.5, default: 1, high: 2 } as const;

const vocabularyOf = ({ keyterms_prompt, word_boost, boost_param }: AaiCreate) => {
  const weight = BOOST_WEIGHTS[boost_param ?? 'default'];
  const boosted = toTerms(word_boost ?? []).map((term) => (weight === 1 ? term : { term, weight }));
  const vocabulary = [...toTerms(keyterms_prompt ?? []), ...boosted].slice(0, MAX_VOCABULARY);
  return vocabulary.length === 0 ? {} : { vocabulary };
};

const speakersOf = ({ speaker_labels, speakers_expected, speaker_options, ...body }: AaiCreate) => {
  const { min_speakers_expected: min, max_speakers_expected: max } = speaker_options ?? {};
  const identification = body.speech_understanding?.request?.speaker_identification;
  return {
    diarize: speaker_labels === true || identification != null,
    ...(speakers_expected == null ? {} : { speakers_expected }),
    ...(min == null ? {} : { min_speakers: min }),
    ...(max == null ? {} : { max_speakers: max }),
    ...(identification == null
      ? {}
      : { known_speakers: identification.known_values.map((name) => ({ name })) }),
  };
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
        redact_pii_sub: body.redact_pii_sub === 'entity_name' ? ('entity_name' as const) : ('mask' as const),
        ...(body.redact_pii_policies?.length
          ? { redact_pii_policies: policiesOf(body.redact_pii_policies) }
          : {}),
      };

/** Converts an AssemblyAI request to ours. The caller validates conflicting options. */
export const requestOf = (body: AaiCreate, models: ModelChoice): CreateTranscriptInput => {
  const language = languageOf(body);
  const bullets = body.summary_type == null || body.summary_type.startsWith('bullets');
  return {
    audio_url: body.audio_url,
    model: modelOf(body, language, models),
    language,
    ...detectionOf(body),
    ...(body.speech_threshold == null ? {} : { speech_threshold: body.speech_threshold }),
    ...vocabularyOf(body),
    ...(body.custom_spelling?.length ? { custom_spelling: body.custom_spelling } : {}),
    ...(body.webhook_url == null ? {} : { webhook_url: body.webhook_url }),
    timestamp_style: 'word',
    audio_start_from: (body.audio_start_from ?? 0) / 1000,
    audio_end_at: (body.audio_end_at ?? 0) / 1000,
    ...speakersOf(body),
    multichannel: body.multichannel === true,
    content_safety: body.content_safety === true || body.filter_profanity === true,
    entity_detection:
      body.entity_detection === true || body.speech_understanding?.request?.custom_formatting != null,
    topics: body.iab_categories === true || body.auto_highlights === true,
    summarization: body.summarization === true,
    summary_type: bullets ? 'bullets' : 'paragraphs',
    ...(language === 'auto' ? {} : { summary_language: language }),
    ...redactionOf(body),
  };
};
