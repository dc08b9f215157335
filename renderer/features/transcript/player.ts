import { createStore } from 'zustand/vanilla';
import type { SignedUrl } from '../../api/session.ts';

type PlayerState = {
  readonly state: 'empty' | 'loading' | 'ready' | 'failed';
  /** Why it failed: the recording is not stored any more. */
  readonly isGone: boolean;
  readonly isPlaying: boolean;
  /** Seconds; 0 while unknown. */
  readonly duration: number;
  readonly rate: number;
  /** From 0 to 1; kept while muted. */
  readonly volume: number;
  readonly isMuted: boolean;
  readonly skipSilence: boolean;
};

/** A silence gap, which `skipSilence` skips. */
export type SilenceGap = { readonly from: number; readonly to: number };

export const SEEK_STEP_SECONDS = 5;

export const RATES = [0.5, 0.75, 1, 1.25, 1.5, 1.75, 2, 2.5, 3] as const;

/**
 * Plays the audio of a transcript; all times are seconds on the transcript's timeline. The time is not in the store,
 * so that playback causes no renders: `onTime` listeners are called once per frame and at every seek.
 */
export const createPlayer = (initial: Pick<PlayerState, 'rate' | 'volume' | 'isMuted' | 'skipSilence'>) => {
  const audio = new Audio();
  audio.preload = 'metadata';
  const store = createStore<PlayerState>(() => ({
    state: 'empty',
    isGone: false,
    isPlaying: false,
    duration: 0,
    ...initial,
  }));
  const listeners = new Set<(seconds: number) => void>();
  let source: SignedUrl | undefined;
  let fetchUrl: (() => Promise<SignedUrl>) | undefined;
  let gaps: readonly SilenceGap[] = [];
  // Start of the audio on the transcript's timeline: only a range may have been downloaded.
  let offset = 0;
  // The transcribed range of the recording, which playback stays in.
  let range = { from: 0, to: Number.POSITIVE_INFINITY };
  let frame = 0;
  let stopAt: number | undefined;
  let pendingSeek: number | undefined;

  const time = () => pendingSeek ?? (audio.readyState === 0 ? range.from : audio.currentTime + offset);
  const moveTo = (seconds: number) => {
    audio.currentTime = Math.max(0, seconds - offset);
  };
  const applyVolume = () => {
    const { volume, isMuted } = store.getState();
    audio.volume = volume;
    audio.muted = isMuted;
  };
  const notifyListeners = () => {
    for (const listener of listeners) listener(time());
  };
  const skipGap = () => {
    if (!store.getState().skipSilence) return;
    const now = time();
    const gap = gaps.find((each) => now > each.from && now < each.to);
    if (gap !== undefined) moveTo(gap.to);
  };
  const tick = () => {
    if (time() >= (stopAt ?? range.to)) {
      stopAt = undefined;
      audio.pause();
    }
    skipGap();
    notifyListeners();
    if (!audio.paused) frame = requestAnimationFrame(tick);
  };

  audio.addEventListener('loadedmetadata', () => {
    audio.playbackRate = store.getState().rate;
    applyVolume();
    const begin = pendingSeek ?? range.from;
    if (begin > offset) moveTo(begin);
    pendingSeek = undefined;
    store.setState({ state: 'ready', duration: Number.isFinite(audio.duration) ? audio.duration : 0 });
    notifyListeners();
  });
  audio.addEventListener('durationchange', () => {
    if (Number.isFinite(audio.duration)) store.setState({ duration: audio.duration });
  });
  const play = async () => {
    if (time() >= range.to) moveTo(range.from);
    try {
      await audio.play();
    } catch (error) {
      // A pause right after play rejects the promise of play.
      if (error instanceof DOMException && error.name === 'AbortError') return;
      store.setState({ state: 'failed', isPlaying: false });
    }
  };
  const fail = async () => {
    store.setState({ state: 'failed', isPlaying: false });
    if (source === undefined) return;
    // An audio element does not say which answer it got.
    const answer = await fetch(source.url, { headers: { range: 'bytes=0-0' } }).catch(() => undefined);
    await answer?.body?.cancel();
    if (answer?.status === 404) store.setState({ isGone: true });
  };
  const open = async () => {
    if (fetchUrl === undefined) return;
    store.setState({ state: 'loading' });
    try {
      source = await fetchUrl();
      // A new source drops the events that wait, `play` among them, and ends playback without one: it begins again.
      const isWanted = !audio.paused;
      audio.pause();
      audio.src = source.url;
      if (isWanted) void play();
    } catch (error) {
      console.info('The audio could not be opened.', error instanceof Error ? error.name : '');
      store.setState({ state: 'failed' });
    }
  };

  audio.addEventListener('error', () => {
    if (audio.getAttribute('src') === null) return;
    // The signed URL has expired: fetch another one and continue.
    if (source !== undefined && source.expiresAt < Date.now()) {
      pendingSeek = time();
      source = undefined;
      void open();
    } else void fail();
  });
  audio.addEventListener('play', () => {
    store.setState({ isPlaying: true });
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(tick);
  });
  audio.addEventListener('pause', () => {
    store.setState({ isPlaying: false });
    notifyListeners();
  });
  audio.addEventListener('seeked', notifyListeners);

  const seek = (seconds: number) => {
    const { duration } = store.getState();
    const end = Math.min(range.to, duration > 0 ? offset + duration : range.to);
    const to = Math.max(range.from, Math.min(seconds, end));
    stopAt = undefined;
    if (audio.readyState === 0) pendingSeek = to;
    else moveTo(to);
    notifyListeners();
  };

  return {
    store,
    time,
    seek,
    onTime: (listener: (seconds: number) => void) => {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    open: (from: () => Promise<SignedUrl>) => {
      fetchUrl = from;
      void open();
    },
    /** Sets the start of the audio and the transcribed range. */
    setTimeline: (begin: number, from: number, to: number) => {
      offset = begin;
      range = { from, to };
      if (audio.readyState > 0 && time() < from) moveTo(from);
      notifyListeners();
    },
    setGaps: (next: readonly SilenceGap[]) => {
      gaps = next;
    },
    play: () => void play(),
    pause: () => audio.pause(),
    toggle: () => (audio.paused ? void play() : audio.pause()),
    /** Plays a range and stops at its end. */
    playRange: (from: number, to: number) => {
      seek(from);
      stopAt = to;
      void play();
    },
    seekBy: (seconds: number) => seek(time() + seconds),
    setRate: (rate: number) => {
      audio.playbackRate = rate;
      store.setState({ rate });
    },
    /** 0 mutes, so that `setMuted(false)` brings the last audible volume back. */
    setVolume: (volume: number) => {
      store.setState(volume === 0 ? { isMuted: true } : { volume, isMuted: false });
      applyVolume();
    },
    setMuted: (isMuted: boolean) => {
      store.setState({ isMuted });
      applyVolume();
    },
    setSkipSilence: (skipSilence: boolean) => store.setState({ skipSilence }),
    close: () => {
      cancelAnimationFrame(frame);
      audio.pause();
      audio.removeAttribute('src');
      audio.load();
      listeners.clear();
    },
  };
};
export type Player = ReturnType<typeof createPlayer>;
