import type { SettingKey, Settings } from '../../../electron/contract/settings.ts';
import type { Model } from '../../../electron/contract/system.ts';
import { isRecognizer } from '../../domain/models.ts';
import type { I18nState } from '../../i18n/index.ts';
import { formatBytes } from '../../lib/format.ts';
import type { Choice } from '../../ui/select.tsx';

const modelsFor = (key: SettingKey, models: readonly Model[]): readonly Model[] | undefined => {
  if (key.startsWith('models.aliases.')) return models.filter(isRecognizer);
  if (key === 'speakers.segmentation') return models.filter((model) => model.part === 'segmentation');
  if (key === 'speakers.embedding') return models.filter((model) => model.part === 'embedding');
  return undefined;
};

type Known = {
  readonly models: readonly Model[];
  /** The models that the language model's server offers; empty while unknown. */
  readonly offered: readonly string[];
};

const DEVICES = ['auto', 'cpu', 'vulkan'] as const satisfies readonly Settings['engine.device'][];

const choicesOf = (
  key: SettingKey,
  { models, offered }: Known,
  { t, locale }: I18nState,
): readonly Choice[] => {
  if (key === 'engine.device')
    return DEVICES.map((value) => ({ value, label: t(`setting.engine.device.${value}`) }));
  if (key === 'llm.model') return offered.map((id) => ({ value: id, label: id }));
  return (modelsFor(key, models) ?? []).map((model) => ({
    value: model.id,
    label: model.installed
      ? model.name
      : `${model.name} · ${t('model.missing', { size: formatBytes(model.size, locale) })}`,
  }));
};

/** What a setting can be chosen from, the current value among it; undefined for a free text. */
export const choicesFor = (
  key: SettingKey,
  value: string,
  known: Known,
  i18n: I18nState,
): readonly Choice[] | undefined => {
  const choices = choicesOf(key, known, i18n);
  if (choices.length === 0) return undefined;
  const isListed = value === '' || choices.some((choice) => choice.value === value);
  return isListed ? choices : [{ value, label: value }, ...choices];
};
