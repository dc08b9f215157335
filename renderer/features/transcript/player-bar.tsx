import { FastForward, Pause, Play, RotateCcw, RotateCw, Volume2, VolumeX } from 'lucide-react';
import { type KeyboardEvent, type PointerEvent, useCallback, useEffect, useRef } from 'react';
import { useStore } from 'zustand';
import { loadLoudness } from '../../api/peaks.ts';
import { useI18n, useServices } from '../../app/services.tsx';
import { clock, number } from '../../lib/format.ts';
import { useLoaded } from '../../lib/use-loaded.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { clipOf, Wave } from '../../ui/wave.tsx';
import { timelineOf } from './model/timeline.ts';
import { RATES } from './player.ts';
import { useReader } from './reader.tsx';

export const STEP_SECONDS = 5;

/** Waveform and controls. The playing time moves them by hand, without a render. */
export const PlayerBar = () => {
  const { player } = useReader();
  const { t } = useI18n();
  const state = useStore(player.store, (each) => each.state);
  return (
    <section
      aria-label={t('player.label')}
      className="rounded-sheet border border-line bg-ground px-4 pt-3.5 pb-2"
    >
      <Timeline />
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
  const { player, transcripts } = useReader();
  const transcript = useStore(transcripts.store, (state) => state.transcript);
  const played = useStore(player.store, (state) => state.duration);
  return timelineOf(transcript, played);
};

const Timeline = () => {
  const { player, id, transcripts } = useReader();
  const { client } = useServices();
  const { t } = useI18n();
  const length = useStore(transcripts.store, (state) => state.transcript?.duration ?? 0);
  const { from, to } = useTimeline();
  const box = useRef<HTMLDivElement>(null);
  const lit = useRef<HTMLCanvasElement>(null);
  const head = useRef<HTMLDivElement>(null);
  const load = useCallback(
    (signal: AbortSignal) => loadLoudness(client, id, length, signal),
    [client, id, length],
  );
  const { loaded } = useLoaded(load);

  const paint = useCallback(
    (seconds: number) => {
      const share = to > from ? Math.min(1, Math.max(0, seconds - from) / (to - from)) : 0;
      if (lit.current !== null) lit.current.style.clipPath = clipOf(0, share);
      if (head.current !== null) head.current.style.left = `${share * 100}%`;
      box.current?.setAttribute('aria-valuenow', String(Math.round(seconds)));
      box.current?.setAttribute('aria-valuetext', clock(seconds));
    },
    [from, to],
  );
  useEffect(() => {
    paint(player.time());
    return player.onTime(paint);
  }, [player, paint]);

  const seekTo = (event: PointerEvent) => {
    const area = box.current?.getBoundingClientRect();
    if (area === undefined || to <= from) return;
    player.seek(from + Math.min(1, Math.max(0, (event.clientX - area.left) / area.width)) * (to - from));
  };
  const onKey = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -STEP_SECONDS, ArrowRight: STEP_SECONDS, PageDown: -30, PageUp: 30 }[event.key];
    if (event.key === 'Home') player.seek(from);
    else if (event.key === 'End') player.seek(to);
    else if (by !== undefined) player.jump(by);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div
      ref={box}
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
      {loaded.state === 'ready' ? (
        <Wave peaks={loaded.value} from={0} to={0} litRef={lit} className="h-full" />
      ) : (
        <div className={loaded.state === 'loading' ? 'skeleton h-full' : 'h-full border-b border-line-2'} />
      )}
      <div ref={head} className="absolute -inset-y-1 -ml-px w-0.5 rounded-full bg-ink" aria-hidden />
    </div>
  );
};

const Controls = () => {
  const { player } = useReader();
  const { t, locale } = useI18n();
  const { playing, rate, volume, skipSilence } = useStore(player.store);
  return (
    <div className="mt-2 flex items-center gap-1.5">
      <button
        type="button"
        aria-label={playing ? t('player.pause') : t('player.play')}
        onClick={player.toggle}
        className="grid size-[38px] shrink-0 place-items-center rounded-full bg-ink text-surface transition-transform active:scale-95"
      >
        {playing ? (
          <Pause size={18} fill="currentColor" strokeWidth={0} aria-hidden />
        ) : (
          <Play size={18} fill="currentColor" strokeWidth={0} className="ml-0.5" aria-hidden />
        )}
      </button>
      <IconButton label={t('player.back')} hint="J" onClick={() => player.jump(-STEP_SECONDS)}>
        <RotateCcw size={16} strokeWidth={1.75} aria-hidden />
      </IconButton>
      <IconButton label={t('player.on')} hint="L" onClick={() => player.jump(STEP_SECONDS)}>
        <RotateCw size={16} strokeWidth={1.75} aria-hidden />
      </IconButton>
      <Clock />
      <span className="flex-1" />
      <Menu
        trigger={
          <Button
            look="ghost"
            className="tnum"
            aria-label={t('player.rate', { rate: number(rate, locale, 2) })}
          >
            {number(rate, locale, 2)}×
          </Button>
        }
      >
        {RATES.map((each) => (
          <MenuItem key={each} checked={each === rate} onSelect={() => player.setRate(each)}>
            <span className="tnum">{number(each, locale, 2)}×</span>
          </MenuItem>
        ))}
      </Menu>
      <Button
        look="ghost"
        aria-pressed={skipSilence}
        className={skipSilence ? 'bg-sunken text-ink' : ''}
        onClick={() => player.setSkipSilence(!skipSilence)}
      >
        <FastForward size={16} strokeWidth={1.75} aria-hidden />
        <span className="hidden sm:inline">{t('player.skipSilence')}</span>
      </Button>
      <span className="hidden items-center sm:flex">
        <IconButton
          label={volume === 0 ? t('player.unmute') : t('player.mute')}
          onClick={() => player.setVolume(volume === 0 ? 1 : 0)}
        >
          {volume === 0 ? (
            <VolumeX size={16} aria-hidden />
          ) : (
            <Volume2 size={16} strokeWidth={1.75} aria-hidden />
          )}
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
    </div>
  );
};

const Clock = () => {
  const { player } = useReader();
  const now = useRef<HTMLElement>(null);
  const { to } = useTimeline();
  useEffect(() => {
    const show = (seconds: number) => {
      if (now.current !== null) now.current.textContent = clock(seconds);
    };
    show(player.time());
    return player.onTime(show);
  }, [player]);
  return (
    <span className="tnum ml-2 text-ink-2">
      <b ref={now} className="font-semibold text-ink">
        0:00
      </b>
      {` / ${clock(to)}`}
    </span>
  );
};
