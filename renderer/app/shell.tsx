import { Mic, PlugZap } from 'lucide-react';
import { lazy, Suspense, useEffect, useState } from 'react';
import { useStore } from 'zustand';
import type { ServerEvent } from '../../electron/contract/events.ts';
import { describeJobError } from '../api/errors.ts';
import { callQuery } from '../api/queries.ts';
import { DialogBoundary, PageBoundary } from '../domain/error-boundary.tsx';
import { RUNNING_JOBS } from '../domain/jobs.ts';
import { type Services, useI18n, useServices } from '../hooks/services.tsx';
import { formatClock, formatPercent } from '../lib/format.ts';
import { isTyping } from '../lib/keys.ts';
import { isRecording } from '../stores/recording.ts';
import { Button } from '../ui/button.tsx';
import { SkeletonRows } from '../ui/feedback.tsx';
import { DamagedLibraryBanner } from './damaged-library.tsx';
import { DropTarget, useOpenedPlaces, usePastedSources } from './incoming-sources.tsx';
import { BottomBar, Sidebar } from './navigation.tsx';
import { SCREENS } from './screens.tsx';

type EndEvent = Extract<ServerEvent, { type: 'transcript.completed' | 'transcript.failed' }>;

const isEndEvent = (event: ServerEvent): event is EndEvent =>
  event.type === 'transcript.completed' || event.type === 'transcript.failed';

/** Shows a system notification while the window is in the background; the desktop program shows its own. */
const showNotification = ({ router }: Services, id: string, title: string, body: string): void => {
  if (
    window.earshot !== undefined ||
    document.hasFocus() ||
    !('Notification' in window) ||
    Notification.permission !== 'granted'
  )
    return;
  const message = new Notification(title, { body, tag: id });
  message.addEventListener('click', () => {
    window.focus();
    router.go({ screen: 'transcript', param: id });
  });
};

/** Progress is announced in quarters: more often would interrupt a screen reader. */
const quarterOf = (progress: number): number => Math.floor(progress / 25) * 25;

/**
 * Returns the latest announcement on running and ended jobs for a live region, and shows a system notification when a
 * job ends.
 */
const useJobAnnouncements = (): string => {
  const services = useServices();
  const { t, locale } = useI18n();
  const [announcement, setAnnouncement] = useState('');
  useEffect(() => {
    const { live, library, queries, client } = services;
    const quarters = new Map<string, number>();
    const announceProgress = async (id: string, progress: number) => {
      const quarter = quarterOf(progress);
      if (quarter === (quarters.get(id) ?? 0)) return;
      quarters.set(id, quarter);
      // Only the library and the queue have loaded the names.
      if (library.find(id) === undefined) await queries.prefetchQuery(callQuery(client, ...RUNNING_JOBS));
      const name = library.find(id)?.name;
      if (name !== undefined)
        setAnnouncement(t('stage.announcement', { name, share: formatPercent(quarter / 100, locale) }));
    };
    const announceEnd = (event: EndEvent) => {
      const { id, name, error } = event.transcript;
      quarters.delete(id);
      if (error?.code === 'cancelled') return setAnnouncement(t('message.stoppedOf', { name }));
      const hasFailed = event.type === 'transcript.failed';
      const reason = describeJobError(error, t);
      setAnnouncement(
        hasFailed ? t('message.failedOf', { name, reason }) : t('message.completedOf', { name }),
      );
      showNotification(
        services,
        id,
        t(hasFailed ? 'message.failed' : 'message.completed'),
        hasFailed ? `${name}: ${reason}` : name,
      );
    };
    return live.listen((event) => {
      if (event.type === 'transcript.progress') void announceProgress(event.id, event.progress.percent);
      if (isEndEvent(event)) announceEnd(event);
    });
  }, [services, t, locale]);
  return announcement;
};

/** The shortcuts of every screen: Ctrl K, N and `?`. */
const useGlobalShortcuts = () => {
  const { dialogs } = useServices();
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const open = dialogs.store.getState().open.kind;
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        if (open === 'palette') dialogs.close();
        else dialogs.open({ kind: 'palette' });
        return;
      }
      if (open !== 'none' || isTyping(event.target) || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === 'n' || event.key === 'N') {
        event.preventDefault();
        dialogs.open({ kind: 'create', sources: [] });
      } else if (event.key === '?') {
        event.preventDefault();
        dialogs.open({ kind: 'shortcuts' });
      }
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [dialogs]);
};

/** Opens the first recording that was ever transcribed here when it is done, if its user still waits in the library. */
const useFirstResult = (): void => {
  const { live, library, router, dialogs } = useServices();
  useEffect(
    () =>
      live.listen((event) => {
        const { awaited, search } = library.store.getState();
        if (event.type !== 'transcript.completed' || event.transcript.id !== awaited) return;
        library.store.setState({ awaited: undefined });
        const isIdle = search === '' && dialogs.store.getState().open.kind === 'none';
        if (isIdle && router.store.getState().screen === 'library')
          router.go({ screen: 'transcript', param: event.transcript.id });
      }),
    [live, library, router, dialogs],
  );
};

