import { Maximize2, Mic, Pause, Square } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useStore } from 'zustand';
import { DiscardRecordingDialog } from '../../domain/discard-recording-dialog.tsx';
import { LevelMeter } from '../../domain/level-meter.tsx';
import { useLiveFailure } from '../../domain/use-live-failure.ts';
import { useI18n, useServices } from '../../hooks/services.tsx';
import { formatClock } from '../../lib/format.ts';
import { isTyping } from '../../lib/keys.ts';
import { isListening } from '../../stores/live-session.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Callout, EmptyState } from '../../ui/feedback.tsx';
import { Kbd } from '../../ui/kbd.tsx';
import { PageHeader } from '../../ui/page.tsx';
import { ScrollRegion } from '../../ui/scroll-region.tsx';
import { LargeText } from './large-text.tsx';
import { LiveText } from './live-text.tsx';
import { Marks } from './marks.tsx';

/** The words of the live session of this window, as somebody speaks. */
const LiveScreen = () => {
  const { liveSession } = useServices();
  const { t } = useI18n();
  const state = useStore(liveSession.store, (each) => each.state);
  return (
    <div className="flex h-full flex-col px-4 pt-4 lg:px-8">
      <PageHeader title={t('live.title')} text={t(state === 'none' ? 'live.text' : 'record.text')} />
      {state === 'none' ? <NoSession /> : <Session />}
    </div>
  );
};
export default LiveScreen;

const NoSession = () => {
  const { dialogs } = useServices();
  const { t } = useI18n();
  const failure = useLiveFailure();
  return (
    <EmptyState
      role={failure === undefined ? 'status' : 'alert'}
      icon={<Mic size={28} strokeWidth={1.5} aria-hidden />}
      title={t(failure === undefined ? 'live.none' : 'live.stopped')}
      text={failure ?? t('live.none.text')}
    >
      <Button variant="primary" onClick={() => dialogs.open({ kind: 'record' })}>
        <Mic size={16} aria-hidden />
        {t('record.open')}
      </Button>
    </EmptyState>
  );
};

/** P pauses and goes on, L shows the large text, M marks the moment, unless a dialog is open. */
const useLiveShortcuts = (onLarge: () => void): void => {
  const { dialogs, liveSession } = useServices();
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isTaken = isTyping(event.target) || event.ctrlKey || event.metaKey || event.altKey;
      if (isTaken || dialogs.store.getState().open.kind !== 'none') return;
      const key = event.key.toLowerCase();
      if (key === 'p') liveSession.setPaused(liveSession.store.getState().state === 'running');
      else if (key === 'l') onLarge();
      else if (key === 'm') liveSession.mark();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [dialogs, liveSession, onLarge]);
};

const Session = () => {
  const { t } = useI18n();
  const [isLarge, setIsLarge] = useState(false);
  const toggleLarge = useRef(() => setIsLarge((is) => !is)).current;
  useLiveShortcuts(toggleLarge);
  return (
    <>
      <Notices />
      <div className="flex min-h-0 flex-1 gap-6 max-lg:flex-col">
        <FollowedText label={t('live.words')} />
        <Marks />
      </div>
      <Controls onLarge={toggleLarge} />
      {isLarge && <LargeText onClose={() => setIsLarge(false)} />}
    </>
  );
};

const Notices = () => {
  const { liveSession } = useServices();
  const { t } = useI18n();
  const isConnected = useStore(liveSession.store, (each) => each.isConnected);
  const notice = useStore(liveSession.store, (each) => each.notice);
  if (isConnected && notice === undefined) return null;
  return (
    <div role="status" className="mb-3">
      <Callout tone="warn">
        {t(isConnected && notice !== undefined ? `live.notice.${notice}` : 'live.lost')}
      </Callout>
    </div>
  );
};

/** How near to its end a text counts as followed; pixels. */
const FOLLOW_PX = 48;

/** Scrolls with the words, unless somebody reads further up. */
const FollowedText = ({ label }: { label: string }) => {
  const { liveSession } = useServices();
  const region = useRef<HTMLElement>(null);
  const isFollowed = useRef(true);
  useEffect(
    () =>
      liveSession.store.subscribe(() => {
        const { current } = region;
        if (current !== null && isFollowed.current) current.scrollTop = current.scrollHeight;
      }),
    [liveSession],
  );
  return (
    <ScrollRegion
      label={label}
      ref={region}
      className="min-h-0 flex-1 overflow-y-auto pb-6"
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
        isFollowed.current = scrollHeight - scrollTop - clientHeight < FOLLOW_PX;
      }}
    >
      <LiveText />
    </ScrollRegion>
  );
};

const Controls = ({ onLarge }: { onLarge: () => void }) => {
  const { liveSession, router } = useServices();
  const { t } = useI18n();
  const state = useStore(liveSession.store, (each) => each.state);
  const seconds = useStore(liveSession.store, (each) => Math.floor(each.seconds));
  const levels = useStore(liveSession.store, (each) => each.levels);
  const isOn = useStore(liveSession.store, isListening);
  const [isConfirmingDiscard, setIsConfirmingDiscard] = useState(false);
  const finish = async () => {
    const id = await liveSession.finish();
    router.go(id === undefined ? { screen: 'library' } : { screen: 'transcript', param: id });
  };
  return (
    <section
      aria-label={t('live.controls')}
      className="mb-4 flex flex-wrap items-center gap-2 rounded-sheet border border-line bg-ground px-4 py-2.5"
    >
      <LevelMeter
        levels={levels}
        isPaused={state === 'paused'}
        className="h-9 w-44 justify-end max-sm:w-full"
      />
      <span role="timer" className="tnum ms-2 flex-1 text-lg font-semibold">
        {formatClock(seconds)}
        {!isOn && (
          <span className="ms-3 text-xs font-normal text-ink-2">
            {t(`live.state.${state === 'starting' ? 'starting' : 'finishing'}`)}
          </span>
        )}
        {state === 'paused' && (
          <span className="ms-3 text-xs font-normal text-ink-2">{t('record.paused')}</span>
        )}
      </span>
      <IconButton label={t('live.large')} hint="L" onClick={onLarge}>
        <Maximize2 size={16} aria-hidden />
      </IconButton>
      <Button variant="ghost" className="h-9" disabled={!isOn} onClick={() => setIsConfirmingDiscard(true)}>
        {t('record.discard')}
      </Button>
      <Button className="h-9" disabled={!isOn} onClick={() => liveSession.setPaused(state === 'running')}>
        {state === 'paused' ? <Mic size={16} aria-hidden /> : <Pause size={16} aria-hidden />}
        {t(state === 'paused' ? 'record.resume' : 'record.pause')}
        <Kbd>P</Kbd>
      </Button>
      <Button variant="primary" className="h-9" disabled={!isOn} onClick={() => void finish()}>
        <Square size={14} fill="currentColor" aria-hidden />
        {t('record.finish')}
      </Button>
      {isConfirmingDiscard && (
        <DiscardRecordingDialog
          onKeep={() => setIsConfirmingDiscard(false)}
          onDiscard={() => {
            liveSession.discard().catch(reportError);
            router.go({ screen: 'library' });
          }}
        />
      )}
    </section>
  );
};
