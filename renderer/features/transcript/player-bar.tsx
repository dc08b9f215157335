import { useQuery } from '@tanstack/react-query';
import { FastForward, Pause, Play, RotateCcw, RotateCw, Volume2, VolumeX } from 'lucide-react';
import { type KeyboardEvent, type PointerEvent, useCallback, useEffect, useRef } from 'react';
import { useStore } from 'zustand';
import { fetchPeaks } from '../../api/peaks.ts';
import { useI18n, useServices } from '../../app/services.tsx';
import { formatClock, formatNumber } from '../../lib/format.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { clipPathOf, Waveform } from '../../ui/waveform.tsx';
import { getTimeline } from './model/timeline.ts';
import { RATES } from './player.ts';
import { useReader } from './reader.tsx';

export const SEEK_STEP_SECONDS = 5;

/** Waveform and controls. Playback updates them through refs, without a render. */
export const PlayerBar = () => {
  const { player } = useReader();
  const { t } = useI18n();
  const state = useStore(player.store, (each) => each.state);
  return (
    <section
      aria-label={t('player.label')}
      className="rounded-sheet border border-line bg-ground px-4 pt-3.5 pb-2"
    >
      <WaveformSlider />
      <Controls />
      {state === 'failed' && (
        <p role="alert" className="pb-1 text-xs text-bad">
          {t('player.failed')}
        </p>
      )}
    </section>
  );
};

const useTimeline = () => {
  const { player, editor } = useReader();
  const transcript = useStore(editor.store, (state) => state.transcript);
  const played = useStore(player.store, (state) => state.duration);
  return getTimeline(transcript, played);
};

const usePeaks = (id: string, length: number) => {
  const { client } = useServices();
  return useQuery({
    queryKey: ['transcriptPeaks', id, length],
    queryFn: ({ signal }) => fetchPeaks(client, id, length, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
};

const WaveformSlider = () => {
  const { player, id, editor } = useReader();
  const { t } = useI18n();
  const length = useStore(editor.store, (state) => state.transcript?.duration ?? 0);
  const { from, to } = useTimeline();
  const slider = useRef<HTMLDivElement>(null);
  const played = useRef<HTMLCanvasElement>(null);
  const playhead = useRef<HTMLDivElement>(null);
  const peaks = usePeaks(id, length);

  const paint = useCallback(
    (seconds: number) => {
      const share = to > from ? Math.min(1, Math.max(0, seconds - from) / (to - from)) : 0;
      if (played.current !== null) played.current.style.clipPath = clipPathOf(0, share);
      if (playhead.current !== null) playhead.current.style.left = `${share * 100}%`;
      slider.current?.setAttribute('aria-valuenow', String(Math.round(seconds)));
      slider.current?.setAttribute('aria-valuetext', formatClock(seconds));
    },
    [from, to],
  );
  useEffect(() => {
    paint(player.time());
    return player.onTime(paint);
  }, [player, paint]);

  const seekTo = (event: PointerEvent) => {
    const area = slider.current?.getBoundingClientRect();
    if (area === undefined || to <= from) return;
    player.seek(from + Math.min(1, Math.max(0, (event.clientX - area.left) / area.width)) * (to - from));
  };
  const onKey = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -SEEK_STEP_SECONDS, ArrowRight: SEEK_STEP_SECONDS, PageDown: -30, PageUp: 30 }[
      event.key
    ];
    if (event.key === 'Home') player.seek(from);
    else if (event.key === 'End') player.seek(to);
    else if (by !== undefined) player.seekBy(by);
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
      className="relative h-16 cursor-pointer touch-none rounded-[4px]"
      onKeyDown={onKey}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        seekTo(event);
      }}
      onPointerMove={(event) => event.currentTarget.hasPointerCapture(event.pointerId) && seekTo(event)}
    >
      {peaks.data !== undefined ? (
        <Waveform peaks={peaks.data} from={0} to={0} playedRef={played} className="h-full" />
      ) : (
        <div className={peaks.isPending ? 'skeleton h-full' : 'h-full border-b border-line-2'} />
      )}
      <div ref={playhead} className="absolute -inset-y-1 -ml-px w-0.5 rounded-full bg-ink" aria-hidden />
    </div>
  );
};

