import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { ChevronLeft, ChevronRight, Play, X } from 'lucide-react';
import { useEffect, useId, useMemo, useRef, useState } from 'react';
import { useStore } from 'zustand';
import type { Subtitle } from '../../../electron/contract/exports.ts';
import { fetchPeaksPart } from '../../api/peaks.ts';
import { useI18n, useServices } from '../../hooks/services.tsx';
import { formatPreciseClock } from '../../lib/format.ts';
import type { Peaks } from '../../lib/peaks.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { SegmentedControl } from '../../ui/segmented-control.tsx';
import { BorderHandle } from './border-handle.tsx';
import {
  marksOf,
  type Range,
  type Side,
  subtitleOf,
  subtitleTarget,
  type Target,
  wordTarget,
} from './model/borders.ts';
import { closeTimes, type TimedWord, useReader } from './reader.tsx';
import { TimingLane } from './timing-lane.tsx';
import { type BorderDraft, type Draft, useBorderDraft } from './use-border-draft.ts';
import { shareOf, WaveformPart } from './waveform-part.tsx';

const SIDES: readonly Side[] = ['start', 'end'];
/** Seconds around the word whose subtitles are fetched. */
const SUBTITLE_REACH = 30;
/** Seconds that are shown at least. */
const LEAST_SECONDS = { word: 3, subtitle: 6 } as const;

/** The subtitles around a word, as they are exported by default. */
const useSubtitles = ({ word, kind }: TimedWord) => {
  const { id, editor } = useReader();
  const { client } = useServices();
  const start = useStore(editor.store, ({ doc }) => doc?.words[word]?.start ?? 0);
  const edits = useStore(editor.store, ({ transcript }) => transcript?.edits);
  const query = {
    from: Math.max(0, Math.floor(start) - SUBTITLE_REACH),
    to: Math.ceil(start) + SUBTITLE_REACH,
  };
  const { data, isPlaceholderData } = useQuery({
    queryKey: ['transcriptSubtitles', id, query, edits?.undo?.id, edits?.redo?.id],
    queryFn: async ({ signal }) =>
      (await client.call('getSubtitles', { params: { id }, query, signal })).data.subtitles,
    enabled: kind === 'subtitle',
    placeholderData: keepPreviousData,
  });
  return kind === 'subtitle'
    ? { subtitles: data, isFresh: !isPlaceholderData }
    : { subtitles: undefined, isFresh: true };
};

/** What the borders belong to; undefined while it is not known. */
const useTarget = (timed: TimedWord, whole: Range, subtitles: readonly Subtitle[] | undefined) => {
  const { editor } = useReader();
  const doc = useStore(editor.store, (state) => state.doc);
  const transcript = useStore(editor.store, (state) => state.transcript);
  return useMemo((): Target | undefined => {
    if (doc === undefined || transcript === undefined) return undefined;
    if (timed.kind === 'word') return wordTarget(transcript, doc, timed.word, whole);
    const subtitle = subtitles && subtitleOf(subtitles, doc, timed.word);
    return subtitle && subtitleTarget(transcript, doc, subtitle, whole);
  }, [doc, transcript, timed, whole, subtitles]);
};

const rangeAround = ({ kind, start, end }: Target, whole: Range): Range => {
  const length = Math.min(whole.to - whole.from, Math.max(LEAST_SECONDS[kind], (end - start) * 1.6));
  const from = Math.max(whole.from, Math.min((start + end - length) / 2, whole.to - length));
  const rounded = Math.round(from * 100) / 100;
  return { from: rounded, to: rounded + length };
};

/** The part that is shown: it stays while a border is moved, as long as both are on it. */
const useShownRange = (target: Target | undefined, whole: Range): Range | undefined => {
  const [shown, setShown] = useState<{ readonly key: string; readonly range: Range }>();
  const key = target && `${target.kind} ${target.words.start}`;
  const isInside = target && shown && target.start >= shown.range.from && target.end <= shown.range.to;
  if (target !== undefined && key !== undefined && (shown?.key !== key || isInside !== true)) {
    const next = { key, range: rangeAround(target, whole) };
    if (shown?.key !== key || shown.range.from !== next.range.from || shown.range.to !== next.range.to)
      setShown(next);
  }
  return shown?.range;
};

