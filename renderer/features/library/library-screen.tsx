import { Mic, Moon, Sun } from 'lucide-react';
import { type RefObject, useEffect, useRef } from 'react';
import { useStore } from 'zustand';
import { useI18n, usePrefs, useServices } from '../../app/services.tsx';
import { errorText } from '../../lib/errors.ts';
import { Blank } from '../../ui/bits.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { FirstSteps } from '../welcome/first-steps.tsx';
import { DropPanel } from './drop-panel.tsx';
import { LibraryFilters } from './library-filters.tsx';
import { LibraryList } from './library-list.tsx';
import { UploadsList } from './uploads-list.tsx';

const ThemeButton = () => {
  const { prefs } = useServices();
  const { t } = useI18n();
  const theme = usePrefs((state) => state.theme);
  const dark = theme === 'dark' || (theme === 'system' && matchMedia('(prefers-color-scheme: dark)').matches);
  return (
    <IconButton
      label={dark ? t('theme.toLight') : t('theme.toDark')}
      onClick={() => prefs.set({ theme: dark ? 'light' : 'dark' })}
    >
      {dark ? <Sun size={16} aria-hidden /> : <Moon size={16} aria-hidden />}
    </IconButton>
  );
};

/** Everything that was transcribed: the drop panel above, the list below. */
export const LibraryScreen = () => {
  const { library, dialogs } = useServices();
  const { t } = useI18n();
  const total = useStore(library.store, (state) => state.total);
  const all = useStore(library.store, (state) => state.counts.all);
  const error = useStore(library.store, (state) => state.error);
  const page = useRef<HTMLDivElement>(null);

  useEffect(() => {
    document.title = `${t('nav.library')} · Earshot`;
  }, [t]);

  const failed = error !== undefined && total === undefined;
  const empty = total === 0 && all === 0;
  return (
    <div ref={page} className="h-full overflow-y-auto px-4 pt-4 pb-12 lg:px-8">
      <h1 className="sr-only">{t('nav.library')}</h1>
      <header className="mb-4 flex min-h-10 items-center gap-2">
        <span className="flex-1" />
        <Button look="ghost" onClick={() => dialogs.open({ kind: 'record' })}>
          <Mic size={16} strokeWidth={1.75} aria-hidden />
          {t('record.open')}
        </Button>
        <ThemeButton />
      </header>
      {failed && (
        <Blank role="alert" title={t('library.failed')} text={errorText(error, t)}>
          <Button look="primary" onClick={library.refreshNow}>
            {t('common.retry')}
          </Button>
        </Blank>
      )}
      {!failed && (
        <>
          <DropPanel />
          <UploadsList />
          {empty ? <FirstSteps /> : <LibraryBody scroller={page} />}
        </>
      )}
    </div>
  );
};

const LibraryBody = ({ scroller }: { scroller: RefObject<HTMLDivElement | null> }) => (
  <>
    <LibraryFilters />
    <LibraryList scroller={scroller} />
  </>
);
