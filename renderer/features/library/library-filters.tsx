import { ArrowDownWideNarrow, ListFilter, X } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useStore } from 'zustand';
import { LANGUAGE_CODES } from '../../../electron/contract/languages.ts';
import { MODEL_ALIASES } from '../../../electron/contract/names.ts';
import { isRecognizer, modelLabel } from '../../domain/models.ts';
import { useTranscriptCounts } from '../../domain/use-library-actions.ts';
import { type Services, useApi, useI18n, useServices } from '../../hooks/services.tsx';
import type { I18nState, MessageKey } from '../../i18n/index.ts';
import { formatDay, formatLanguage, formatNumber } from '../../lib/format.ts';
import {
  type LibraryQuery,
  type LibrarySort,
  NO_FILTER,
  type TranscriptState,
} from '../../stores/library.ts';
import { Chip } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Field, TextInput } from '../../ui/field.tsx';
import { Menu, MenuItem, Popover } from '../../ui/menu.tsx';
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
  const models = useApi('listModels', { query: { catalog: true } });
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
const FilterPopover = () => {
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

const STATUS_FILTERS: readonly { status: TranscriptState | undefined; name: MessageKey }[] = [
  { status: undefined, name: 'library.all' },
  { status: 'processing', name: 'library.processing' },
  { status: 'completed', name: 'library.completed' },
  { status: 'stopped', name: 'library.stopped' },
  { status: 'failed', name: 'library.failedFilter' },
];

const SORTS: readonly { sort: LibrarySort; order: 'asc' | 'desc'; name: MessageKey }[] = [
  { sort: 'created_at', order: 'desc', name: 'sort.newest' },
  { sort: 'created_at', order: 'asc', name: 'sort.oldest' },
  { sort: 'duration', order: 'desc', name: 'sort.longest' },
  { sort: 'duration', order: 'asc', name: 'sort.shortest' },
  { sort: 'confidence', order: 'asc', name: 'sort.doubtful' },
  { sort: 'confidence', order: 'desc', name: 'sort.certain' },
];

/** Filters and sorts the library. */
export const LibraryFilters = () => {
  const { library } = useServices();
  const { t, locale } = useI18n();
  const query = useStore(library.list.store);
  const counts = useTranscriptCounts();
  const sort = SORTS.find((each) => each.sort === query.sort && each.order === query.order);
  const countOf = (status: TranscriptState | undefined) => {
    const count = status === undefined || status === 'completed' ? 0 : counts[status];
    return count > 0 ? formatNumber(count, locale) : undefined;
  };

  // Few people ever stop a transcription.
  const shown = STATUS_FILTERS.filter(
    ({ status }) => status !== 'stopped' || counts.stopped > 0 || query.status === status,
  );

  return (
    <div className="mt-6 mb-2 flex flex-wrap items-center gap-1.5">
      {shown.map((state) => (
        <Chip
          key={state.name}
          isOn={query.status === state.status}
          count={countOf(state.status)}
          onClick={() => library.setQuery({ status: state.status })}
        >
          {t(state.name)}
        </Chip>
      ))}
      <ActiveFilters />
      <span className="flex-1" />
      <Menu
        trigger={
          <Button variant="ghost">
            <ArrowDownWideNarrow size={16} strokeWidth={1.75} aria-hidden />
            {t(sort?.name ?? 'sort.newest')}
          </Button>
        }
      >
        {SORTS.map((each) => (
          <MenuItem
            key={each.name}
            checked={each === sort}
            onSelect={() => library.setQuery({ sort: each.sort, order: each.order })}
          >
            {t(each.name)}
          </MenuItem>
        ))}
      </Menu>
      <FilterPopover />
    </div>
  );
};

const describePeriod = ({ from, to }: LibraryQuery, { t, locale }: I18nState): string => {
  const period = PERIODS.find((each) => each.id === periodOf(from, to));
  if (period !== undefined && period.id !== 'own') return t(period.name);
  if (from === undefined) return t('period.until', { day: formatDay(to ?? '', locale) });
  if (to === undefined) return t('period.since', { day: formatDay(from, locale) });
  return t('period.between', { from: formatDay(from, locale), to: formatDay(to, locale) });
};

const listActiveFilters = (
  query: LibraryQuery,
  i18n: I18nState,
): readonly { text: string; clear: Parameters<Services['library']['setQuery']>[0] }[] => [
  ...(query.language === undefined
    ? []
    : [{ text: formatLanguage(query.language, i18n.locale), clear: { language: undefined } }]),
  ...(query.model === undefined
    ? []
    : [{ text: modelLabel(query.model, i18n.t), clear: { model: undefined } }]),
  ...(query.from === undefined && query.to === undefined
    ? []
    : [{ text: describePeriod(query, i18n), clear: { from: undefined, to: undefined } }]),
];

/** The active filters of the popover, each with a button that clears it. */
const ActiveFilters = () => {
  const { library } = useServices();
  const i18n = useI18n();
  const query = useStore(library.list.store);
  return listActiveFilters(query, i18n).map(({ text, clear }) => (
    <button
      key={text}
      type="button"
      aria-label={i18n.t('library.clearOne', { name: text })}
      onClick={() => library.setQuery(clear)}
      className="inline-flex h-7 items-center gap-1.5 rounded-full bg-accent-soft ps-3 pe-2 font-[550] whitespace-nowrap text-accent-text"
    >
      {text}
      <X size={13} aria-hidden />
    </button>
  ));
};
