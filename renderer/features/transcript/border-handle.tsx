import { type KeyboardEvent, type PointerEvent, type RefObject, useRef } from 'react';
import { useI18n } from '../../hooks/services.tsx';
import { cx } from '../../lib/classes.ts';
import { formatSpokenTime } from '../../lib/format.ts';
import type { Range, Side, Target } from './model/borders.ts';
import type { BorderDraft } from './use-border-draft.ts';
import { shareOf } from './waveform-part.tsx';

const STEP_SECONDS = 0.01;

type Props = {
  target: Target;
  side: Side;
  /** The part of the recording that `area` shows. */
  range: Range;
  area: RefObject<HTMLElement | null>;
  borders: BorderDraft;
  describedBy: string;
  onPlay: () => void;
  onClose: () => void;
};

const stepOf = ({ key, shiftKey }: KeyboardEvent): number | undefined => {
  const large = STEP_SECONDS * 10;
  const small = shiftKey ? large : STEP_SECONDS;
  const steps: Record<string, number> = {
    ArrowLeft: -small,
    ArrowDown: -small,
    ArrowRight: small,
    ArrowUp: small,
    PageDown: -large,
    PageUp: large,
  };
  return steps[key];
};

/** The keys of a border: arrows move it, Enter plays, Escape takes back and then closes. */
const useKeys = ({ target, side, borders, onPlay, onClose }: Props, value: number) => {
  const act = (event: KeyboardEvent): boolean => {
    const step = stepOf(event);
    const { from, to } = target.limits[side];
    const isUndo = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'z' && !event.shiftKey;
    // What is not saved yet is not in the history.
    if (isUndo) return borders.cancel();
    if (event.ctrlKey || event.metaKey || event.altKey) return false;
    if (step !== undefined) borders.move(target, side, value + step, true);
    else if (event.key === 'Home') borders.move(target, side, from, true);
    else if (event.key === 'End') borders.move(target, side, to, true);
    else if (event.key === 'Enter' || event.key === ' ') {
      borders.save();
      onPlay();
    } else if (event.key === 'Escape') {
      if (!borders.cancel()) onClose();
    } else return false;
    return true;
  };
  return (event: KeyboardEvent) => {
    if (!act(event)) return;
    event.preventDefault();
    event.stopPropagation();
  };
};

/** A drag keeps the distance between pointer and border at which it began. */
const useDrag = ({ target, side, range, area, borders }: Props, value: number) => {
  const distance = useRef<number>(undefined);
  const timeOf = (event: PointerEvent): number => {
    const box = area.current?.getBoundingClientRect();
    if (box === undefined || box.width === 0) return value;
    return range.from + ((event.clientX - box.left) / box.width) * (range.to - range.from);
  };
  const end = () => {
    distance.current = undefined;
  };
  return {
    onPointerDown: (event: PointerEvent) => {
      // The waveform below would seek.
      event.stopPropagation();
      if (event.button !== 0) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      distance.current = timeOf(event) - value;
    },
    onPointerMove: (event: PointerEvent) => {
      event.stopPropagation();
      if (distance.current !== undefined) borders.move(target, side, timeOf(event) - distance.current, false);
    },
    onPointerUp: (event: PointerEvent) => {
      event.stopPropagation();
      end();
      borders.save();
    },
    onPointerCancel: () => {
      end();
      borders.cancel();
    },
    isDragging: () => distance.current !== undefined,
    endDrag: end,
  };
};

/** A border on the waveform, as a slider: by pointer, touch or keyboard. */
export const BorderHandle = (props: Props) => {
  const { target, side, range, borders, describedBy } = props;
  const { t, locale } = useI18n();
  const { draft } = borders;
  const value =
    draft?.side === side && draft.target.words.start === target.words.start ? draft.value : target[side];
  const onKeyDown = useKeys(props, value);
  const { isDragging, endDrag, ...drag } = useDrag(props, value);
  const { from, to } = target.limits[side];
  const share = shareOf(value, range);
  return (
    <div
      role="slider"
      tabIndex={0}
      aria-label={t(`timing.${target.kind}.${side}`, { text: target.text })}
      aria-orientation="horizontal"
      aria-valuemin={from}
      aria-valuemax={to}
      aria-valuenow={value}
      aria-valuetext={formatSpokenTime(value, locale)}
      aria-describedby={describedBy}
      data-border={side}
      style={{ left: `${share * 100}%` }}
      className={cx(
        'group/border absolute inset-y-0 z-10 w-7 cursor-ew-resize touch-none',
        side === 'start' && '-translate-x-full',
      )}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && isDragging()) endDrag();
        onKeyDown(event);
      }}
      onBlur={borders.save}
      {...drag}
    >
      <span
        aria-hidden
        className={cx(
          'handle-line absolute inset-y-0 w-0.5 bg-accent',
          side === 'start' ? 'right-0' : 'left-0',
        )}
      />
      <span
        aria-hidden
        className={cx(
          'handle-grip absolute top-1/2 h-7 w-2.5 -translate-y-1/2 bg-accent group-hover/border:bg-accent-hover',
          side === 'start' ? 'right-0 rounded-l-[5px]' : 'left-0 rounded-r-[5px]',
        )}
      />
    </div>
  );
};
