import {
  FastForward,
  Pause,
  Play,
  RotateCcw,
  RotateCw,
  Volume2,
  VolumeX,
  ZoomIn,
  ZoomOut,
} from 'lucide-react';
import { useEffect, useRef } from 'react';
import { useStore } from 'zustand';
import { LONG_SECONDS } from '../../api/peaks.ts';
import { useI18n } from '../../hooks/services.tsx';
import { formatClock, formatNumber } from '../../lib/format.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { shownEnd } from './model/timeline.ts';
import { RATES, SEEK_STEP_SECONDS } from './player.ts';
import { PositionSlider, ZOOM_SECONDS } from './position-slider.tsx';
import { useReader } from './reader.tsx';
import { useTimeline } from './waveform-part.tsx';

/** Waveform and controls. Playback updates them through refs, without a render. */
export const PlayerBar = () => {
  const { player } = useReader();
  const { t } = useI18n();
  const state = useStore(player.store, (each) => each.state);
  const isGone = useStore(player.store, (each) => each.isGone);
  return (
    <section
      aria-label={t('player.label')}
      className="relative rounded-sheet border border-line bg-ground px-4 pt-3.5 pb-2 short:pt-2 short:pb-1"
    >
      <PositionSlider />
      <Controls />
      {state === 'failed' && (
        // Over the waveform: the text below does not move while a person selects in it.
        <p
          role="alert"
          className="pointer-events-none absolute top-2 left-6 max-w-[calc(100%-40px)] rounded-box bg-bad-soft px-2 py-0.5 text-xs text-bad"
        >
          {t(isGone ? 'player.gone' : 'player.failed')}
        </p>
      )}
    </section>
  );
};

const Controls = () => {
  const { player } = useReader();
  const { t } = useI18n();
  const { isPlaying, skipSilence } = useStore(player.store);
  return (
    <div className="mt-2 flex items-center gap-1.5 short:mt-1">
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
      <ZoomButtons />
      <RateMenu />
      <Button
        variant="ghost"
        aria-pressed={skipSilence}
        title={t('player.skipSilence')}
        className={skipSilence ? 'bg-sunken text-ink' : ''}
        onClick={() => player.setSkipSilence(!skipSilence)}
      >
        <FastForward size={16} strokeWidth={1.75} aria-hidden />
        <span className="sr-only sm:not-sr-only sm:whitespace-nowrap md:sr-only lg:not-sr-only lg:whitespace-nowrap">
          {t('player.skipSilence')}
        </span>
      </Button>
      <VolumeControl />
    </div>
  );
};

/** The zoom of the detail of a long recording. */
const ZoomButtons = () => {
  const { view } = useReader();
  const { t } = useI18n();
  const zoom = useStore(view, (state) => state.zoom);
  const { from, to } = useTimeline();
  if (to - from <= LONG_SECONDS) return null;
  return (
    <span className="hidden items-center sm:flex">
      <IconButton
        label={t('player.zoomOut')}
        hint="−"
        disabled={zoom === 0}
        onClick={() => view.setState({ zoom: zoom - 1 })}
      >
        <ZoomOut size={16} strokeWidth={1.75} aria-hidden />
      </IconButton>
      <IconButton
        label={t('player.zoomIn')}
        hint="+"
        disabled={zoom === ZOOM_SECONDS.length - 1}
        onClick={() => view.setState({ zoom: zoom + 1 })}
      >
        <ZoomIn size={16} strokeWidth={1.75} aria-hidden />
      </IconButton>
    </span>
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
  const { player, editor } = useReader();
  const now = useRef<HTMLElement>(null);
  const transcript = useStore(editor.store, (state) => state.transcript);
  const end = shownEnd(transcript, useTimeline());
  useEffect(() => {
    const show = (seconds: number) => {
      if (now.current !== null) now.current.textContent = formatClock(seconds);
    };
    show(player.time());
    return player.onTime(show);
  }, [player]);
  return (
    <span className="tnum ml-2 whitespace-nowrap text-ink-2">
      <b ref={now} className="font-semibold text-ink">
        0:00
      </b>
      {` / ${formatClock(end)}`}
    </span>
  );
};