const Controls = () => {
  const { player } = useReader();
  const { t } = useI18n();
  const { isPlaying, skipSilence } = useStore(player.store);
  return (
    <div className="mt-2 flex items-center gap-1.5">
      <button
        type="button"
        aria-label={isPlaying ? t('player.pause') : t('player.play')}
        onClick={player.toggle}
        className="grid size-[38px] shrink-0 place-items-center rounded-full bg-ink text-surface transition-transform active:scale-95"
      >
        {isPlaying ? (
          <Pause size={18} fill="currentColor" strokeWidth={0} aria-hidden />
        ) : (
          <Play size={18} fill="currentColor" strokeWidth={0} className="ml-0.5" aria-hidden />
        )}
      </button>
      <IconButton label={t('player.back')} hint="J" onClick={() => player.seekBy(-SEEK_STEP_SECONDS)}>
        <RotateCcw size={16} strokeWidth={1.75} aria-hidden />
      </IconButton>
      <IconButton label={t('player.forward')} hint="L" onClick={() => player.seekBy(SEEK_STEP_SECONDS)}>
        <RotateCw size={16} strokeWidth={1.75} aria-hidden />
      </IconButton>
      <PlaybackClock />
      <span className="flex-1" />
      <RateMenu />
      <Button
        variant="ghost"
        aria-pressed={skipSilence}
        className={skipSilence ? 'bg-sunken text-ink' : ''}
        onClick={() => player.setSkipSilence(!skipSilence)}
      >
        <FastForward size={16} strokeWidth={1.75} aria-hidden />
        <span className="sr-only sm:not-sr-only">{t('player.skipSilence')}</span>
      </Button>
      <VolumeControl />
    </div>
  );
};

const RateMenu = () => {
  const { player } = useReader();
  const { t, locale } = useI18n();
  const rate = useStore(player.store, (state) => state.rate);
  return (
    <Menu
      trigger={
        <Button
          variant="ghost"
          className="tnum"
          aria-label={t('player.rate', { rate: formatNumber(rate, locale, 2) })}
        >
          {formatNumber(rate, locale, 2)}×
        </Button>
      }
    >
      {RATES.map((each) => (
        <MenuItem key={each} checked={each === rate} onSelect={() => player.setRate(each)}>
          <span className="tnum">{formatNumber(each, locale, 2)}×</span>
        </MenuItem>
      ))}
    </Menu>
  );
};

const VolumeControl = () => {
  const { player } = useReader();
  const { t } = useI18n();
  const isMuted = useStore(player.store, (state) => state.isMuted);
  const volume = useStore(player.store, (state) => (state.isMuted ? 0 : state.volume));
  return (
    <span className="hidden items-center sm:flex">
      <IconButton
        label={isMuted ? t('player.unmute') : t('player.mute')}
        onClick={() => player.setMuted(!isMuted)}
      >
        {isMuted ? <VolumeX size={16} aria-hidden /> : <Volume2 size={16} strokeWidth={1.75} aria-hidden />}
      </IconButton>
      <input
        type="range"
        min={0}
        max={1}
        step={0.05}
        value={volume}
        aria-label={t('player.volume')}
        onChange={(event) => player.setVolume(Number(event.target.value))}
        className="w-20 accent-[var(--ink-2)]"
      />
    </span>
  );
};

const PlaybackClock = () => {
  const { player } = useReader();
  const now = useRef<HTMLElement>(null);
  const { to } = useTimeline();
  useEffect(() => {
    const show = (seconds: number) => {
      if (now.current !== null) now.current.textContent = formatClock(seconds);
    };
    show(player.time());
    return player.onTime(show);
  }, [player]);
  return (
    <span className="tnum ml-2 text-ink-2">
      <b ref={now} className="font-semibold text-ink">
        0:00
      </b>
      {` / ${formatClock(to)}`}
    </span>
  );
};
