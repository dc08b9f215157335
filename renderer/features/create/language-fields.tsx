import { useMemo } from 'react';
import { LANGUAGE_CODES } from '../../../electron/contract/languages.ts';
import type { Model } from '../../../electron/contract/system.ts';
import { SpeakerCount } from '../../domain/analysis-switches.tsx';
import { knowsLanguage } from '../../domain/model-choice.ts';
import { useI18n } from '../../hooks/services.tsx';
import { formatLanguage, formatList } from '../../lib/format.ts';
import type { TranscriptionOptions } from '../../stores/prefs.ts';
import { Field } from '../../ui/field.tsx';
import { Select } from '../../ui/select.tsx';

/** Beside Chinese, which is written in simplified characters. */
const TRADITIONAL_CHINESE = 'zh-Hant';

type Props = { options: TranscriptionOptions; onChange: (part: Partial<TranscriptionOptions>) => void };

type LanguageProps = Props & {
  /** The chosen model; undefined while the models are loading. */
  model: Model | undefined;
};

export const LanguageAndSpeakers = ({ options, model, onChange }: LanguageProps) => {
  const { t, locale } = useI18n();
  const languages = useMemo(() => {
    const named = [...LANGUAGE_CODES, TRADITIONAL_CHINESE].map((code) => ({
      value: code,
      label: formatLanguage(code, locale),
    }));
    named.sort((a, b) => a.label.localeCompare(b.label, locale));
    return [{ value: 'auto', label: t('create.auto') }, ...named];
  }, [locale, t]);
  const choices = languages.filter((each) => knowsLanguage(model, each.value));
  return (
    <div className="mt-4 grid grid-cols-1 gap-x-2 gap-y-3 sm:grid-cols-2">
      <Field
        label={t('create.language')}
        hint={
          model === undefined || choices.length === languages.length
            ? undefined
            : t('create.knownLanguages', {
                name: model.name,
                languages: formatList(
                  choices.slice(1).map((each) => each.label),
                  locale,
                ),
              })
        }
      >
        {(ids) => (
          <Select
            {...ids}
            value={options.language}
            choices={choices}
            onChange={(language) => onChange({ language })}
          />
        )}
      </Field>
      <SpeakerCount options={options} onChange={onChange} />
    </div>
  );
};
