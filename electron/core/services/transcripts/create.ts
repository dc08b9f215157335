import { resolvePolicies } from '../../../contract/analysis.ts';
import { CHINESE_REGIONS } from '../../../contract/languages.ts';
import { cleanName } from '../../../contract/names.ts';
import { AnalysisOptions, type CreateTranscript, type ForeignRequest } from '../../../contract/transcript.ts';
import { AppError } from '../../base/errors.ts';
import { newId } from '../../base/ids.ts';
import { splitLogin } from '../../base/url-login.ts';
import type { Transcript } from '../../stores/codecs.ts';
import type { ModelService } from '../models/index.ts';

const invalid = (message: string) =>
  new AppError('invalid_request', `audio_url ${message}.`, { details: [{ path: 'audio_url', message }] });

/** Parses an http(s) URL; throws `invalid_request`, with the reason, for anything else. */
const parseAudioUrl = (text: string): URL => {
  if (!URL.canParse(text)) throw invalid('is not a URL');
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw invalid(
      `has the scheme ${url.protocol.slice(0, -1)}; only http, https and storage:{key} are allowed`,
    );
  }
  return url;
};

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    // A stray percent sign: keep the text as it is.
    return text;
  }
};

/** A transcript's name until a better one is known: the last part of the URL's path, else its host. */
const nameFromAudioUrl = (url: URL): string => {
  const last = url.pathname
    .split('/')
    .filter((part) => part !== '')
    .at(-1);
  return cleanName(decode(last ?? '')).trim() || url.hostname;
};

/** What the file service knows of a user's own files. */
export type OwnFiles = {
  /** The key of the own file that a URL names; undefined if it names none. */
  resolveUrl(url: string): string | undefined;
  ownFile(userId: string, key: string): { id: string; originalName: string } | undefined;
};

type ModelChecks = Pick<ModelService, 'idOf' | 'isKnown' | 'isAvailable' | 'languagesOf' | 'canTranslate'>;

const problemOf = (path: string, message: string): AppError =>
  new AppError('invalid_request', `${path}: ${message}.`, { details: [{ path, message }] });

/** Throws `invalid_request`; `path` is the request's field with the model, `languagePath` the one to change if it does not know the language. */
const checkName = (
  models: ModelChecks,
  { model, language }: Pick<CreateTranscript, 'model' | 'language'>,
  path: string,
  languagePath = path,
): void => {
  if (!models.isKnown(model)) {
    const shown = model.slice(0, 100);
    throw problemOf(
      path,
      `there is no model called ${shown}; use nano, mini, pro or an id of GET /v1/models`,
    );
  }
  const languages = models.languagesOf(model);
  if (language !== 'auto' && languages !== 'multilingual' && !languages.includes(language)) {
    const isEnglishOnly = languages.length === 1;
    throw problemOf(
      languagePath,
      `the model ${model} ${isEnglishOnly ? 'is English-only' : `does not know this language; it knows ${languages.join(', ')}`}`,
    );
  }
};

/** Throws `invalid_request` with the command that installs a model if it neither is installed nor may be downloaded. */
export const checkInstalled = (
  models: Pick<ModelChecks, 'idOf' | 'isAvailable'>,
  name: string,
  path: string,
): void => {
  if (models.isAvailable(name)) return;
  const id = models.idOf(name);
  const message = `the model ${id} is not installed. Install it with: earshot models install ${id}`;
  throw new AppError('invalid_request', `${path}: ${message}`, { details: [{ path, message }] });
};

/** Throws `invalid_request` if a model is unknown or cannot do what the request asks for. */
export const checkModel = (
  models: ModelChecks,
  {
    model,
    language,
    translate,
    verify_with: verifier,
  }: Pick<CreateTranscript, 'model' | 'language' | 'translate' | 'verify_with'>,
): void => {
  checkName(models, { model, language }, 'model', 'language');
  if (translate && !models.canTranslate(model)) {
    throw problemOf('translate', `the model ${model} was not trained to translate; use mini`);
  }
  if (verifier === undefined) return;
  checkName(models, { model: verifier, language }, 'verify_with');
  const id = models.idOf(verifier);
  if (id === models.idOf(model)) {
    throw problemOf('verify_with', `${id} is the model that transcribes; name another one`);
  }
  checkInstalled(models, verifier, 'verify_with');
};

