import { languageOfTag } from '../../electron/contract/languages.ts';
import { MODEL_ALIASES, type ModelAlias } from '../../electron/contract/names.ts';
import type { Model } from '../../electron/contract/system.ts';
import type { TranscriptionOptions } from '../stores/prefs.ts';
import { isRecognizer } from './models.ts';

/** Families by their word error rates as published, the worst first; see docs/models.md. */
const FAMILIES = ['tiny', 'base', 'small', 'medium', 'large-v2', 'large-v3-turbo', 'parakeet', 'large-v3'];
/** Bytes from which on a model of unknown family is as good as the next of these families. */
const SIZES = [1e8, 2e8, 6e8, 1.2e9];
/** Times real time: an hour of speech takes half an hour at most. */
const MIN_SPEED = 2;

const accuracyOf = ({ id, kind, size }: Model): number => {
  if (kind === 'parakeet') return FAMILIES.indexOf('parakeet');
  const family = id.replace(/(\.en)?(-q\d_\d)?$/, '');
  const known = FAMILIES.indexOf(family);
  return known === -1 ? SIZES.filter((bytes) => size >= bytes).length : known;
};

const isForLanguage = (model: Model, language: string): boolean =>
  language === 'auto' ? model.languages.length > 1 : knowsLanguage(model, language);

/**
 * The installed model to recommend for a language: of those whose speed was measured on this computer, by a transcription
 * or on request, the most accurate that is fast enough, else the fastest. Undefined while there are fewer than two to choose from.
 */
export const recommendedModel = (models: readonly Model[], language: string): Model | undefined => {
  const able = listSpeechModels(models).filter(
    (model) => model.installed && model.speed !== null && isForLanguage(model, language),
  );
  if (able.length < 2) return undefined;
  const bySpeed = able.toSorted((a, b) => (b.speed ?? 0) - (a.speed ?? 0));
  const byAccuracy = bySpeed
    .filter(({ speed }) => (speed ?? 0) >= MIN_SPEED)
    .sort((a, b) => accuracyOf(b) - accuracyOf(a));
  return byAccuracy[0] ?? bySpeed[0];
};

/** The order in which an installed model replaces a chosen one that is not installed. */
const PREFERRED: readonly ModelAlias[] = ['mini', 'pro', 'nano'];

export const listSpeechModels = (models: readonly Model[]): Model[] => models.filter(isRecognizer);

/** The model of an id or alias, as a request names it. */
export const findModel = (models: readonly Model[], name: string): Model | undefined =>
  listSpeechModels(models).find((model) => model.id === name || model.aliases.includes(name));

/** The aliases and the id of a model; a request may have any of them. */
const nameOf = (model: Model): string =>
  MODEL_ALIASES.find((alias) => model.aliases.includes(alias)) ?? model.id;

/**
 * The id or alias that a transcription can use now: the wanted one if it is installed, else an installed one. The wanted one
 * if nothing is installed, or the models are not loaded yet.
 */
export const usableModel = (models: readonly Model[], wanted: string): string => {
  if (findModel(models, wanted)?.installed === true) return wanted;
  const alias = PREFERRED.find((name) => findModel(models, name)?.installed === true);
  if (alias !== undefined) return alias;
  const other = listSpeechModels(models).find((model) => model.installed);
  return other === undefined ? wanted : nameOf(other);
};

/** Whether the model recognizes a language; `auto` stands for any. */
export const knowsLanguage = (model: Model | undefined, language: string): boolean =>
  language === 'auto' ||
  model === undefined ||
  model.languages === 'multilingual' ||
  model.languages.includes(languageOfTag(language));

/** The models that can recognize a recording again: installed, others than the first, and with its language. */
export const listVerifiers = (models: readonly Model[], first: string, language: string): Model[] =>
  listSpeechModels(models).filter(
    (model) => model.installed && model !== findModel(models, first) && knowsLanguage(model, language),
  );

/** A change of the choices that do not go with channels apart turns these off. */
export const withoutChannels = (part: Partial<TranscriptionOptions>): Partial<TranscriptionOptions> =>
  part.diarize === true || (part.verifyWith !== undefined && part.verifyWith !== '')
    ? { multichannel: false, ...part }
    : part;

/**
 * The remembered choices, with a model that can be used and a language that it knows. Channels apart are speakers already,
 * and no second model hears them.
 */
export const toUsableOptions = (
  models: readonly Model[],
  options: TranscriptionOptions,
  /** The model chosen in this dialog, which may be missing: it is installed first. */
  chosen: string | undefined,
): TranscriptionOptions => {
  const model = chosen ?? usableModel(models, options.model);
  const language = knowsLanguage(findModel(models, model), options.language) ? options.language : 'auto';
  const verifiers = listVerifiers(models, model, language);
  const verifyWith = verifiers.some(({ id }) => id === options.verifyWith) ? options.verifyWith : '';
  return options.multichannel
    ? { ...options, model, language, verifyWith: '', diarize: false, speakers: null }
    : { ...options, model, language, verifyWith };
};
