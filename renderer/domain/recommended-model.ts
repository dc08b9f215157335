import type { Model } from '../../electron/contract/system.ts';
import { knowsLanguage, listSpeechModels } from './model-choice.ts';

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
