import type { ReactNode } from 'react';
import { useI18n, usePrefs, useServices } from '../../hooks/services.tsx';
import { LOCALES, languageLabel } from '../../i18n/index.ts';
import { type Prefs, TEXT_SCALES } from '../../stores/prefs.ts';
import { Field } from '../../ui/field.tsx';
import { Section } from '../../ui/page.tsx';
import { SegmentedControl } from '../../ui/segmented-control.tsx';
import { Select } from '../../ui/select.tsx';

const THEMES = ['system', 'light', 'dark'] as const;
const TEXT_SIZE_LABELS = {
  0.9: 'size.small',
  1: 'size.normal',
  1.15: 'size.large',
  1.3: 'size.largest',
} as const;

/** Theme, text size and language, kept in this browser. */
export const AppearanceSection = () => {
  const { prefs } = useServices();
  const { t } = useI18n();
  const { theme, textScale, locale } = usePrefs((state) => state);
  const languages = [
    { value: 'auto', label: t('settings.language.auto') },
    ...LOCALES.map((each) => ({ value: each, label: languageLabel(each) })),
  ];
  return (
    <Section title={t('settings.appearance')}>
      <div className="flex max-w-[420px] flex-col gap-5">
        <LabeledGroup title={t('settings.theme')}>
          <SegmentedControl<Prefs['theme']>
            label={t('settings.theme')}
            value={theme}
            choices={THEMES.map((value) => ({ value, label: t(`theme.${value}`) }))}
            onChange={(next) => prefs.set({ theme: next })}
          />
        </LabeledGroup>
        <LabeledGroup title={t('settings.textSize')}>
          <SegmentedControl
            label={t('settings.textSize')}
            value={String(textScale)}
            choices={TEXT_SCALES.map((scale) => ({
              value: String(scale),
              label: t(TEXT_SIZE_LABELS[scale]),
            }))}
            onChange={(next) => prefs.set({ textScale: Number(next) })}
          />
        </LabeledGroup>
        <Field label={t('settings.language')}>
          {(ids) => (
            <Select
              {...ids}
              value={locale}
              choices={languages}
              onChange={(next) => {
                const chosen = LOCALES.find((each) => each === next);
                prefs.set({ locale: chosen ?? 'auto' });
              }}
            />
          )}
        </Field>
      </div>
    </Section>
  );
};

const LabeledGroup = ({ title, children }: { title: string; children: ReactNode }) => (
  <div>
    <p className="mb-1.5 text-xs font-medium text-ink-2">{title}</p>
    {children}
  </div>
);
