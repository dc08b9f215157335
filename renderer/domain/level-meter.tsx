import { cx } from '../lib/classes.ts';
import { LEVEL_COUNT } from '../stores/recording.ts';

const BARS = Array.from({ length: LEVEL_COUNT }, (_, index) => `bar-${index}`);

/** Below this nothing is heard but the room. */
const SILENT = 0.02;

type Props = {
  /** The latest levels, 0 to 1, oldest first. */
  levels: readonly number[];
  isPaused: boolean;
  className?: string;
};

/** How loud the microphone was a moment ago. */
export const LevelMeter = ({ levels, isPaused, className }: Props) => (
  <div className={cx('flex items-center gap-[3px] overflow-hidden rounded-box', className)} aria-hidden>
    {BARS.map((bar, index) => {
      const level = levels[index - (LEVEL_COUNT - levels.length)] ?? 0;
      return (
        <i
          key={bar}
          className="w-[3px] shrink-0 rounded-full bg-accent"
          style={{ height: `max(4px, ${level * 100}%)`, opacity: level < SILENT || isPaused ? 0.25 : 1 }}
        />
      );
    })}
  </div>
);
