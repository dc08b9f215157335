import { ListFilter } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useStore } from 'zustand';
import { LANGUAGE_CODES } from '../../../electron/contract/languages.ts';
import { MODEL_ALIASES } from '../../../electron/contract/model-aliases.ts';
import { isRecognizer, modelLabel } from '../../domain/models.ts';
import { useI18n, useServices } from '../../hooks/services.tsx';
import { useApi } from '../../hooks/use-api.ts';
import { formatLanguage, formatNumber } from '../../lib/format.ts';
import { NO_FILTER } from '../../stores/library.ts';
import { Button } from '../../ui/button.tsx';
import { Field, TextInput } from '../../ui/field.tsx';
import { Popover } from '../../ui/popover.tsx';
import { type Choice, Select } from '../../ui/select.tsx';
import { dayOf, PERIODS, periodOf } from './periods.ts';

const ANY = 'any';
const COMMON_LANGUAGES = ['en', 'de', 'es', 'fr', 'it', 'pt', 'nl', 'pl', 'ru', 'tr', 'zh', 'ja'];

const useLanguageChoices = (): Choice[] => {
  const { t, locale } = useI18n();
  return useMemo(() => {
    const name = (code: string) => ({ value: code, label: formatLanguage(code, locale) });
    const rest = LANGUAGE_CODES.filter((code) => !COMMON_LANGUAGES.includes(code)).map(name);
    rest.sort((a, b) => a.label.localeCompare(b.label, locale));
    return [{ value: ANY, label: t('library.anyLanguage') }, ...COMMON_LANGUAGES.map(name), ...rest];
  }, [locale, t]);
};

/** The aliases of the API, then the ids of the other installed models. */
const useModelChoices = (): Choice[] => {
  const { t } = useI18n();
  const models = useApi('listModels');
  const installed = (models.data?.data ?? []).filter((model) => model.installed && isRecognizer(model));
  return [
    { value: ANY, label: t('library.anyModel') },
    ...[...MODEL_ALIASES, ...installed.map((model) => model.id)].map((value) => ({
      value,
      label: modelLabel(value, t),
    })),
  ];
};

/** Number of active filters in the popover. */
const useActiveFilterCount = (): number => {
  const { library } = useServices();
  return useStore(
    library.list.store,
    (query) =>
      [query.language, query.model, query.from ?? query.to].filter((value) => value !== undefined).length,
  );
};

/** Filters the library by language, model and date. */
export const FilterPopover = () => {
  const { t, locale } = useI18n();
  const count = useActiveFilterCount();
  return (
    <Popover
      label={t('library.filter')}
      trigger={
        <Button variant="ghost" className={count > 0 ? '!text-ink' : ''}>
          <ListFilter size={16} strokeWidth={1.75} aria-hidden />
          {t('library.filter')}
          {count > 0 && (
            <span className="tnum grid h-[18px] min-w-[18px] place-items-center rounded-full bg-ink px-1 text-2xs text-surface">
              {formatNumber(count, locale)}
            </span>
          )}
        </Button>
      }
    >
      <FilterForm />
    </Popover>
  );
};

const FilterForm = () => {
  const { library } = useServices();
  const { t } = useI18n();
  const query = useStore(library.list.store);
  const languages = useLanguageChoices();
  const models = useModelChoices();
  return (
    <div className="flex flex-col gap-4">
      <Field label={t('library.language')}>
        {(ids) => (
          <Select
            {...ids}
            value={query.language ?? ANY}
            choices={languages}
            onChange={(value) => library.setQuery({ language: value === ANY ? undefined : value })}
          />
        )}
      </Field>
      <Field label={t('library.model')}>
        {(ids) => (
          <Select
            {...ids}
            value={query.model ?? ANY}
            choices={models}
            onChange={(value) => library.setQuery({ model: value === ANY ? undefined : value })}
          />
        )}
      </Field>
      <PeriodFields />
      <Button className="self-start" onClick={() => library.setQuery({ ...NO_FILTER, status: query.status })}>
        {t('library.clearFilter')}
      </Button>
    </div>
  );
};

const PeriodFields = () => {
  const { library } = useServices();
  const { t } = useI18n();
  const { from, to } = useStore(library.list.store);
  const [isCustom, setIsCustom] = useState(periodOf(from, to) === 'own');
  const period = isCustom ? 'own' : periodOf(from, to);
  return (
    <>
      <Field label={t('library.added')}>
        {(ids) => (
          <Select
            {...ids}
            value={period}
            choices={PERIODS.map((each) => ({ value: each.id, label: t(each.name) }))}
            onChange={(value) => {
              const chosen = PERIODS.find((each) => each.id === value);
              setIsCustom(value === 'own');
              if (chosen === undefined || value === 'own') return;
              library.setQuery({
                from: chosen.days === undefined ? undefined : dayOf(chosen.days),
                to: undefined,
              });
            }}
          />
        )}
      </Field>
      {period === 'own' && (
        <div className="grid grid-cols-2 gap-2">
          <DayField label={t('library.from')} value={from} onDay={(day) => library.setQuery({ from: day })} />
          <DayField label={t('library.until')} value={to} onDay={(day) => library.setQuery({ to: day })} />
        </div>
      )}
    </>
  );
};

type DayProps = { label: string; value: string | undefined; onDay: (day: string | undefined) => void };

const DayField = ({ label, value, onDay }: DayProps) => (
  <Field label={label}>
    {(ids) => (
      <TextInput
        {...ids}
        type="date"
        value={value ?? ''}
        className="tnum !px-2"
        onChange={(event) => onDay(event.target.value === '' ? undefined : event.target.value)}
      />
    )}
  </Field>
);
