import { ListFilter } from 'lucide-react';
import { useCallback, useMemo, useState } from 'react';
import { useStore } from 'zustand';
import { LANGUAGE_CODES } from '../../../electron/contract/languages.ts';
import { MODEL_ALIASES } from '../../../electron/contract/transcript.ts';
import { useI18n, useServices } from '../../app/services.tsx';
import type { Translate } from '../../i18n/index.ts';
import { languageName, number } from '../../lib/format.ts';
import { useLoaded } from '../../lib/use-loaded.ts';
import { NO_FILTER } from '../../stores/library.ts';
import { Button } from '../../ui/button.tsx';
import { Field, TextInput } from '../../ui/field.tsx';
import { Popover } from '../../ui/popover.tsx';
import { type Choice, Select } from '../../ui/select.tsx';
import { dayOf, PERIODS, periodOf } from './periods.ts';

const ANY = 'any';
const COMMON = ['en', 'de', 'es', 'fr', 'it', 'pt', 'nl', 'pl', 'ru', 'tr', 'zh', 'ja'];

export const modelName = (model: string, t: Translate): string => {
  const alias = MODEL_ALIASES.find((each) => each === model);
  if (alias !== undefined) return t(`model.${alias}`);
  return model === 'starter' ? t('models.demo') : model;
};

const useLanguages = (): Choice[] => {
  const { t, locale } = useI18n();
  return useMemo(() => {
    const name = (code: string) => ({ value: code, label: languageName(code, locale) });
    const rest = LANGUAGE_CODES.filter((code) => !COMMON.includes(code)).map(name);
    rest.sort((a, b) => a.label.localeCompare(b.label, locale));
    return [{ value: ANY, label: t('library.anyLanguage') }, ...COMMON.map(name), ...rest];
  }, [locale, t]);
};

/** The names of the API, and what else is installed and can be asked for by its id. */
const useModels = (): Choice[] => {
  const { client } = useServices();
  const { t } = useI18n();
  const load = useCallback(
    async (signal: AbortSignal) => (await client.call('listModels', { signal })).data,
    [client],
  );
  const { loaded } = useLoaded(load);
  const installed = (loaded.state === 'ready' ? loaded.value : []).filter(
    (model) => model.installed && model.kind === 'whisper',
  );
  return [
    { value: ANY, label: t('library.anyModel') },
    ...[...MODEL_ALIASES, ...installed.map((model) => model.id)].map((value) => ({
      value,
      label: modelName(value, t),
    })),
  ];
};

/** How many of the filters behind the button are in force. */
const useCount = (): number => {
  const { library } = useServices();
  return useStore(
    library.list,
    ({ query }) =>
      [query.language, query.model, query.from ?? query.to].filter((value) => value !== undefined).length,
  );
};

/** Language, model and time: what the list is narrowed by besides the state. */
export const FilterPopover = () => {
  const { t, locale } = useI18n();
  const count = useCount();
  return (
    <Popover
      label={t('library.filter')}
      trigger={
        <Button look="ghost" className={count > 0 ? '!text-ink' : ''}>
          <ListFilter size={16} strokeWidth={1.75} aria-hidden />
          {t('library.filter')}
          {count > 0 && (
            <span className="tnum grid h-[18px] min-w-[18px] place-items-center rounded-full bg-ink px-1 text-2xs text-surface">
              {number(count, locale)}
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
  const query = useStore(library.list, (state) => state.query);
  const languages = useLanguages();
  const models = useModels();
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
      <Period />
      <Button className="self-start" onClick={() => library.setQuery({ ...NO_FILTER, status: query.status })}>
        {t('library.clearFilter')}
      </Button>
    </div>
  );
};

const Period = () => {
  const { library } = useServices();
  const { t } = useI18n();
  const { from, to } = useStore(library.list, (state) => state.query);
  const [own, setOwn] = useState(periodOf(from, to) === 'own');
  const period = own ? 'own' : periodOf(from, to);
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
              setOwn(value === 'own');
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
          <Day label={t('library.from')} value={from} onDay={(day) => library.setQuery({ from: day })} />
          <Day label={t('library.until')} value={to} onDay={(day) => library.setQuery({ to: day })} />
        </div>
      )}
    </>
  );
};

type DayProps = { label: string; value: string | undefined; onDay: (day: string | undefined) => void };

const Day = ({ label, value, onDay }: DayProps) => (
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
