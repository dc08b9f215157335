import type { OpenAiTranscriptionForm, OpenAiVerbose } from '../../../contract/openai.ts';
import { PROMPT_LENGTH } from '../../../contract/recognition.ts';
import { CreateTranscript } from '../../../contract/transcript.ts';
import { toTerms } from '../../../contract/vocabulary.ts';
import type { StoredFile } from '../../services/files/service.ts';
import type { ModelService } from '../../services/models/index.ts';
import { validate } from '../add-route.ts';
import { invalidField } from '../multipart.ts';

export type Task = OpenAiVerbose['task'];

/** A form of either operation: that of a translation has fewer fields. */
export type Form = Pick<OpenAiTranscriptionForm, 'model'> & Partial<OpenAiTranscriptionForm>;

/** OpenAI's names of models, and ours. */
export const OPENAI_MODELS: Readonly<Record<string, 'mini' | 'pro'>> = {
  'whisper-1': 'mini',
  'gpt-4o-mini-transcribe': 'mini',
  'gpt-4o-transcribe': 'pro',
  'gpt-4o-transcribe-diarize': 'pro',
  'gpt-transcribe': 'pro',
  'gpt-realtime-whisper': 'mini',
};

/** The name of a model without the date of its version, as in `gpt-4o-mini-transcribe-2025-12-15`. */
const undated = (model: string): string => model.replace(/-\d{4}-\d{2}-\d{2}$/, '');

/** Our name of the model that a request means. */
export const modelOf = (models: Pick<ModelService, 'published'>, name: string): string =>
  OPENAI_MODELS[undated(name)] ?? models.published(name);

export const isModel = ({ model }: Form, name: string): boolean => undated(model) === name;

/** Whether the answer or its stream names speakers. */
const labelsSpeakers = (form: Form): boolean =>
  form.response_format === 'diarized_json' || isModel(form, 'gpt-4o-transcribe-diarize');

/** Throws `invalid_request` for fields that OpenAI's API does not combine. */
export const checkCombination = (form: Form): void => {
  const { include = [], response_format = 'json' } = form;
  if (include.length > 0 && response_format !== 'json') {
    throw invalidField('include', 'logprobs are part of the response_format json only');
  }
  const { known_speaker_names: names, known_speaker_references: samples = [] } = form;
  if (names !== undefined && !labelsSpeakers(form)) {
    throw invalidField('known_speaker_names', 'needs the response_format diarized_json');
  }
  if (samples.length > 0 && samples.length !== (names?.length ?? 0)) {
    throw invalidField('known_speaker_references', 'must be as many as known_speaker_names');
  }
};

/** Words of a term in a prompt that lists terms. */
const MAX_TERM_WORDS = 4;

/** The terms of a prompt that is a list of them, separated by commas or lines; none if it is a text. */
const listedTerms = (prompt: string): string[] => {
  const parts = prompt
    .trim()
    .replace(/\.$/u, '')
    .split(/[,;\n]/u);
  const isList = parts.every(
    (part) => !/[.?!:]\s/u.test(part) && part.trim().split(/\s+/).length <= MAX_TERM_WORDS,
  );
  return isList ? toTerms(parts) : [];
};

/**
 * Keywords, and the terms of a prompt that only lists terms, are the vocabulary. Any other prompt is Whisper's: the text
 * before the recording, of which the end counts.
 */
export const hintsOf = ({
  initial_prompt = '',
  prompt = initial_prompt,
  hotwords = [],
  keywords = [],
}: Pick<Form, 'initial_prompt' | 'prompt' | 'hotwords' | 'keywords'>) => {
  const listed = listedTerms(prompt);
  const vocabulary = toTerms([...keywords, ...hotwords, ...listed]);
  return {
    ...(vocabulary.length === 0 ? {} : { vocabulary }),
    ...(prompt === '' || listed.length > 0 ? {} : { prompt: prompt.slice(-PROMPT_LENGTH).toWellFormed() }),
  };
};

/** The stored recording, and the samples of the voices of the known speakers. */
export type Recordings = { readonly file: StoredFile; readonly samples: readonly StoredFile[] };

/** Converts OpenAI's form to a request of our own API. */
export const requestOf = (
  models: Pick<ModelService, 'published'>,
  { file, samples }: Recordings,
  form: Form,
  task: Task,
): CreateTranscript =>
  // Refuses what cannot be combined, such as an English model and another language, as `POST /v1/transcript` does.
  validate(
    CreateTranscript,
    {
      audio_url: `storage:${file.key}`,
      name: file.originalName,
      model: modelOf(models, form.model),
      language: form.language ?? 'auto',
      ...(form.languages === undefined ? {} : { expected_languages: form.languages }),
      timestamp_style: 'word',
      diarize: form.diarize === true || labelsSpeakers(form),
      min_speakers: form.min_speakers,
      max_speakers: form.max_speakers,
      ...(form.known_speaker_names === undefined
        ? {}
        : {
            known_speakers: form.known_speaker_names.map((name, index) => {
              const sample = samples[index];
              return sample === undefined ? { name } : { name, sample: `storage:${sample.key}` };
            }),
          }),
      translate: task === 'translate',
      ...hintsOf(form),
    },
    'form',
  );
