import { Ellipsis, Plus } from 'lucide-react';
import { useStore } from 'zustand';
import { useTranscriptCounts } from '../domain/use-library-actions.ts';
import { useApi, useI18n, useServices } from '../hooks/services.tsx';
import { cx } from '../lib/classes.ts';
import { formatNumber } from '../lib/format.ts';
import { hrefOf, type ScreenName } from '../stores/router.ts';
import { Button } from '../ui/button.tsx';
import { Kbd } from '../ui/kbd.tsx';
import { Menu, MenuItem } from '../ui/menu.tsx';
import { BrandMark } from '../ui/page.tsx';
import { NAV_SCREENS, type NavScreen } from './screens.tsx';

/** Shows whether recognition is available, and its current speed. */
const EngineCard = () => {
  const { live } = useServices();
  const { t, locale } = useI18n();
  const connection = useStore(live.store, (state) => state.connection);
  const speed = useStore(live.store, (state) => {
    for (const progress of state.progress.values()) if (progress.speed !== null) return progress.speed;
    return undefined;
  });
  const system = useApi('system');
  const models = useApi('listModels');
  if (connection === 'lost') {
    return (
      <div role="status" className="rounded-box border border-line bg-surface p-2.5 text-xs">
        <div className="flex items-center gap-1.5 font-[550]">
          <Dot tone="bad" />
          {t('engine.disconnected')}
        </div>
        <p className="mt-0.5 text-ink-2">{t('engine.disconnected.hint')}</p>
      </div>
    );
  }
  if (system.data === undefined) return null;
  const { engine } = system.data.data;
  const used = models.data?.data.find((model) => model.in_use);
  const isReady = engine.available && (models.data === undefined || used !== undefined);
  return (
    <div className="rounded-box border border-line bg-surface p-2.5 text-xs">
      <div className="flex items-center gap-1.5">
        <Dot tone={isReady ? 'good' : 'bad'} />
        <span className="truncate">
          {engine.available ? t(isReady ? 'engine.here' : 'engine.noModel') : t('engine.unavailable')}
        </span>
      </div>
      <p className="tnum mt-0.5 text-ink-2">
        {engine.available
          ? [
              used?.name ?? '',
              speed === undefined ? '' : t('engine.speed', { speed: formatNumber(speed, locale, 1) }),
              t('engine.threads', { count: engine.threads * Math.max(1, engine.parallel) }),
            ]
              .filter((part) => part !== '')
              .join(' · ')
          : (engine.detail ?? '')}
      </p>
    </div>
  );
};

const Dot = ({ tone }: { tone: 'good' | 'bad' }) => (
  <span aria-hidden className={cx('size-[7px] rounded-full', tone === 'good' ? 'bg-good' : 'bg-bad')} />
);

const NavLink = ({ entry, count }: { entry: NavScreen; count?: string | undefined }) => {
  const { router } = useServices();
  const { t } = useI18n();
  const screen = useStore(router.store, (route) => route.screen);
  // A transcript belongs to the library.
  const isCurrent = screen === entry.name || (entry.name === 'library' && screen === 'transcript');
  return (
    <a
      href={hrefOf({ screen: entry.name })}
      aria-current={isCurrent ? 'page' : undefined}
      className={cx(
        'flex h-8 items-center gap-2.5 rounded-ctl px-2.5 font-medium transition-colors hover:bg-sunken hover:text-ink',
        isCurrent ? 'bg-sunken text-ink' : 'text-ink-2',
      )}
    >
      <entry.icon size={16} strokeWidth={1.75} aria-hidden />
      <span className="truncate">{t(entry.label)}</span>
      {count !== undefined && <span className="tnum ms-auto text-xs text-ink-3">{count}</span>}
    </a>
  );
};

/** The navigation of a wide window. */
export const Sidebar = () => {
  const { dialogs, live } = useServices();
  const { t, locale } = useI18n();
  const transcripts = useTranscriptCounts().all;
  const running = useStore(live.store, (state) => state.progress.size);
  const counts: Partial<Record<ScreenName, number>> = { library: transcripts, queue: running };
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
        variant="primary"
        className="h-9 w-full"
        onClick={() => dialogs.open({ kind: 'create', sources: [] })}
      >
        <Plus size={16} aria-hidden />
        {/* The key wraps out of sight if the words need its room. */}
        <span className="flex h-6 min-w-0 flex-1 flex-wrap items-center gap-x-2 overflow-hidden">
          <span className="max-w-full truncate leading-6">{t('nav.new')}</span>
          <Kbd className="ms-auto">N</Kbd>
        </span>
      </Button>
      <ul className="flex flex-col">
        {NAV_SCREENS.filter((entry) => !entry.isAtBottom).map((entry) => {
          const count = counts[entry.name] ?? 0;
          return (
            <li key={entry.name}>
              <NavLink entry={entry} count={count > 0 ? formatNumber(count, locale) : undefined} />
            </li>
          );
        })}
      </ul>
      <div className="mt-auto flex flex-col gap-3">
        <EngineCard />
        {NAV_SCREENS.filter((entry) => entry.isAtBottom).map((entry) => (
          <NavLink key={entry.name} entry={entry} />
        ))}
      </div>
    </nav>
  );
};

const barEntry = (isCurrent: boolean) =>
  cx(
    'flex min-w-0 flex-auto flex-col items-center gap-0.5 rounded-ctl px-1 py-1 text-2xs font-medium',
    isCurrent ? 'text-accent-text' : 'text-ink-2',
  );

/** The navigation of a narrow window; a menu has the screens for which it has no room. */
export const BottomBar = () => {
  const { router, dialogs } = useServices();
  const { t } = useI18n();
  const screen = useStore(router.store, (route) => route.screen);
  const others = NAV_SCREENS.filter((entry) => entry.isWideOnly);
  return (
    <nav
      aria-label={t('nav.label')}
      className="flex items-center justify-around border-t border-line bg-ground px-1 py-1 md:hidden"
    >
      {NAV_SCREENS.filter((entry) => !entry.isWideOnly).map((entry) => (
        <a
          key={entry.name}
          href={hrefOf({ screen: entry.name })}
          aria-current={screen === entry.name ? 'page' : undefined}
          className={barEntry(screen === entry.name)}
        >
          <entry.icon size={18} strokeWidth={1.75} aria-hidden />
          <span className="max-w-full truncate">{t(entry.label)}</span>
        </a>
      ))}
      <Menu
        trigger={
          <button type="button" className={barEntry(others.some((entry) => entry.name === screen))}>
            <Ellipsis size={18} strokeWidth={1.75} aria-hidden />
            <span className="max-w-full truncate">{t('nav.more')}</span>
          </button>
        }
      >
        {others.map((entry) => (
          <MenuItem
            key={entry.name}
            icon={<entry.icon size={14} aria-hidden />}
            onSelect={() => router.go({ screen: entry.name })}
          >
            {t(entry.label)}
          </MenuItem>
        ))}
      </Menu>
      <button
        type="button"
        aria-label={t('nav.new')}
        onClick={() => dialogs.open({ kind: 'create', sources: [] })}
        className="grid size-10 shrink-0 place-items-center rounded-full bg-accent text-accent-ink"
      >
        <Plus size={20} aria-hidden />
      </button>
    </nav>
  );
};
