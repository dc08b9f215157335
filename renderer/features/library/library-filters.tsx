import { ArrowDownWideNarrow, Languages } from 'lucide-react';
import { useMemo } from 'react';
import { useStore } from 'zustand';
import { LANGUAGE_CODES } from '../../../electron/contract/languages.ts';
import type { TranscriptStatus } from '../../../electron/contract/transcript.ts';
import { useI18n, useServices } from '../../app/services.tsx';
import type { MessageKey } from '../../i18n/index.ts';
import { languageName, number } from '../../lib/format.ts';
import type { LibrarySort } from '../../stores/library.ts';
import { Chip } from '../../ui/bits.tsx';
import { Button } from '../../ui/button.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { Select } from '../../ui/select.tsx';

const STATES: readonly { status: TranscriptStatus | undefined; name: MessageKey }[] = [
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

const COMMON = ['en', 'de', 'es', 'fr', 'it', 'pt', 'nl', 'pl', 'ru', 'tr', 'zh', 'ja'];

/** Which transcripts are shown, and in what order. */
export const LibraryFilters = () => {
  const { library } = useServices();
  const { t, locale } = useI18n();
  const query = useStore(library.store, (state) => state.query);
  const counts = useStore(library.store, (state) => state.counts);
  const languages = useMemo(() => {
    const name = (code: string) => ({ value: code, label: languageName(code, locale) });
    const rest = LANGUAGE_CODES.filter((code) => !COMMON.includes(code)).map(name);
    rest.sort((a, b) => a.label.localeCompare(b.label, locale));
    return [{ value: 'any', label: t('library.anyLanguage') }, ...COMMON.map(name), ...rest];
  }, [locale, t]);
  const sort = SORTS.find((each) => each.sort === query.sort && each.order === query.order);
  const countOf = (status: TranscriptStatus | undefined) => {
    const count = status === 'processing' ? counts.processing : status === 'failed' ? counts.failed : 0;
    return count > 0 ? number(count, locale) : undefined;
  };

  return (
    <div className="mt-6 mb-2 flex flex-wrap items-center gap-1.5">
      {STATES.map((state) => (
        <Chip
          key={state.name}
          on={query.status === state.status}
          count={countOf(state.status)}
          onClick={() => library.setQuery({ status: state.status })}
        >
          {t(state.name)}
        </Chip>
      ))}
      <span className="flex-1" />
      <Menu
        trigger={
          <Button look="ghost">
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
      <span className="inline-flex items-center text-ink-2">
        <Languages size={16} strokeWidth={1.75} aria-hidden />
        <Select
          look="plain"
          label={t('library.language')}
          value={query.language ?? 'any'}
          choices={languages}
          onChange={(value) => library.setQuery({ language: value === 'any' ? undefined : value })}
        />
      </span>
    </div>
  );
};
