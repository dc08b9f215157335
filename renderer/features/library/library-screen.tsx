import { Mic, Moon, Sun } from 'lucide-react';
import { type RefObject, useEffect, useRef } from 'react';
import { useStore } from 'zustand';
import { describeError } from '../../api/errors.ts';
import { UploadList } from '../../domain/upload-list.tsx';
import { useTranscriptCounts } from '../../domain/use-transcript-counts.ts';
import { useI18n, usePrefs, useServices } from '../../hooks/services.tsx';
import { useDebouncedValue } from '../../hooks/use-debounced-value.ts';
import { useRowCount } from '../../hooks/use-paged-rows.ts';
import { isTyping } from '../../lib/keys.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/feedback.tsx';
import { SearchField } from '../../ui/field.tsx';
import { Kbd } from '../../ui/kbd.tsx';
import { DropPanel } from './drop-panel.tsx';
import { FirstSteps } from './first-steps.tsx';
import { LibraryFilters } from './library-filters.tsx';
import { LibraryList } from './library-list.tsx';
import { RecoveredRecordings } from './recovered-recordings.tsx';
import { SearchResults } from './search-results.tsx';

const SEARCH_DEBOUNCE_MS = 180;

/** Searches and lists the transcripts. */
export const LibraryScreen = () => {
  const { library, dialogs, toasts } = useServices();
  const { t } = useI18n();
  const query = useStore(library.store, (state) => state.search);
  const debouncedQuery = useDebouncedValue(query.trim(), SEARCH_DEBOUNCE_MS);
  const page = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);

  useEffect(() => {
    document.title = `${t('nav.library')} · Earshot`;
  }, [t]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || dialogs.store.getState().open.kind !== 'none') return;
      if (event.key.toLowerCase() === 'f') {
        event.preventDefault();
        field.current?.focus();
      } else if (event.key.toLowerCase() === 'z' && !isTyping(event.target) && toasts.runLatestAction())
        event.preventDefault();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [dialogs, toasts]);

  return (
    <div ref={page} className="h-full overflow-y-auto px-4 pt-4 pb-12 lg:px-8">
      <h1 className="sr-only">{t('nav.library')}</h1>
      <header className="mb-4 flex min-h-10 items-center gap-2">
        <SearchField
          inputRef={field}
          label={t('search.label')}
          clearLabel={t('common.clear')}
          value={query}
          onValueChange={library.setSearch}
          onKeyDown={(event) => {
            if (event.key === 'Escape') library.setSearch('');
          }}
          trailing={<Kbd className="max-sm:hidden">Ctrl F</Kbd>}
          className="w-[460px] min-w-0 shrink"
        />
        <span className="flex-1" />
        <Button variant="ghost" onClick={() => dialogs.open({ kind: 'record' })}>
          <Mic size={16} strokeWidth={1.75} aria-hidden />
          <span className="max-sm:sr-only">{t('record.open')}</span>
        </Button>
        <ThemeButton />
      </header>
      {debouncedQuery === '' ? (
        <LibraryBody scroller={page} />
      ) : (
        <SearchResults key={debouncedQuery} query={debouncedQuery} />
      )}
    </div>
  );
};

const LibraryBody = ({ scroller }: { scroller: RefObject<HTMLDivElement | null> }) => {
  const { library } = useServices();
  const { t } = useI18n();
  const { total, error, retry } = useRowCount(library.list);
  const transcriptCount = useTranscriptCounts().all;
  if (error !== null && total === undefined) {
    return (
      <EmptyState role="alert" title={t('library.failed')} text={describeError(error, t)}>
        <Button variant="primary" onClick={retry}>
          {t('common.retry')}
        </Button>
      </EmptyState>
    );
  }
  return (
    <>
      <RecoveredRecordings />
      <DropPanel />
      <UploadList />
      {total === 0 && transcriptCount === 0 ? (
        <FirstSteps />
      ) : (
        <>
          <LibraryFilters />
          <LibraryList scroller={scroller} />
        </>
      )}
    </>
  );
};

const ThemeButton = () => {
  const { prefs } = useServices();
  const { t } = useI18n();
  const theme = usePrefs((state) => state.theme);
  const isDark =
    theme === 'dark' || (theme === 'system' && matchMedia('(prefers-color-scheme: dark)').matches);
  return (
    <IconButton
      label={isDark ? t('theme.toLight') : t('theme.toDark')}
      onClick={() => prefs.set({ theme: isDark ? 'light' : 'dark' })}
    >
      {isDark ? <Sun size={16} aria-hidden /> : <Moon size={16} aria-hidden />}
    </IconButton>
  );
};
