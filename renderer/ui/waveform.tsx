import { type Ref, useEffect, useRef } from 'react';
import { cx } from '../lib/classes.ts';
import { normalizePeaks, type Peaks, resamplePeaks } from '../lib/peaks.ts';

const BAR_WIDTH = 3;
const BAR_GAP = 1.5;

const drawBars = (canvas: HTMLCanvasElement, peaks: Peaks, color: string) => {
  const { clientWidth: width, clientHeight: height } = canvas;
  const pixelRatio = window.devicePixelRatio;
  canvas.width = Math.round(width * pixelRatio);
  canvas.height = Math.round(height * pixelRatio);
  const context = canvas.getContext('2d');
  if (context === null || width === 0) return;
  context.scale(pixelRatio, pixelRatio);
  context.fillStyle = color;
  const count = Math.max(1, Math.floor((width + BAR_GAP) / (BAR_WIDTH + BAR_GAP)));
  const bars = normalizePeaks(resamplePeaks(peaks, count));
  context.beginPath();
  bars.forEach((peak, index) => {
    const barHeight = Math.max(2.5, peak * height);
    context.roundRect(
      index * (BAR_WIDTH + BAR_GAP),
      (height - barHeight) / 2,
      BAR_WIDTH,
      barHeight,
      BAR_WIDTH / 2,
    );
  });
  context.fill();
};

/** Resolves a CSS variable, because a canvas takes no variables. */
const themeColor = (element: HTMLElement, name: string) =>
  getComputedStyle(element).getPropertyValue(name).trim();

type WaveformProps = {
  peaks: Peaks;
  /** The played part as fractions from 0 to 1; `playedRef` lets a caller move it without a render. */
  from: number;
  to: number;
  playedRef?: Ref<HTMLCanvasElement>;
  className?: string;
};

export const clipPathOf = (from: number, to: number) => `inset(-8px ${(1 - to) * 100}% -8px ${from * 100}%)`;

/**
 * A waveform in two layers, dim and played. Both are drawn once; the played part is a moving clip of the second
 * layer, so that playback and dragging draw nothing.
 */
export const Waveform = ({ peaks, from, to, playedRef, className }: WaveformProps) => {
  const container = useRef<HTMLDivElement>(null);

  useEffect(() => {
    const element = container.current;
    if (element === null) return;
    const draw = () => {
      const [dim, played] = element.querySelectorAll('canvas');
      if (dim !== undefined) drawBars(dim, peaks, themeColor(element, '--wave'));
      if (played !== undefined) drawBars(played, peaks, themeColor(element, '--wave-played'));
    };
    const resize = new ResizeObserver(draw);
    resize.observe(element);
    const theme = new MutationObserver(draw);
    theme.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    return () => {
      resize.disconnect();
      theme.disconnect();
    };
  }, [peaks]);

  return (
    <div ref={container} aria-hidden className={cx('relative', className)}>
      <canvas className="absolute inset-0 size-full" />
      <canvas
        ref={playedRef}
        className="absolute inset-0 size-full"
        style={{ clipPath: clipPathOf(from, to) }}
      />
    </div>
  );
};
