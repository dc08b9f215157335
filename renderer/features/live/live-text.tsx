import type { ReactNode } from 'react';
import { useStore } from 'zustand';
import type { RealtimeWord } from '../../../electron/contract/realtime.ts';
import { useI18n, useServices } from '../../hooks/services.tsx';
import { cx } from '../../lib/classes.ts';
import { formatClock } from '../../lib/format.ts';

const textOf = (words: readonly RealtimeWord[]): string => words.map(({ word }) => word).join(' ');

/** The turns so far, and the open one: what may still change is quieter. */
export const LiveText = ({ isLarge = false }: { isLarge?: boolean }) => {
  const { liveSession } = useServices();
  const { t } = useI18n();
  const turns = useStore(liveSession.store, (each) => each.turns);
  const committed = useStore(liveSession.store, (each) => each.committed);
  const tentative = useStore(liveSession.store, (each) => each.tentative);
  const isEmpty = turns.length === 0 && committed.length === 0 && tentative.length === 0;
  return (
    <>
      {isEmpty && <p className="font-serif text-ink-3">{t('live.waiting')}</p>}
      {turns.map(({ start, text, language }) => (
        <Turn key={start} start={isLarge ? undefined : start} language={language}>
          {text}
        </Turn>
      ))}
      {committed.length + tentative.length > 0 && (
        <Turn
          start={isLarge ? undefined : (committed[0] ?? tentative[0])?.start}
          language={(committed[0] ?? tentative[0])?.language ?? null}
        >
          {textOf(committed)} <span className="text-ink-3">{textOf(tentative)}</span>
        </Turn>
      )}
      {!isLarge && (
        <p role="log" className="sr-only">
          {textOf(committed)}
        </p>
      )}
    </>
  );
};

type TurnProps = {
  /** Seconds; undefined in large text, which leaves it out. */
  start: number | undefined;
  language: string | null;
  children: ReactNode;
};

const Turn = ({ start, language, children }: TurnProps) => (
  <div
    className={cx(
      'mb-3 flex items-baseline gap-4',
      start === undefined
        ? 'text-[clamp(40px,5.5vw,96px)] leading-[1.25]'
        : 'max-w-[760px] text-lg leading-relaxed',
    )}
  >
    {start !== undefined && (
      <span className="tnum w-12 shrink-0 text-xs text-ink-3">{formatClock(start)}</span>
    )}
    <p lang={language ?? undefined} className="min-w-0 font-serif">
      {children}
    </p>
  </div>
);
