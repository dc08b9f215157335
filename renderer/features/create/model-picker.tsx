import { RadioGroup } from 'radix-ui';
import type { ReactNode } from 'react';
import { MODEL_ALIASES } from '../../../electron/contract/names.ts';
import type { Model } from '../../../electron/contract/system.ts';
import { listSpeechModels, recommendedModel } from '../../domain/model-choice.ts';
import { useI18n } from '../../hooks/services.tsx';
import type { I18nState, MessageKey } from '../../i18n/index.ts';
import { cx } from '../../lib/classes.ts';
import { formatBytes, formatDuration, formatNumber } from '../../lib/format.ts';
import { DialogSection } from '../../ui/dialog.tsx';

type ModelChoice = {
  readonly value: string;
  readonly title: string;
  readonly hint: string;
  readonly model: Model | undefined;
};

const ALIAS_TEXTS: Readonly<Record<(typeof MODEL_ALIASES)[number], { name: MessageKey; hint: MessageKey }>> =
  {
    nano: { name: 'model.nano', hint: 'model.nano.line' },
    mini: { name: 'model.mini', hint: 'model.mini.line' },
    pro: { name: 'model.pro', hint: 'model.pro.line' },
  };

const hintOf = ({ languages }: Model, { t, locale }: I18nState): string => {
  if (languages === 'multilingual') return t('model.multilingual');
  return languages.length === 1
    ? t('model.oneLanguage')
    : t('models.languages', { count: formatNumber(languages.length, locale) });
};

/** The aliases of the API, then every other installed model by its id. */
const listChoices = (models: readonly Model[], i18n: I18nState): ModelChoice[] => {
  const { t } = i18n;
  const speech = listSpeechModels(models);
  const named = MODEL_ALIASES.map((alias) => ({
    value: alias,
    title: t(ALIAS_TEXTS[alias].name),
    hint: t(ALIAS_TEXTS[alias].hint),
    model: speech.find((model) => model.aliases.includes(alias)),
  }));
  const others = speech
    .filter((model) => model.installed && model.aliases.length === 0)
    .map((model) => ({
      value: model.id,
      title: model.name,
      hint: hintOf(model, i18n),
      model,
    }));
  return [...named, ...others];
};

const describeCost = (choice: ModelChoice, seconds: number, { t, locale }: I18nState): string => {
  if (choice.model === undefined) return '';
  if (!choice.model.installed) return t('model.missing', { size: formatBytes(choice.model.size, locale) });
  const size = formatBytes(choice.model.size, locale);
  if (seconds === 0 || choice.model.speed === null || choice.model.speed === 0) return size;
  return `${t('model.about', { time: formatDuration(seconds / choice.model.speed, locale) })} · ${size}`;
};

type Props = {
  models: readonly Model[];
  value: string;
  /** The language of the recording, or `auto`. */
  language: string;
  seconds: number;
  disabled: boolean;
  onChange: (model: string) => void;
  /** Shown below the choices. */
  children: ReactNode;
};

export const ModelPicker = ({ models, value, language, seconds, disabled, onChange, children }: Props) => {
  const i18n = useI18n();
  const { t, locale } = i18n;
  const choices = listChoices(models, i18n);
  const recommended = recommendedModel(models, language);
  const selected = choices.find((choice) => choice.value === value);
  return (
    <DialogSection title={t('create.model')}>
      <RadioGroup.Root
        aria-label={t('create.model')}
        value={value}
        disabled={disabled}
        onValueChange={onChange}
        className="grid grid-cols-1 gap-2 sm:grid-cols-3"
      >
        {choices.map((choice) => (
          <RadioGroup.Item
            key={choice.value}
            value={choice.value}
            className={cx(
              'flex flex-col rounded-box border border-line-2 px-3 py-2.5 text-start transition-colors hover:bg-ground',
              'data-[state=checked]:border-accent data-[state=checked]:bg-accent-soft data-[state=checked]:shadow-[0_0_0_1px_var(--accent)]',
            )}
          >
            <span className="block font-[580]">
              {choice.title}
              {recommended !== undefined && choice.model === recommended && (
                <span className="ms-2 text-xs font-medium text-good">{t('model.recommended')}</span>
              )}
            </span>
            <span className={cx('block', choice === selected ? 'text-accent-text' : 'text-ink-2')}>
              {choice.hint}
            </span>
            <span
              className={cx('tnum mt-0.5 block', choice === selected ? 'text-accent-text' : 'text-ink-2')}
            >
              {describeCost(choice, seconds, i18n)}
            </span>
          </RadioGroup.Item>
        ))}
      </RadioGroup.Root>
      {recommended !== undefined && (
        <p className="mt-2 text-xs text-ink-3">
          {t('model.recommended.why', {
            name: recommended.name,
            speed: formatNumber(recommended.speed ?? 0, locale, 1),
          })}
        </p>
      )}
      {children}
    </DialogSection>
  );
};
