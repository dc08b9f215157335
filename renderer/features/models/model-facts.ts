import { MODEL_ALIASES } from '../../../electron/contract/model-aliases.ts';
import type { Model } from '../../../electron/contract/system.ts';
import type { I18nState, MessageKey, Translate } from '../../i18n/index.ts';
import { formatBytes, formatLanguage, formatNumber } from '../../lib/format.ts';

const FAMILY_TEXTS: Readonly<Record<string, MessageKey>> = {
  starter: 'models.good.starter',
  'starter-parakeet': 'models.good.starter-parakeet',
  tiny: 'models.good.tiny',
  base: 'models.good.base',
  small: 'models.good.small',
  medium: 'models.good.medium',
  'large-v2': 'models.good.large-v2',
  'large-v3': 'models.good.large-v3',
  'large-v3-turbo': 'models.good.large-v3-turbo',
  'parakeet-tdt-0.6b-v3': 'models.good.parakeet',
};

type Words = Pick<I18nState, 't' | 'locale'>;

/** A model for more languages says how many. */
const MAX_NAMED_LANGUAGES = 6;

/** Splits `small.en-q5_1` into the family `small` and whether it is quantized. */
const parseFamily = (id: string) => {
  const [, family = '', suffix] = /^(.*?)(-q\d_\d)?$/.exec(id.replace(/\.en(?=$|-)/, '')) ?? [];
  return { family, isQuantized: suffix !== undefined };
};

/** The model's name; localized for bundled models. */
export const modelName = (
  { demonstration, kind, part, name }: Pick<Model, 'demonstration' | 'kind' | 'part' | 'name'>,
  t: Translate,
): string => {
  if (!demonstration) return name;
  if (kind === 'parakeet') return t('models.demo.parakeet');
  return part === null ? t('models.demo') : t(`models.demo.${part}`);
};

/** The name of a model that is given by its alias or id. */
export const modelLabel = (idOrAlias: string, t: Translate): string => {
  const alias = MODEL_ALIASES.find((each) => each === idOrAlias);
  if (alias !== undefined) return t(`model.${alias}`);
  if (idOrAlias === 'starter-parakeet') return t('models.demo.parakeet');
  return idOrAlias === 'starter' ? t('models.demo') : idOrAlias;
};

/** What the model is good for; the server's description for an unknown family. */
export const describeModel = (model: Pick<Model, 'id' | 'kind' | 'description'>, t: Translate): string => {
  if (model.kind === 'speakers') return t('models.good.speakers');
  const { family, isQuantized } = parseFamily(model.id);
  const key = FAMILY_TEXTS[family];
  if (key === undefined) return model.description;
  return isQuantized ? t('models.good.smaller', { what: t(key) }) : t(key);
};

/** The notice that a model's license asks for; undefined if it asks for none. */
export const licenseNotice = ({ id, name }: Pick<Model, 'id' | 'name'>, t: Translate): string | undefined =>
  id.startsWith('parakeet-tdt-') ? t('model.license.nvidia', { name }) : undefined;

/** A type whose multiplication takes longer than that of f16: see “Copies in 8 bits” in docs/performance.md. */
const SLOW_WEIGHTS = 'q5_1';

/** Which file of an installed model is used, and why. */
const describeCopy = (
  { quantized, weights }: Pick<Model, 'quantized' | 'weights'>,
  { t, locale }: Words,
): string => {
  if (weights === SLOW_WEIGHTS) return t('models.weights.slow', { weights });
  if (quantized === null) return '';
  const { outcome, size } = quantized;
  if (outcome === 'faster') return t('models.copy.faster', { size: formatBytes(size ?? 0, locale) });
  if (outcome === 'crashed' || outcome === 'timeout') return t('models.copy.failed');
  return t(`models.copy.${outcome}`);
};

/** Languages, size, speed and the copy in use as one line. */
export const describeFacts = (model: Model, i18n: Words): string => {
  const { t, locale } = i18n;
  const languages =
    model.kind === 'speakers'
      ? t('models.speakers')
      : model.languages === 'multilingual'
        ? t('model.multilingual')
        : model.languages.length > MAX_NAMED_LANGUAGES
          ? t('models.languages', { count: formatNumber(model.languages.length, locale) })
          : model.languages.map((code) => formatLanguage(code, locale)).join(', ');
  const speed =
    model.speed === null
      ? t('models.unmeasured')
      : t('models.speed', { speed: formatNumber(model.speed, locale, 1) });
  return [
    languages,
    formatBytes(model.size, locale),
    model.installed && model.kind !== 'speakers' ? speed : '',
    describeCopy(model, i18n),
  ]
    .filter((fact) => fact !== '')
    .join(' · ');
};
