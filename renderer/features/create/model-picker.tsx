import { RadioGroup } from 'radix-ui';
import type { Model } from '../../../electron/contract/system.ts';
import { MODEL_ALIASES } from '../../../electron/contract/transcript.ts';
import { useI18n } from '../../app/services.tsx';
import type { I18nState, MessageKey } from '../../i18n/index.ts';
import { cx } from '../../lib/classes.ts';
import { formatBytes, formatDuration } from '../../lib/format.ts';
import type { Resource } from '../../lib/use-resource.ts';
import { DialogSection } from '../../ui/dialog.tsx';
import { Callout } from '../../ui/feedback.tsx';

type ModelChoice = {
  readonly value: string;
  readonly title: string;
  readonly line: string;
  readonly model: Model | undefined;
};

const ALIAS_TEXTS: Readonly<Record<(typeof MODEL_ALIASES)[number], { name: MessageKey; line: MessageKey }>> =
  {
    nano: { name: 'model.nano', line: 'model.nano.line' },
    mini: { name: 'model.mini', line: 'model.mini.line' },
    pro: { name: 'model.pro', line: 'model.pro.line' },
  };

/** The aliases of the API, then every other installed model by its id. */
const listChoices = (models: readonly Model[], { t }: I18nState): ModelChoice[] => {
  const speech = models.filter((model) => model.kind === 'whisper');
  const named = MODEL_ALIASES.map((alias) => ({
    value: alias,
    title: t(ALIAS_TEXTS[alias].name),
    line: t(ALIAS_TEXTS[alias].line),
    model: speech.find((model) => model.aliases.includes(alias)),
  }));
  const others = speech
    .filter((model) => model.installed && model.aliases.length === 0)
    .map((model) => ({
      value: model.id,
      title: model.name,
      line: model.demonstration
        ? t('model.demo.line')
        : model.languages === 'multilingual'
          ? t('model.multilingual')
          : t('model.oneLanguage'),
      model,
    }));
  return [...named, ...others];
};

const describeCost = (card: ModelChoice, seconds: number, { t, locale }: I18nState): string => {
  if (card.model === undefined) return '';
  if (!card.model.installed) return t('model.missing', { size: formatBytes(card.model.size, locale) });
  const size = formatBytes(card.model.size, locale);
  if (seconds === 0 || card.model.speed === null || card.model.speed === 0) return size;
  return `${t('model.about', { time: formatDuration(seconds / card.model.speed, locale) })} · ${size}`;
};

type Props = {
  models: Resource<readonly Model[]>;
  value: string;
  seconds: number;
  onChange: (model: string) => void;
};

export const ModelPicker = ({ models, value, seconds, onChange }: Props) => {
  const i18n = useI18n();
  const { t } = i18n;
  const cards = listChoices(models.state === 'ready' ? models.value : [], i18n);
  const chosen = cards.find((card) => card.value === value) ?? cards[1];
  return (
    <DialogSection title={t('create.model')}>
      <RadioGroup.Root
        aria-label={t('create.model')}
        value={chosen?.value ?? 'mini'}
        onValueChange={onChange}
        className="grid grid-cols-1 gap-2 sm:grid-cols-3"
      >
        {cards.map((card) => (
          <RadioGroup.Item
            key={card.value}
            value={card.value}
            className={cx(
              'rounded-box border border-line-2 px-3 py-2.5 text-start transition-colors hover:bg-ground',
              'data-[state=checked]:border-accent data-[state=checked]:bg-accent-soft data-[state=checked]:shadow-[0_0_0_1px_var(--accent)]',
            )}
          >
            <span className="block font-[580]">{card.title}</span>
            <span className={cx('block', card === chosen ? 'text-accent-text' : 'text-ink-2')}>
              {card.line}
            </span>
            <span className={cx('tnum mt-0.5 block', card === chosen ? 'text-accent-text' : 'text-ink-2')}>
              {describeCost(card, seconds, i18n)}
            </span>
          </RadioGroup.Item>
        ))}
      </RadioGroup.Root>
      {chosen?.model?.demonstration === true && (
        <div className="mt-2">
          <Callout tone="warn">{t('model.demo.note')}</Callout>
        </div>
      )}
      {chosen?.model?.installed === false && (
        <div className="mt-2">
          <Callout tone="warn">{t('model.missing.note', { name: chosen.model.name })}</Callout>
        </div>
      )}
    </DialogSection>
  );
};
