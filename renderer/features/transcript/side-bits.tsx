import type { ReactNode } from 'react';
import { useI18n } from '../../app/services.tsx';
import { clock } from '../../lib/format.ts';
import { lastAtOrBefore } from './model/document.ts';
import { useReader } from './reader.tsx';

export const SideHeading = ({ children }: { children: ReactNode }) => (
  <h2 className="mt-[22px] mb-2.5 text-xs font-semibold text-ink-3">{children}</h2>
);

/** A time that plays what was said there. */
export const TimeLink = ({ seconds }: { seconds: number }) => {
  const { player, transcripts, reveal } = useReader();
  const { t } = useI18n();
  return (
    <button
      type="button"
      aria-label={t('transcript.playFrom', { time: clock(seconds) })}
      className="tnum rounded-[3px] font-mono text-2xs text-ink-3 hover:text-accent-text hover:underline"
      onClick={() => {
        player.seek(seconds);
        player.play();
        const { doc } = transcripts.store.getState();
        if (doc !== undefined) reveal.current(Math.max(0, lastAtOrBefore(doc.starts, seconds + 0.05)));
      }}
    >
      {clock(seconds)}
    </button>
  );
};

/** Says that an analysis was not asked for. */
export const NotAsked = ({ children }: { children: ReactNode }) => (
  <p className="mt-5 text-ink-2">{children}</p>
);
