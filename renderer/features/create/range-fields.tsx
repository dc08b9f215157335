import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from 'react';
import type { Range } from '../../domain/transcript-request.ts';
import { useI18n } from '../../hooks/services.tsx';
import { formatClock, parseClock } from '../../lib/format.ts';
import type { Peaks } from '../../lib/peaks.ts';
import { Waveform } from '../../ui/waveform.tsx';

type Props = {
  peaks: Peaks | undefined;
  /** Seconds; 0 while unknown. */
  duration: number;
  range: Range;
  onChange: (range: Range) => void;
  isPending: boolean;
};

/** Selects a range of the recording, on its waveform or as clock times. */
export const RangeFields = ({ peaks, duration, range, onChange, isPending }: Props) => {
  const { t } = useI18n();
  const to = range.to === 0 ? duration : range.to;
  const setRange = (from: number, end: number) =>
    onChange({ from: Math.max(0, from), to: duration > 0 && end >= duration - 0.01 ? 0 : end });
  return (
    <div className="mt-3">
      {isPending && <div className="skeleton mb-2.5 h-11" />}
      {duration > 0 && (
        <RangeWave peaks={peaks} duration={duration} from={range.from} to={to} onChange={setRange} />
      )}
      <div className="mt-2.5 flex flex-wrap items-center gap-2 text-ink-2">
        <span>{t('range.from')}</span>
        <ClockInput label={t('range.fromLabel')} value={range.from} onChange={(from) => setRange(from, to)} />
        <span>{t('range.to')}</span>
        <ClockInput
          label={t('range.toLabel')}
          value={to}
          placeholder={range.to === 0 && duration === 0 ? t('range.end') : undefined}
          onChange={(end) => setRange(range.from, end)}
        />
        <span className="flex-1" />
        {duration > 0 && (
          <span className="tnum">
            {t('range.of', { part: formatClock(to - range.from), whole: formatClock(duration) })}
          </span>
        )}
      </div>
      {range.to !== 0 && range.to <= range.from && (
        <p role="alert" className="mt-1.5 text-xs text-bad">
          {t('range.invalid')}
        </p>
      )}
    </div>
  );
};

type ClockInputProps = {
  label: string;
  value: number;
  placeholder?: string | undefined;
  onChange: (seconds: number) => void;
};

const ClockInput = ({ label, value, placeholder, onChange }: ClockInputProps) => {
  const shown = placeholder === undefined ? formatClock(value) : '';
  const [text, setText] = useState(shown);
  useEffect(() => setText(shown), [shown]);
  const finish = () => {
    const seconds = parseClock(text);
    if (seconds === undefined) setText(shown);
    else if (Math.abs(seconds - Math.floor(value)) >= 0.5) onChange(seconds);
  };
  return (
    <input
      aria-label={label}
      value={text}
      placeholder={placeholder}
      inputMode="numeric"
      onChange={(event) => setText(event.target.value)}
      onBlur={finish}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && !event.ctrlKey && !event.metaKey) {
          event.preventDefault();
          finish();
        }
      }}
      className="tnum h-7 w-[72px] rounded-ctl border border-line-2 bg-raised px-2 text-ink"
    />
  );
};

type WaveProps = {
  /** Undefined if only the duration is known. */
  peaks: Peaks | undefined;
  duration: number;
  from: number;
  to: number;
  onChange: (from: number, to: number) => void;
};

const RangeWave = ({ peaks, duration, from, to, onChange }: WaveProps) => {
  const { t } = useI18n();
  const box = useRef<HTMLDivElement>(null);
  const minLength = Math.min(1, duration / 20);
  const secondsAt = (event: PointerEvent) => {
    const area = box.current?.getBoundingClientRect();
    if (area === undefined) return 0;
    return Math.min(1, Math.max(0, (event.clientX - area.left) / area.width)) * duration;
  };
  const move = (edge: 'from' | 'to', seconds: number) => {
    if (edge === 'from') onChange(Math.min(Math.max(0, seconds), to - minLength), to);
    else onChange(from, Math.max(Math.min(duration, seconds), from + minLength));
  };
  return (
    <div
      ref={box}
      className="relative h-11 touch-none"
      onPointerDown={(event) => {
        if (event.target instanceof Element && event.target.closest('[role="slider"]') !== null) return;
        // A click beside the handles moves the nearer one.
        const seconds = secondsAt(event);
        move(Math.abs(seconds - from) <= Math.abs(seconds - to) ? 'from' : 'to', seconds);
      }}
    >
      {peaks === undefined ? (
        <RangeTrack from={from / duration} to={to / duration} />
      ) : (
        <Waveform peaks={peaks} from={from / duration} to={to / duration} className="h-full" />
      )}
      <Handle
        label={t('range.fromLabel')}
        at={from}
        duration={duration}
        onDrag={(event) => move('from', secondsAt(event))}
        onStep={(by) => move('from', from + by)}
        onEnd={(last) => move('from', last ? to : 0)}
      />
      <Handle
        label={t('range.toLabel')}
        at={to}
        duration={duration}
        onDrag={(event) => move('to', secondsAt(event))}
        onStep={(by) => move('to', to + by)}
        onEnd={(last) => move('to', last ? duration : from)}
      />
    </div>
  );
};

type HandleProps = {
  label: string;
  at: number;
  duration: number;
  onDrag: (event: PointerEvent) => void;
  onStep: (seconds: number) => void;
  /** Moves to the last or the first possible position. */
  onEnd: (last: boolean) => void;
};

/** Shows the range without a waveform. */
const RangeTrack = ({ from, to }: { from: number; to: number }) => (
  <div className="absolute inset-x-0 top-1/2 h-1 -translate-y-1/2 rounded-full bg-line-2" aria-hidden>
    <div
      className="absolute inset-y-0 rounded-full bg-accent"
      style={{ left: `${from * 100}%`, right: `${(1 - to) * 100}%` }}
    />
  </div>
);

const Handle = ({ label, at, duration, onDrag, onStep, onEnd }: HandleProps) => {
  const onKey = (event: KeyboardEvent) => {
    const step = event.shiftKey ? 10 : 1;
    if (event.key === 'ArrowLeft' || event.key === 'ArrowDown') onStep(-step);
    else if (event.key === 'ArrowRight' || event.key === 'ArrowUp') onStep(step);
    else if (event.key === 'Home' || event.key === 'End') onEnd(event.key === 'End');
    else return;
    event.preventDefault();
  };
  return (
    <div
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={Math.round(duration)}
      aria-valuenow={Math.round(at)}
      aria-valuetext={formatClock(at)}
      onKeyDown={onKey}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={(event) => event.currentTarget.hasPointerCapture(event.pointerId) && onDrag(event)}
      className="absolute inset-y-0 -ms-1 w-2 cursor-ew-resize rounded-full bg-ink before:absolute before:-inset-x-2 before:inset-y-0"
      style={{ left: `${(at / duration) * 100}%` }}
    />
  );
};
