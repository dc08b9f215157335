import { useMemo } from 'react';
import { LANGUAGE_CODES } from '../../../electron/contract/languages.ts';
import type { Model } from '../../../electron/contract/system.ts';
import { knowsLanguage } from '../../domain/model-choice.ts';
import { useI18n } from '../../hooks/services.tsx';
import { formatLanguage, formatList } from '../../lib/format.ts';
import type { TranscriptionOptions } from '../../stores/prefs.ts';
import { Field } from '../../ui/field.tsx';
import { Select } from '../../ui/select.tsx';

/** Beside Chinese, which is written in simplified characters. */
const TRADITIONAL_CHINESE = 'zh-Hant';

const MAX_SPEAKERS = 10;

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

type SpeakerCountProps = {
  options: Pick<TranscriptionOptions, 'speakers'>;
  onChange: (part: Pick<TranscriptionOptions, 'speakers'> & { diarize?: true }) => void;
};

/** The expected number of speakers. */
export const SpeakerCount = ({ options, onChange }: SpeakerCountProps) => {
  const { t } = useI18n();
  const counts = [
    { value: 'auto', label: t('create.auto') },
    ...Array.from({ length: MAX_SPEAKERS }, (_, index) => ({
      value: String(index + 1),
      label: t('create.speakerCount', { count: index + 1 }),
    })),
  ];
  return (
    <Field label={t('create.speakers')}>
      {(ids) => (
        <Select
          {...ids}
          value={options.speakers === null ? 'auto' : String(options.speakers)}
          choices={counts}
          onChange={(value) =>
            onChange(value === 'auto' ? { speakers: null } : { speakers: Number(value), diarize: true })
          }
        />
      )}
    </Field>
  );
};
