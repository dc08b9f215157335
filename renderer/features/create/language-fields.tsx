import { useMemo } from 'react';
import { LANGUAGE_CODES } from '../../../electron/contract/languages.ts';
import { useI18n } from '../../app/services.tsx';
import { formatLanguage } from '../../lib/format.ts';
import type { TranscriptionOptions } from '../../stores/prefs.ts';
import { Field } from '../../ui/field.tsx';
import { Select } from '../../ui/select.tsx';

const MAX_SPEAKERS = 10;

type Props = { options: TranscriptionOptions; onChange: (part: Partial<TranscriptionOptions>) => void };

export const LanguageAndSpeakers = ({ options, onChange }: Props) => {
  const { t, locale } = useI18n();
  const languages = useMemo(() => {
    const named = LANGUAGE_CODES.map((code) => ({ value: code, label: formatLanguage(code, locale) }));
    named.sort((a, b) => a.label.localeCompare(b.label, locale));
    return [{ value: 'auto', label: t('create.auto') }, ...named];
  }, [locale, t]);
  const isEnglishOnly = options.model === 'nano';
  return (
    <div className="mt-4 grid grid-cols-1 gap-x-2 gap-y-3 sm:grid-cols-2">
      <Field label={t('create.language')} hint={isEnglishOnly ? t('create.nanoEnglish') : undefined}>
        {(ids) => (
          <Select
            {...ids}
            value={isEnglishOnly && options.language !== 'en' ? 'auto' : options.language}
            choices={
              isEnglishOnly
                ? languages.filter((each) => each.value === 'auto' || each.value === 'en')
                : languages
            }
            onChange={(language) => onChange({ language })}
          />
        )}
      </Field>
      <SpeakerCount options={options} onChange={onChange} />
    </div>
  );
};

/** The expected number of speakers. */
export const SpeakerCount = ({ options, onChange }: Props) => {
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
