import { Sparkles } from 'lucide-react';
import type { ReactNode } from 'react';
import { useStore } from 'zustand';
import { useI18n } from '../../hooks/services.tsx';
import { formatClock } from '../../lib/format.ts';
import { Button } from '../../ui/button.tsx';
import { lastAtOrBefore } from './model/document.ts';
import { useReader } from './reader.tsx';

export const SideHeading = ({ children }: { children: ReactNode }) => (
  <h2 className="mt-[22px] mb-2.5 text-xs font-semibold text-ink-3">{children}</h2>
);

/** Goes to a word of the text, from the side panel. */
export const useGoToWord = () => {
  const { editor, player, reveal, view } = useReader();
  return (word: number) => {
    const start = editor.store.getState().doc?.words[word]?.start;
    if (start === undefined) return;
    view.setState({ isSidePanelOpen: false });
    player.seek(start);
    reveal.current(word);
  };
};

/** A name, phrase or topic that goes to its next place in the text. */
export const PlaceChip = ({ onClick, children }: { onClick: () => void; children: ReactNode }) => (
  <button
    type="button"
    onClick={onClick}
    className="rounded-full bg-sunken px-2.5 text-xs leading-6 text-ink-2 hover:text-ink"
  >
    {children}
  </button>
);

/** A time in the recording that starts playback there. */
export const TimeLink = ({ seconds }: { seconds: number }) => {
  const { player, editor, reveal, view } = useReader();
  const { t } = useI18n();
  return (
    <button
      type="button"
      aria-label={t('transcript.playFrom', { time: formatClock(seconds) })}
      className="tnum rounded-[3px] font-mono text-2xs text-ink-3 hover:text-accent-text hover:underline"
      onClick={() => {
        view.setState({ isSidePanelOpen: false, isFollowing: true });
        player.seek(seconds);
        player.play();
        const { doc } = editor.store.getState();
        if (doc !== undefined) reveal.current(Math.max(0, lastAtOrBefore(doc.starts, seconds + 0.05)));
      }}
    >
      {formatClock(seconds)}
    </button>
  );
};

/** Shown for an analysis that was not requested, with a button to request it. */
export const NotRequested = ({ children }: { children: ReactNode }) => {
  const { view, editor } = useReader();
  const { t } = useI18n();
  const isCompleted = useStore(editor.store, (state) => state.transcript?.status === 'completed');
  return (
    <>
      <p className="mt-5 text-ink-2">{children}</p>
      {isCompleted && (
        <Button className="mt-3" onClick={() => view.setState({ isAnalyzing: true, isSidePanelOpen: false })}>
          <Sparkles size={14} aria-hidden />
          {t('analyze.open')}
        </Button>
      )}
    </>
  );
};