/** The signed-in window: navigation, current screen and dialogs. */
export const Shell = () => {
  const { router } = useServices();
  const { t } = useI18n();
  const route = useStore(router.store);
  const { Component } = SCREENS[route.screen];
  useGlobalShortcuts();
  usePastedSources();
  useFirstResult();
  const announcement = useJobAnnouncements();
  useOpenedPlaces();
  useResumedSession();

  return (
    <DropTarget>
      <button
        type="button"
        className="sr-only z-50 rounded-ctl bg-ink px-3 py-2 text-surface focus:not-sr-only focus:fixed focus:top-2 focus:start-2"
        onClick={() => document.getElementById('main')?.focus()}
      >
        {t('nav.skip')}
      </button>
      <p role="status" className="sr-only">
        {announcement}
      </p>
      <div className="grid h-full grid-rows-[minmax(0,1fr)_auto] md:grid-cols-[calc(224px*max(1,var(--text-scale)))_minmax(0,1fr)] md:grid-rows-1">
        <Sidebar />
        <main
          id="main"
          tabIndex={-1}
          className="relative flex min-w-0 flex-col overflow-hidden bg-surface outline-none"
        >
          <DamagedLibraryBanner />
          <RecordingBar />
          <LiveBar />
          <div className="min-h-0 flex-1">
            <PageBoundary key={route.screen}>
              <Suspense fallback={<ScreenPlaceholder />}>
                <Component param={route.param ?? ''} at={route.at} />
              </Suspense>
            </PageBoundary>
          </div>
          <ConnectionBanner />
        </main>
        <BottomBar />
      </div>
      <OpenDialog />
      <PendingLine />
    </DropTarget>
  );
};

/** Shows that something asked for is on its way; its end is shown, and read out, where it happens. */
const PendingLine = () => {
  const { pending } = useServices();
  const isWaiting = useStore(pending.store, (state) => state.isWaiting);
  return isWaiting ? (
    <div
      aria-hidden
      data-pending
      className="fade pointer-events-none fixed inset-x-0 top-0 z-50 h-0.5 bg-accent"
    />
  ) : null;
};

const CreateDialog = lazy(() => import('../features/create/create-dialog.tsx'));
const RecordDialog = lazy(() => import('../features/create/record-dialog.tsx'));
const CommandPalette = lazy(() => import('./command-palette.tsx'));
const ShortcutsDialog = lazy(() => import('../domain/shortcuts-dialog.tsx'));

/** The window-wide dialog that is open, if any; its code is executed at its first use. */
const OpenDialog = () => {
  const { dialogs } = useServices();
  const open = useStore(dialogs.store, (state) => state.open);
  return (
    <DialogBoundary key={open.kind} onClose={dialogs.close}>
      {open.kind === 'create' && <CreateDialog sources={open.sources} repeated={open.repeated ?? 0} />}
      {open.kind === 'record' && <RecordDialog />}
      {open.kind === 'palette' && <CommandPalette />}
      {open.kind === 'shortcuts' && <ShortcutsDialog />}
    </DialogBoundary>
  );
};

/** Stands above every screen while a recording goes on and its dialog is closed. */
const RecordingBar = () => {
  const { dialogs, recording } = useServices();
  const { t } = useI18n();
  const isOpen = useStore(dialogs.store, ({ open }) => open.kind === 'record');
  const isOn = useStore(recording.store, isRecording);
  const isPaused = useStore(recording.store, ({ state }) => state === 'paused');
  const seconds = useStore(recording.store, (each) => Math.floor(each.seconds));
  const isUnsaved = useStore(recording.store, (each) => each.unsaved !== undefined);
  if (!isOn || isOpen) return null;
  return (
    <section
      aria-label={t('record.open')}
      className="flex items-center gap-2.5 bg-bad-soft px-4 py-2 text-bad lg:px-8"
    >
      <Mic size={15} strokeWidth={1.75} aria-hidden />
      <span className="tnum flex-1">
        {t(isPaused ? 'record.paused' : 'record.running')} {formatClock(seconds)}
        {isUnsaved && ` · ${t('record.unsaved.short')}`}
      </span>
      <Button variant="link" className="!text-bad" onClick={() => dialogs.open({ kind: 'record' })}>
        {t('record.show')}
      </Button>
    </section>
  );
};

/** Takes the live session up again that this window had before it was reloaded. */
const useResumedSession = (): void => {
  const { liveSession, prefs } = useServices();
  useEffect(() => {
    liveSession.resume(prefs.store.getState().microphone).catch(reportError);
  }, [liveSession, prefs]);
};

/** Stands above every other screen while a live session goes on. */
const LiveBar = () => {
  const { liveSession, router } = useServices();
  const { t } = useI18n();
  const screen = useStore(router.store, (route) => route.screen);
  const state = useStore(liveSession.store, (each) => each.state);
  const seconds = useStore(liveSession.store, (each) => Math.floor(each.seconds));
  if (state === 'none' || screen === 'live') return null;
  return (
    <section
      aria-label={t('live.title')}
      className="flex items-center gap-2.5 bg-bad-soft px-4 py-2 text-bad lg:px-8"
    >
      <Mic size={15} strokeWidth={1.75} aria-hidden />
      <span className="tnum flex-1">
        {t(state === 'paused' ? 'record.paused' : 'record.running')} {formatClock(seconds)}
      </span>
      <Button variant="link" className="!text-bad" onClick={() => router.go({ screen: 'live' })}>
        {t('record.show')}
      </Button>
    </section>
  );
};

/** Lies over the end of every screen while the server is unreachable: what is loaded stays readable, and in its place. */
const ConnectionBanner = () => {
  const { live } = useServices();
  const { t } = useI18n();
  const connection = useStore(live.store, (state) => state.connection);
  if (connection !== 'lost') return null;
  return (
    <p
      role="alert"
      className="absolute inset-x-0 bottom-0 z-30 flex items-center gap-2.5 bg-warn-soft px-4 py-2 text-warn lg:px-8"
    >
      <PlugZap size={15} strokeWidth={1.75} aria-hidden />
      {t('connection.banner')}
    </p>
  );
};

const ScreenPlaceholder = () => {
  const { t } = useI18n();
  return (
    <div className="px-4 pt-4 lg:px-8">
      <SkeletonRows label={t('common.loading')} />
    </div>
  );
};
