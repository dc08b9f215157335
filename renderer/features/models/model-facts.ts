import type { Model } from '../../../electron/contract/system.ts';
import type { I18nState, MessageKey, Translate } from '../../i18n/index.ts';
import { bytes, languageName, number } from '../../lib/format.ts';

const GOOD_FOR: Readonly<Record<string, MessageKey>> = {
  starter: 'models.good.starter',
  tiny: 'models.good.tiny',
  base: 'models.good.base',
  small: 'models.good.small',
  medium: 'models.good.medium',
  'large-v2': 'models.good.large-v2',
  'large-v3': 'models.good.large-v3',
  'large-v3-turbo': 'models.good.large-v3-turbo',
};

/** `small.en-q5_1` → the model that it was made from, and whether it was made smaller. */
const familyOf = (id: string) => {
  const [, family = '', smaller] = /^(.*?)(-q\d_\d)?$/.exec(id.replace(/\.en(?=$|-)/, '')) ?? [];
  return { family, smaller: smaller !== undefined };
};

/** A model's name: the bundled ones say what they are for, in the reader's language. */
export const modelName = (
  { demonstration, part, name }: Pick<Model, 'demonstration' | 'part' | 'name'>,
  t: Translate,
): string => {
  if (!demonstration) return name;
  return part === null ? t('models.demo') : t(`models.demo.${part}`);
};

/** What a model is good for, in the reader's language where it is known, else as the server says. */
export const goodFor = (model: Pick<Model, 'id' | 'kind' | 'description'>, t: Translate): string => {
  if (model.kind === 'speakers') return t('models.good.speakers');
  const { family, smaller } = familyOf(model.id);
  const key = GOOD_FOR[family];
  if (key === undefined) return model.description;
  return smaller ? t('models.good.smaller', { what: t(key) }) : t(key);
};

/** Languages, size and speed in one line. */
export const factsOf = (model: Model, { t, locale }: I18nState): string => {
  const languages =
    model.kind === 'speakers'
      ? t('models.speakers')
      : model.languages === 'multilingual'
        ? t('model.multilingual')
        : model.languages.map((code) => languageName(code, locale)).join(', ');
  const speed =
    model.speed === null
      ? t('models.unmeasured')
      : t('models.speed', { speed: number(model.speed, locale, 1) });
  return [languages, bytes(model.size, locale), model.installed && model.kind === 'whisper' ? speed : '']
    .filter((fact) => fact !== '')
    .join(' · ');
};
