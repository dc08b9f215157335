import { X } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { useStore } from 'zustand';
import { useI18n, useServices } from '../../hooks/services.tsx';
import { IconButton } from '../../ui/button.tsx';
import { LiveText } from './live-text.tsx';

/** The words over the whole screen, to be read from across a room. Ends with Esc. */
export const LargeText = ({ onClose }: { onClose: () => void }) => {
  const { liveSession } = useServices();
  const { t } = useI18n();
  const view = useRef<HTMLDialogElement>(null);
  const text = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const { current } = view;
    current?.showModal();
    window.earshot?.setOnTop(true);
    // A browser that refuses shows it in its window.
    current?.requestFullscreen?.().catch(() => {});
    const onChange = () => {
      if (document.fullscreenElement === null) onClose();
    };
    document.addEventListener('fullscreenchange', onChange);
    return () => {
      window.earshot?.setOnTop(false);
      document.removeEventListener('fullscreenchange', onChange);
      if (document.fullscreenElement !== null) document.exitFullscreen().catch(() => {});
    };
  }, [onClose]);
  useEffect(() => {
    const follow = () => {
      if (text.current !== null) text.current.scrollTop = text.current.scrollHeight;
    };
    follow();
    return liveSession.store.subscribe(() => requestAnimationFrame(follow));
  }, [liveSession]);
  const isPaused = useStore(liveSession.store, ({ state }) => state === 'paused');
  return (
    <dialog
      ref={view}
      aria-label={t('live.large')}
      onClose={onClose}
      // In full screen a browser may keep Esc from the dialog.
      onKeyDown={({ key }) => key === 'Escape' && onClose()}
      className="m-0 flex h-full max-h-none w-full max-w-none flex-col bg-surface p-[4vw] text-ink"
    >
      <div ref={text} className="flex min-h-0 flex-1 flex-col overflow-hidden">
        <div className="mt-auto">
          <LiveText isLarge />
        </div>
      </div>
      {isPaused && <p className="text-lg text-ink-2">{t('record.paused')}</p>}
      <IconButton label={t('common.close')} hint="Esc" className="absolute top-4 end-4" onClick={onClose}>
        <X size={20} aria-hidden />
      </IconButton>
    </dialog>
  );
};
