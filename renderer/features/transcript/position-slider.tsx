import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import { useStore } from 'zustand';
import { LONG_SECONDS } from '../../api/peaks.ts';
import { useI18n } from '../../hooks/services.tsx';
import { cx } from '../../lib/classes.ts';
import { formatClock } from '../../lib/format.ts';
import type { Peaks } from '../../lib/peaks.ts';
import { Waveform } from '../../ui/waveform.tsx';
import type { Range } from './model/borders.ts';
import { SEEK_STEP_SECONDS } from './player.ts';
import { useReader } from './reader.tsx';
import { SpeakerTurns } from './speaker-turns.tsx';
import { TimingPanel } from './timing-panel.tsx';
import {
  PLAYHEAD,
  shareOf,
  usePeaks,
  usePlayhead,
  usePointerSeek,
  useSeek,
  useTimeline,
  WaveformPart,
} from './waveform-part.tsx';

/** Seconds that the detail shows. */
export const ZOOM_SECONDS = [600, 120, 30] as const;

/** The position in the recording: a waveform, and above it the detail around the position where it is long. */
export const PositionSlider = () => {
  const { id, editor, view } = useReader();
  const timed = useStore(view, (state) => state.timed);
  const length = useStore(editor.store, (state) => state.transcript?.duration ?? 0);
  const range = useTimeline();
  const { data: peaks, isPending } = usePeaks(id, length);
  const isLong = range.to - range.from > LONG_SECONDS;
  return (
    <>
      {timed !== undefined && <TimingPanel timed={timed} whole={range} peaks={peaks} />}
      {timed === undefined && isLong && peaks !== undefined && <Detail peaks={peaks} whole={range} />}
      {timed === undefined && isLong && isPending && <DetailPlaceholder />}
      <Overview peaks={peaks} isPending={isPending} range={range} isLong={isLong} />
    </>
  );
};

type OverviewProps = { peaks: Peaks | undefined; isPending: boolean; range: Range; isLong: boolean };

const Overview = ({ peaks, isPending, range, isLong }: OverviewProps) => {
  const { player, view } = useReader();
  const { t } = useI18n();
  const slider = useRef<HTMLDivElement>(null);
  const { played, playhead } = usePlayhead(range);
  const pointer = usePointerSeek(slider, range);
  const seek = useSeek();
  const { from, to } = range;

  useEffect(() => {
    const show = (seconds: number) => {
      slider.current?.setAttribute('aria-valuenow', String(Math.round(seconds)));
      slider.current?.setAttribute('aria-valuetext', formatClock(seconds));
    };
    show(player.time());
    return player.onTime(show);
  }, [player]);

  const zoomBy = (by: number) => {
    const zoom = view.getState().zoom + by;
    if (ZOOM_SECONDS[zoom] !== undefined) view.setState({ zoom });
  };
  const onKey = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -SEEK_STEP_SECONDS, ArrowRight: SEEK_STEP_SECONDS, PageDown: -30, PageUp: 30 }[
      event.key
    ];
    if (event.key === 'Home') seek(from);
    else if (event.key === 'End') seek(to);
    else if (by !== undefined) seek(player.time() + by);
    else if (event.key === '+') zoomBy(1);
    else if (event.key === '-') zoomBy(-1);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div
      ref={slider}
      role="slider"
      tabIndex={0}
      aria-label={t('player.position')}
      aria-valuemin={Math.round(from)}
      aria-valuemax={Math.round(to)}
      aria-valuenow={Math.round(from)}
      className={cx('relative cursor-pointer touch-none rounded-[4px]', isLong ? 'h-7' : 'h-16 short:h-7')}
      onKeyDown={onKey}
      {...pointer}
    >
      {peaks !== undefined ? (
        <Waveform peaks={peaks} from={0} to={0} playedRef={played} className="h-full" />
      ) : (
        <div className={isPending ? 'skeleton h-full' : 'h-full border-b border-line-2'} />
      )}
      <SpeakerTurns from={from} to={to} />
      <div ref={playhead} className={PLAYHEAD} aria-hidden />
    </div>
  );
};

/** Begin of the page of `span` seconds that shows a time; it stays while the time is on it. */
const usePage = ({ from, to }: Range, span: number): Range => {
  const { player } = useReader();
  const [begin, setBegin] = useState(from);
  const shown = Math.max(from, Math.min(begin, to - span));
  useEffect(() => {
    const turn = (seconds: number) =>
      setBegin((now) => (seconds >= now && seconds < now + span ? now : seconds - span / 10));
    turn(player.time());
    return player.onTime(turn);
  }, [player, span]);
  return { from: shown, to: Math.min(to, shown + span) };
};

/** As high as the detail, so that nothing moves when the peaks arrive. */
const DetailPlaceholder = () => (
  <div aria-hidden className="mb-2 short:hidden">
    <div className="skeleton h-14" />
    <div className="mt-1 h-[1lh] font-mono text-2xs" />
  </div>
);

/** A part of a long recording around the position; the slider below it has the whole. */
const Detail = ({ peaks, whole }: { peaks: Peaks; whole: Range }) => {
  const { view } = useReader();
  const zoom = useStore(view, (state) => state.zoom);
  const page = usePage(whole, ZOOM_SECONDS[zoom] ?? ZOOM_SECONDS[0]);
  const [first, last] = [shareOf(page.from, whole), shareOf(page.to, whole)];
  const shown = useMemo(
    () => peaks.subarray(Math.floor(first * peaks.length), Math.ceil(last * peaks.length)),
    [peaks, first, last],
  );
  return (
    <div aria-hidden className="mb-2 short:hidden" data-detail>
      <WaveformPart peaks={shown} range={page} className="h-14" />
      <div className="tnum mt-1 flex justify-between font-mono text-2xs text-ink-3">
        <span>{formatClock(page.from)}</span>
        <span>{formatClock(page.to)}</span>
      </div>
      <div className="relative h-0">
        <div
          className="window absolute top-1 h-9 rounded-[4px] border border-line-2 bg-sunken"
          style={{ left: `${first * 100}%`, width: `max(4px, ${(last - first) * 100}%)` }}
        />
      </div>
    </div>
  );
};