/** The peaks of a part: in detail, and until these are there, those that are known. */
const usePartPeaks = (range: Range | undefined, whole: Range, peaks: Peaks | undefined): Peaks => {
  const { id } = useReader();
  const { client } = useServices();
  const { data } = useQuery({
    queryKey: ['transcriptPeaks', id, 'part', range?.from, range?.to],
    queryFn: ({ signal }) => fetchPeaksPart(client, id, range ?? whole, signal),
    enabled: range !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return useMemo(() => {
    if (data !== undefined) return data;
    if (range === undefined || peaks === undefined) return new Float32Array(1);
    const place = (seconds: number) => shareOf(seconds, whole) * peaks.length;
    return peaks.slice(Math.floor(place(range.from)), Math.max(1, Math.ceil(place(range.to))));
  }, [data, peaks, range, whole]);
};

/** A word or a subtitle with the border that is being moved. */
const withDraft = (target: Target, draft: Draft | undefined): Target =>
  draft === undefined || draft.target.words.start !== target.words.start || draft.target.kind !== target.kind
    ? target
    : { ...target, [draft.side]: draft.value };

type Panel = { readonly timed: TimedWord; readonly target: Target | undefined };

/** Chooses the word or subtitle before or after. */
const StepButtons = ({ timed, target }: Panel) => {
  const { view, editor } = useReader();
  const { t } = useI18n();
  const count = useStore(editor.store, ({ doc }) => doc?.words.length ?? 0);
  const before = (target?.words.start ?? timed.word) - 1;
  const after = (target?.words.end ?? timed.word) + 1;
  const choose = (word: number) => view.setState({ timed: { ...timed, word } });
  return (
    <>
      <IconButton
        label={t(`timing.${timed.kind}.previous`)}
        disabled={before < 0}
        onClick={() => choose(before)}
      >
        <ChevronLeft size={16} aria-hidden />
      </IconButton>
      <IconButton
        label={t(`timing.${timed.kind}.next`)}
        disabled={after >= count}
        onClick={() => choose(after)}
      >
        <ChevronRight size={16} aria-hidden />
      </IconButton>
    </>
  );
};

/** Lets a subtitle that has times of its own follow the words again. */
const AutomaticButton = ({ target, borders }: { target: Target; borders: BorderDraft }) => {
  const { editor } = useReader();
  const { t } = useI18n();
  const transcript = useStore(editor.store, (state) => state.transcript);
  const doc = useStore(editor.store, (state) => state.doc);
  if (target.kind === 'word' || transcript === undefined || doc === undefined) return null;
  const own = SIDES.filter((side) => marksOf(transcript, doc, target.words[side])[side] !== undefined);
  if (own.length === 0) return null;
  return (
    <Button variant="ghost" title={t('timing.auto.title')} onClick={() => void borders.reset(target, own)}>
      {t('timing.auto')}
    </Button>
  );
};

type HeaderProps = Panel & { borders: BorderDraft; play: () => void; close: () => void };

const Header = ({ timed, target, borders, play, close }: HeaderProps) => {
  const { view } = useReader();
  const { t } = useI18n();
  return (
    <div className="mb-2 flex flex-wrap items-center gap-x-2 gap-y-1">
      <SegmentedControl
        label={t('timing.kind')}
        value={timed.kind}
        choices={[
          { value: 'word', label: t('timing.word') },
          { value: 'subtitle', label: t('timing.subtitle') },
        ]}
        onChange={(kind) => view.setState({ timed: { ...timed, kind } })}
      />
      {target !== undefined && (
        <p className="flex min-w-0 flex-1 basis-40 items-baseline gap-2">
          <span className="min-w-0 truncate font-serif">{target.text}</span>
          <span className="tnum shrink-0 font-mono text-2xs text-ink-2" data-times>
            {formatPreciseClock(target.start)} – {formatPreciseClock(target.end)}
          </span>
        </p>
      )}
      <span className="ml-auto flex items-center">
        {target !== undefined && <AutomaticButton target={target} borders={borders} />}
        <IconButton
          label={t(`timing.${timed.kind}.play`)}
          hint="↵"
          disabled={target === undefined}
          onClick={play}
        >
          <Play size={15} aria-hidden />
        </IconButton>
        <StepButtons timed={timed} target={target} />
        <IconButton label={t('common.close')} hint="Esc" onClick={close}>
          <X size={16} aria-hidden />
        </IconButton>
      </span>
    </div>
  );
};

type TimingPanelProps = { timed: TimedWord; whole: Range; peaks: Peaks | undefined };

/** The waveform around a word, enlarged, with the borders of the word or of its subtitle to be moved. */
export const TimingPanel = ({ timed, whole, peaks }: TimingPanelProps) => {
  const reader = useReader();
  const { t } = useI18n();
  const hint = useId();
  const area = useRef<HTMLDivElement>(null);
  const { subtitles, isFresh } = useSubtitles(timed);
  const borders = useBorderDraft(isFresh);
  const stored = useTarget(timed, whole, subtitles);
  const target = stored && withDraft(stored, borders.draft);
  const range = useShownRange(stored, whole);
  const shown = usePartPeaks(range, whole, peaks);
  const close = () => closeTimes(reader);
  const isKnown = stored !== undefined;
  const wasFocused = useRef(false);

  // Arrow keys adjust as soon as it opens.
  useEffect(() => {
    if (!isKnown || wasFocused.current) return;
    wasFocused.current = true;
    area.current?.querySelector<HTMLElement>('[data-border]')?.focus();
  }, [isKnown]);

  const play = () => {
    if (target !== undefined) reader.player.playRange(target.start, target.end);
  };
  return (
    <section aria-label={t('timing.title')} className="mb-3" data-timing>
      <Header timed={timed} target={target} borders={borders} play={play} close={close} />
      {stored !== undefined && target !== undefined && range !== undefined ? (
        <div ref={area} data-waveform>
          <WaveformPart peaks={shown} range={range} className="h-24">
            <div
              aria-hidden
              className="timed-part pointer-events-none absolute inset-y-0 border-accent bg-accent/15"
              style={{
                left: `${shareOf(target.start, range) * 100}%`,
                right: `${(1 - shareOf(target.end, range)) * 100}%`,
              }}
            />
            {SIDES.map((side) => (
              <BorderHandle
                key={side}
                target={stored}
                side={side}
                range={range}
                area={area}
                borders={borders}
                describedBy={hint}
                onPlay={play}
                onClose={close}
              />
            ))}
          </WaveformPart>
          <TimingLane timed={timed} target={target} range={range} subtitles={subtitles} />
        </div>
      ) : (
        <div className="h-24" />
      )}
      <p id={hint} className="mt-1 text-2xs text-ink-3">
        {subtitles !== undefined && stored === undefined ? t('timing.none') : t('timing.hint')}
      </p>
    </section>
  );
};
