import { ArrowDownWideNarrow, X } from 'lucide-react';
import { useStore } from 'zustand';
import type { TranscriptStatus } from '../../../electron/contract/transcript.ts';
import { modelLabel } from '../../domain/models.ts';
import { useTranscriptCounts } from '../../domain/use-transcript-counts.ts';
import { type Services, useI18n, useServices } from '../../hooks/services.tsx';
import type { I18nState, MessageKey } from '../../i18n/index.ts';
import { formatDay, formatLanguage, formatNumber } from '../../lib/format.ts';
import type { LibraryQuery, LibrarySort } from '../../stores/library.ts';
import { Chip } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { FilterPopover } from './filter-popover.tsx';
import { PERIODS, periodOf } from './periods.ts';

const STATUS_FILTERS: readonly { status: TranscriptStatus | undefined; name: MessageKey }[] = [
  { status: undefined, name: 'library.all' },
  { status: 'processing', name: 'library.processing' },
  { status: 'completed', name: 'library.completed' },
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
  const countOf = (status: TranscriptStatus | undefined) => {
    const count = status === 'processing' ? counts.processing : status === 'failed' ? counts.failed : 0;
    return count > 0 ? formatNumber(count, locale) : undefined;
  };

  return (
    <div className="mt-6 mb-2 flex flex-wrap items-center gap-1.5">
      {STATUS_FILTERS.map((state) => (
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
