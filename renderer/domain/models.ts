import { MODEL_ALIASES } from '../../electron/contract/names.ts';
import type { Model } from '../../electron/contract/system.ts';
import type { I18nState, MessageKey, Translate } from '../i18n/index.ts';
import { formatBytes, formatLanguages, formatNumber } from '../lib/format.ts';

const FAMILY_TEXTS: Readonly<Record<string, MessageKey>> = {
  tiny: 'models.good.tiny',
  base: 'models.good.base',
  small: 'models.good.small',
  medium: 'models.good.medium',
  'large-v2': 'models.good.large-v2',
  'large-v3': 'models.good.large-v3',
  'large-v3-turbo': 'models.good.large-v3-turbo',
  'parakeet-tdt-0.6b-v3': 'models.good.parakeet',
};

/** The models in 16 bits that are published in 8 bits, too. */
const ALSO_IN_8_BITS = 'tiny tiny.en base base.en small medium large-v2 large-v3-turbo'.split(' ');

type Words = Pick<I18nState, 't' | 'locale'>;

/** A model for more languages says how many. */
const MAX_NAMED_LANGUAGES = 6;

/** Splits `small.en-q5_1` into the family `small` and its weights. */
const parseFamily = (id: string) => {
  const [, family = '', weights = ''] = /^(.*?)(?:-(q\d_\d))?$/.exec(id.replace(/\.en(?=$|-)/, '')) ?? [];
  return { family, weights };
};

/** Whether the model writes text. */
export const isRecognizer = ({ kind }: Pick<Model, 'kind'>): boolean =>
  kind === 'whisper' || kind === 'parakeet';

/** The models of a family one after another, the smallest family first. */
export const byFamily = (models: readonly Model[]): Model[] => {
  const families = Object.keys(FAMILY_TEXTS);
  const rankOf = ({ id }: Model) => {
    const rank = families.indexOf(parseFamily(id).family);
    return rank === -1 ? families.length : rank;
  };
  return models.toSorted((a, b) => rankOf(a) - rankOf(b));
};

/** The name of a model that is given by its alias or id. */
export const modelLabel = (idOrAlias: string, t: Translate): string => {
  const alias = MODEL_ALIASES.find((each) => each === idOrAlias);
  return alias === undefined ? idOrAlias : t(`model.${alias}`);
};

/** What the model is good for; the server's description for an unknown family. */
export const describeModel = (model: Pick<Model, 'id' | 'kind' | 'description'>, t: Translate): string => {
  if (model.kind === 'speakers') return t('models.good.speakers');
  if (model.kind === 'detector') return t('models.good.detector');
  const { family, weights } = parseFamily(model.id);
  const key = FAMILY_TEXTS[family];
  if (key === undefined) return model.description;
  if (ALSO_IN_8_BITS.includes(model.id)) return t('models.good.larger', { what: t(key) });
  return weights.startsWith('q5') ? t('models.good.smaller', { what: t(key) }) : t(key);
};

/** The notice that a model's license asks for; undefined if it asks for none. */
export const licenseNotice = ({ id, name }: Pick<Model, 'id' | 'name'>, t: Translate): string | undefined =>
  id.startsWith('parakeet-tdt-') ? t('model.license.nvidia', { name }) : undefined;

/** Languages, size and speed as one line. */
export const describeFacts = (model: Model, i18n: Words): string => {
  const { t, locale } = i18n;
  const languages =
    model.kind === 'speakers' || model.kind === 'detector'
      ? t(`models.${model.kind}`)
      : model.languages === 'multilingual'
        ? t('model.multilingual')
        : model.languages.length > MAX_NAMED_LANGUAGES
          ? t('models.languages', { count: formatNumber(model.languages.length, locale) })
          : formatLanguages(model.languages, locale);
  const speed =
    model.speed === null
      ? t('models.unmeasured')
      : t('models.speed', { speed: formatNumber(model.speed, locale, 1) });
  return [languages, formatBytes(model.size, locale), model.installed && isRecognizer(model) ? speed : '']
    .filter((fact) => fact !== '')
    .join(' · ');
};
