import type { ReactNode } from 'react';
import { cx } from '../lib/classes.ts';

type TagProps = { children: ReactNode; tone?: 'plain' | 'good' | 'warn' | 'bad' };

export const Tag = ({ children, tone = 'plain' }: TagProps) => (
  <span
    className={cx(
      'inline-block rounded-full px-2 text-xs leading-5 whitespace-nowrap',
      tone === 'plain' && 'bg-sunken text-ink-2',
      tone === 'good' && 'bg-good-soft text-good',
      tone === 'warn' && 'bg-warn-soft text-warn',
      tone === 'bad' && 'bg-bad-soft text-bad',
    )}
  >
    {children}
  </span>
);

type ChipProps = { isOn: boolean; onClick: () => void; children: ReactNode; count?: string | undefined };

/** A toggle button in the shape of a pill. */
export const Chip = ({ isOn, onClick, children, count }: ChipProps) => (
  <button
    type="button"
    aria-pressed={isOn}
    onClick={onClick}
    className={cx(
      'inline-flex h-7 items-center gap-2 rounded-full border px-3 font-[550] whitespace-nowrap transition-colors',
      isOn ? 'border-ink bg-ink text-surface' : 'border-line text-ink-2 hover:border-line-2 hover:text-ink',
    )}
  >
    {children}
    {count !== undefined && <span className="tnum font-normal">{count}</span>}
  </button>
);