/** Chinese of a region is Chinese in the script of that region, unless the request names another one. */
export const withoutRegion = <Body extends Pick<CreateTranscript, 'language' | 'chinese_script'>>(
  body: Body,
): Body => {
  const script = CHINESE_REGIONS[body.language];
  return script === undefined
    ? body
    : { ...body, language: 'zh', chinese_script: body.chinese_script ?? script };
};

export type NamedSource = { readonly name: string; readonly fileId: string | null };

/** Throws `invalid_request` if `audioUrl` is no http(s) URL, `file_not_found` for an own file that does not exist. */
export const sourceOf = (files: OwnFiles, userId: string, audioUrl: string): NamedSource => {
  const key = files.resolveUrl(audioUrl);
  if (key === undefined) return { name: nameFromAudioUrl(parseAudioUrl(audioUrl)), fileId: null };
  const file = files.ownFile(userId, key);
  if (file === undefined) throw new AppError('file_not_found', 'There is no such stored file.');
  return { name: file.originalName, fileId: file.id };
};

/** Throws `file_not_found` if a sample of a voice does not exist. */
export const checkSamples = (
  files: OwnFiles,
  userId: string,
  { known_speakers = [] }: Pick<CreateTranscript, 'known_speakers'>,
): void => {
  for (const [index, { sample }] of known_speakers.entries()) {
    if (sample === undefined) continue;
    const key = files.resolveUrl(sample);
    if (key !== undefined && files.ownFile(userId, key) !== undefined) continue;
    const details = [{ path: `known_speakers.${index}.sample`, message: 'is not a stored file of yours' }];
    throw new AppError('file_not_found', 'There is no such stored file.', { details });
  }
};

const analysisOptionsOf = (body: CreateTranscript): AnalysisOptions => {
  const names = Object.keys(AnalysisOptions.shape);
  const picked = Object.fromEntries(Object.entries(body).filter(([name]) => names.includes(name)));
  const options = AnalysisOptions.parse(picked);
  return options.redact_pii
    ? { ...options, redact_pii_policies: resolvePolicies(options.redact_pii_policies) }
    : options;
};

/** What a new transcript needs besides the request. */
export type NewTranscript = {
  readonly userId: string;
  readonly source: NamedSource;
  readonly queueOrder: number;
  readonly now: number;
  readonly foreign?: ForeignRequest | undefined;
};

/** A transcript that waits in the queue. */
export const newTranscript = (
  body: CreateTranscript,
  { userId, source, queueOrder, now, foreign }: NewTranscript,
): Transcript => {
  const { url, login } = splitLogin(body.audio_url);
  return {
    id: newId('tr'),
    userId,
    status: 'processing',
    stage: 'queued',
    percent: 0,
    queueOrder,
    lease: null,
    attempt: 0,
    audioUrl: url,
    audioLogin: source.fileId === null ? login : null,
    name: body.name ?? source.name,
    isNameGiven: body.name !== undefined,
    model: body.model,
    modelId: null,
    languageAsked: body.language,
    language: body.language === 'auto' ? null : body.language,
    languageConfidence: null,
    timestampStyle: body.timestamp_style,
    audioStartFrom: body.audio_start_from,
    audioEndAt: body.audio_end_at,
    options: { ...analysisOptionsOf(body), ...(foreign === undefined ? {} : { foreign }) },
    webhookUrl: body.webhook_url ?? null,
    webhookSecret: body.webhook_secret ?? null,
    duration: 0,
    confidence: null,
    wordCount: 0,
    text: '',
    preview: '',
    analysis: {},
    warnings: [],
    error: null,
    checkpoint: null,
    fileName: null,
    fileSize: null,
    fileFormat: null,
    fileId: source.fileId,
    audioFile: null,
    audioOffset: 0,
    bytesFetched: 0,
    creditsUsed: 0,
    creditsReserved: 0,
    createdAt: now,
    startedAt: null,
    completedAt: null,
    appCrashes: 0,
    source: null,
    revision: 0,
    channels: null,
    marks: [],
  };
};
