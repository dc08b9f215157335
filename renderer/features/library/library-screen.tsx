import { FolderOpen, Mic, Moon, Sun } from 'lucide-react';
import { type RefObject, useEffect, useRef } from 'react';
import { useStore } from 'zustand';
import { describeError } from '../../api/errors.ts';
import { UploadList } from '../../domain/upload-list.tsx';
import { useTranscriptCounts } from '../../domain/use-library-actions.ts';
import { useI18n, usePrefs, useServices } from '../../hooks/services.tsx';
import { useDebouncedValue, useRowCount } from '../../hooks/use-paged-rows.ts';
import { isTyping } from '../../lib/keys.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/feedback.tsx';
import { SearchField } from '../../ui/field.tsx';
import { FileButton, RECORDINGS } from '../../ui/file-button.tsx';
import { Kbd } from '../../ui/kbd.tsx';
import { FirstSteps } from './first-steps.tsx';
import { LibraryFilters } from './library-filters.tsx';
import { LibraryList } from './library-list.tsx';
import { RecoveredRecordings } from './recovered-recordings.tsx';
import { SearchResults } from './search-results.tsx';

/** Peaks of the bundled sample recording, in hundredths. */
const SAMPLE_PEAKS = [
  0, 0, 15, 100, 16, 78, 36, 62, 17, 0, 62, 60, 67, 58, 45, 72, 54, 61, 5, 45, 86, 38, 4, 60, 21, 62, 54, 51,
  62, 24, 90, 71, 33, 55, 43, 6, 0, 0, 47, 77, 81, 44, 29, 39, 27, 81, 33, 79, 92, 15, 77, 71, 100, 47, 29, 5,
  0, 0, 0, 0, 69, 73, 100, 86, 74, 16, 51, 79, 99, 87, 19, 64, 18, 61, 67, 100, 79, 19, 23, 79, 40, 6, 0, 10,
  92, 96, 42, 47, 91, 92, 23, 53, 82, 74, 16, 13, 0, 0,
];
const SAMPLE_PATH = SAMPLE_PEAKS.map((peak, index) => {
  const half = 1.5 + peak * 0.44;
  return `M${index * 4 + 2} ${50 - half}v${half * 2}`;
}).join('');

/** Invites to drop files, and opens the file dialog. */
const DropPanel = () => {
  const { dialogs } = useServices();
  const { t } = useI18n();
  return (
    <section
      aria-label={t('drop.label')}
      className="relative flex flex-wrap items-center gap-x-6 gap-y-4 overflow-hidden rounded-sheet border-[1.5px] border-dashed border-line-2 bg-ground px-5 py-6 sm:px-7"
    >
      <svg
        aria-hidden
        viewBox="0 0 392 100"
        preserveAspectRatio="none"
        className="absolute inset-y-1.5 start-[58%] end-[180px] hidden h-[calc(100%-12px)] w-[calc(42%-180px)] opacity-60 [mask-image:linear-gradient(90deg,transparent,#000_40%,#000_75%,transparent)] lg:block"
      >
        <path d={SAMPLE_PATH} stroke="var(--line-2)" strokeWidth="1.6" strokeLinecap="round" />
      </svg>
      <div className="relative min-w-0 flex-1 basis-64">
        <h2 className="font-serif text-xl leading-tight font-semibold tracking-[-.012em]">
          {t('drop.title')}
        </h2>
        <p className="mt-1 text-ink-2">{t('drop.text')}</p>
      </div>
      <FileButton
        label={t('drop.choose')}
        icon={<FolderOpen size={16} strokeWidth={1.75} aria-hidden />}
        accept={RECORDINGS}
        className="relative h-9"
        testId="file-input"
        onFiles={(files) =>
          dialogs.open({ kind: 'create', sources: files.map((file) => ({ kind: 'file', file })) })
        }
      />
    </section>
  );
};

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
