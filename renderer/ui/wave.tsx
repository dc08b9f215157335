import { type Ref, useEffect, useRef } from 'react';
import { cx } from '../lib/classes.ts';
import { bucketPeaks, type Loudness, normalisePeaks } from '../lib/peaks.ts';

const BAR = 3;
const GAP = 1.5;

const drawBars = (canvas: HTMLCanvasElement, peaks: Loudness, colour: string) => {
  const { clientWidth: width, clientHeight: height } = canvas;
  const ratio = window.devicePixelRatio;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const paper = canvas.getContext('2d');
  if (paper === null || width === 0) return;
  paper.scale(ratio, ratio);
  paper.fillStyle = colour;
  const count = Math.max(1, Math.floor((width + GAP) / (BAR + GAP)));
  const bars = normalisePeaks(bucketPeaks(peaks, count));
  paper.beginPath();
  bars.forEach((peak, index) => {
    const tall = Math.max(2.5, peak * height);
    paper.roundRect(index * (BAR + GAP), (height - tall) / 2, BAR, tall, BAR / 2);
  });
  paper.fill();
};

/** A colour of the theme around an element, as the canvas needs it. */
const themeColour = (element: HTMLElement, name: string) =>
  getComputedStyle(element).getPropertyValue(name).trim();

type WaveProps = {
  peaks: Loudness;
  /** The lit part, as fractions of the whole. The style of the lit layer can also be moved by hand. */
  from: number;
  to: number;
  litRef?: Ref<HTMLCanvasElement>;
  className?: string;
};

export const clipOf = (from: number, to: number) => `inset(-8px ${(1 - to) * 100}% -8px ${from * 100}%)`;

/**
 * A waveform in two layers, dim and lit. Both are drawn once; what is lit is only a clip that moves, so that
 * playing and dragging draw nothing.
 */
export const Wave = ({ peaks, from, to, litRef, className }: WaveProps) => {
  const box = useRef<HTMLDivElement>(null);

  useEffect(() => {
    const holder = box.current;
    if (holder === null) return;
    const draw = () => {
      const [dim, lit] = holder.querySelectorAll('canvas');
      if (dim !== undefined) drawBars(dim, peaks, themeColour(holder, '--wave'));
      if (lit !== undefined) drawBars(lit, peaks, themeColour(holder, '--accent'));
    };
    const resize = new ResizeObserver(draw);
    resize.observe(holder);
    const theme = new MutationObserver(draw);
    theme.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    return () => {
      resize.disconnect();
      theme.disconnect();
    };
  }, [peaks]);

  return (
    <div ref={box} aria-hidden className={cx('relative', className)}>
      <canvas className="absolute inset-0 size-full" />
      <canvas ref={litRef} className="absolute inset-0 size-full" style={{ clipPath: clipOf(from, to) }} />
    </div>
  );
};
