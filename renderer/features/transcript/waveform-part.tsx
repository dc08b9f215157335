import { useQuery } from '@tanstack/react-query';
import { type PointerEvent, type ReactNode, type RefObject, useCallback, useEffect, useRef } from 'react';
import { useStore } from 'zustand';
import { fetchPeaks } from '../../api/peaks.ts';
import { useServices } from '../../hooks/services.tsx';
import { cx } from '../../lib/classes.ts';
import type { Peaks } from '../../lib/peaks.ts';
import { clipPathOf, Waveform } from '../../ui/waveform.tsx';
import type { Range } from './model/borders.ts';
import { nearestWordAt } from './model/document.ts';
import { getTimeline } from './model/timeline.ts';
import { useReader } from './reader.tsx';
import { SpeakerTurns } from './speaker-turns.tsx';

export const useTimeline = () => {
  const { player, editor } = useReader();
  const transcript = useStore(editor.store, (state) => state.transcript);
  const played = useStore(player.store, (state) => state.duration);
  return getTimeline(transcript, played);
};

/** The peaks of the whole recording. */
export const usePeaks = (id: string, length: number) => {
  const { client } = useServices();
  const { editor } = useReader();
  // With each redaction another copy of the sound is drawn.
  const bleeps = useStore(editor.store, (state) => state.transcript?.redaction_report?.spans);
  return useQuery({
    queryKey: ['transcriptPeaks', id, length, bleeps],
    queryFn: ({ signal }) => fetchPeaks(client, id, length, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
};

/** Where a second lies in a range, from 0 to 1. */
export const shareOf = (seconds: number, { from, to }: Range) =>
  to > from ? Math.min(1, Math.max(0, seconds - from) / (to - from)) : 0;

/** Moves playback and brings the text along. */
export const useSeek = () => {
  const { player, editor, view, reveal } = useReader();
  return useCallback(
    (seconds: number) => {
      player.seek(seconds);
      view.setState({ isFollowing: true });
      const { doc } = editor.store.getState();
      if (doc !== undefined) reveal.current(nearestWordAt(doc, player.time()));
    },
    [player, editor, view, reveal],
  );
};

/** A press or drag on an element seeks within its range. */
export const usePointerSeek = (element: RefObject<HTMLElement | null>, { from, to }: Range) => {
  const seek = useSeek();
  const seekTo = (event: PointerEvent) => {
    const area = element.current?.getBoundingClientRect();
    if (area === undefined || to <= from) return;
    seek(from + Math.min(1, Math.max(0, (event.clientX - area.left) / area.width)) * (to - from));
  };
  return {
    onPointerDown: (event: PointerEvent) => {
      event.currentTarget.setPointerCapture(event.pointerId);
      seekTo(event);
    },
    onPointerMove: (event: PointerEvent) => {
      if (event.currentTarget.hasPointerCapture(event.pointerId)) seekTo(event);
    },
  };
};

/** Moves the played part and the playhead without a render. */
export const usePlayhead = (range: Range) => {
  const { player } = useReader();
  const played = useRef<HTMLCanvasElement>(null);
  const playhead = useRef<HTMLDivElement>(null);
  const { from, to } = range;
  useEffect(() => {
    const paint = (seconds: number) => {
      const share = shareOf(seconds, { from, to });
      if (played.current !== null) played.current.style.clipPath = clipPathOf(0, share);
      if (playhead.current !== null) playhead.current.style.left = `${share * 100}%`;
    };
    paint(player.time());
    return player.onTime(paint);
  }, [player, from, to]);
  return { played, playhead };
};

export const PLAYHEAD = 'playhead absolute -inset-y-1 -ml-px w-0.5 rounded-full bg-ink';

type WaveformPartProps = { peaks: Peaks; range: Range; className?: string; children?: ReactNode };

/** A part of the waveform, with the turns and the playhead; a press on it seeks. */
export const WaveformPart = ({ peaks, range, className, children }: WaveformPartProps) => {
  const area = useRef<HTMLDivElement>(null);
  const { played, playhead } = usePlayhead(range);
  const pointer = usePointerSeek(area, range);
  return (
    <div ref={area} className={cx('relative cursor-pointer touch-none', className)} {...pointer}>
      <Waveform peaks={peaks} from={0} to={0} playedRef={played} className="h-full" />
      <SpeakerTurns from={range.from} to={range.to} />
      <div ref={playhead} className={PLAYHEAD} aria-hidden />
      {children}
    </div>
  );
};
