import { Box, CodeXml, Folder, LibraryBig, ListOrdered, type LucideIcon, Plus, Settings } from 'lucide-react';
import { useStore } from 'zustand';
import type { MessageKey } from '../i18n/index.ts';
import { cx } from '../lib/classes.ts';
import { number } from '../lib/format.ts';
import { hrefOf, type Route } from '../stores/router.ts';
import { BrandMark } from '../ui/brand.tsx';
import { Button } from '../ui/button.tsx';
import { Kbd } from '../ui/kbd.tsx';
import { EngineCard } from './engine-card.tsx';
import { useI18n, useServices } from './services.tsx';

type Entry = {
  readonly screen: Route['screen'];
  readonly to: Route;
  readonly icon: LucideIcon;
  readonly name: MessageKey;
};

export const ENTRIES: readonly Entry[] = [
  { screen: 'library', to: { screen: 'library' }, icon: LibraryBig, name: 'nav.library' },
  { screen: 'queue', to: { screen: 'queue' }, icon: ListOrdered, name: 'nav.queue' },
  { screen: 'files', to: { screen: 'files', folder: '' }, icon: Folder, name: 'nav.files' },
  { screen: 'models', to: { screen: 'models' }, icon: Box, name: 'nav.models' },
  { screen: 'api', to: { screen: 'api' }, icon: CodeXml, name: 'nav.api' },
];
export const SETTINGS_ENTRY: Entry = {
  screen: 'settings',
  to: { screen: 'settings', section: '' },
  icon: Settings,
  name: 'nav.settings',
};

const NavLink = ({ entry, count }: { entry: Entry; count?: string | undefined }) => {
  const { router } = useServices();
  const { t } = useI18n();
  const screen = useStore(router.store, (route) => route.screen);
  const on = screen === entry.screen || (entry.screen === 'library' && screen === 'transcript');
  return (
    <a
      href={hrefOf(entry.to)}
      {...(on ? { 'aria-current': 'page' as const } : {})}
      className={cx(
        'flex h-8 items-center gap-2.5 rounded-ctl px-2.5 font-medium transition-colors hover:bg-sunken hover:text-ink',
        on ? 'bg-sunken text-ink' : 'text-ink-2',
      )}
    >
      <entry.icon size={16} strokeWidth={1.75} aria-hidden />
      <span className="truncate">{t(entry.name)}</span>
      {count !== undefined && <span className="tnum ms-auto text-xs text-ink-3">{count}</span>}
    </a>
  );
};

/** The column at the side: the main action, the screens, and what the engine is doing. */
export const Rail = () => {
  const { dialogs, library, live } = useServices();
  const { t, locale } = useI18n();
  const all = useStore(library.store, (state) => state.counts.all);
  const busy = useStore(live.store, (state) => state.progress.size);
  const counts: Partial<Record<Route['screen'], number>> = { library: all, queue: busy };
  return (
    <nav
      aria-label={t('nav.label')}
      className="hidden flex-col gap-3 overflow-y-auto border-e border-line px-3 py-4 md:flex"
    >
      <a
        href="#/"
        className="flex items-center gap-2.5 rounded-ctl px-2 pt-1 pb-2 text-[16px] font-[650] tracking-[-.015em]"
      >
        <BrandMark />
        <span>Earshot</span>
      </a>
      <Button
        look="primary"
        className="h-9 w-full"
        onClick={() => dialogs.open({ kind: 'create', sources: [] })}
      >
        <Plus size={16} aria-hidden />
        <span className="truncate">{t('nav.new')}</span>
        <Kbd className="ms-auto">N</Kbd>
      </Button>
      <ul className="flex flex-col">
        {ENTRIES.map((entry) => {
          const count = counts[entry.screen] ?? 0;
          return (
            <li key={entry.screen}>
              <NavLink entry={entry} count={count > 0 ? number(count, locale) : undefined} />
            </li>
          );
        })}
      </ul>
      <div className="mt-auto flex flex-col gap-3">
        <EngineCard />
        <NavLink entry={SETTINGS_ENTRY} />
      </div>
    </nav>
  );
};

/** The same on a narrow window: a bar at the foot. */
export const FootBar = () => {
  const { router, dialogs } = useServices();
  const { t } = useI18n();
  const screen = useStore(router.store, (route) => route.screen);
  return (
    <nav
      aria-label={t('nav.label')}
      className="flex items-center justify-around border-t border-line bg-ground px-1 py-1 md:hidden"
    >
      {[...ENTRIES.filter((entry) => entry.screen !== 'api' && entry.screen !== 'queue'), SETTINGS_ENTRY].map(
        (entry) => (
          <a
            key={entry.screen}
            href={hrefOf(entry.to)}
            {...(screen === entry.screen ? { 'aria-current': 'page' as const } : {})}
            className={cx(
              'flex min-w-14 flex-col items-center gap-0.5 rounded-ctl px-2 py-1 text-2xs font-medium',
              screen === entry.screen ? 'text-accent-text' : 'text-ink-2',
            )}
          >
            <entry.icon size={18} strokeWidth={1.75} aria-hidden />
            {t(entry.name)}
          </a>
        ),
      )}
      <button
        type="button"
        aria-label={t('nav.new')}
        onClick={() => dialogs.open({ kind: 'create', sources: [] })}
        className="grid size-10 place-items-center rounded-full bg-accent text-accent-ink"
      >
        <Plus size={20} aria-hidden />
      </button>
    </nav>
  );
};
