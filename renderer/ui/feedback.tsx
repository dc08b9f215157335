import type { ReactNode } from 'react';
import { cx } from '../lib/classes.ts';

type ProgressBarProps = {
  /** 0 to 1; undefined while unknown. */
  value: number | undefined;
  label: string;
  className?: string;
};

export const ProgressBar = ({ value, label, className }: ProgressBarProps) => (
  <div
    role="progressbar"
    aria-label={label}
    aria-valuemin={0}
    aria-valuemax={100}
    aria-valuenow={value === undefined ? undefined : Math.round(value * 100)}
    className={cx('h-1 overflow-hidden rounded-full bg-sunken', className)}
  >
    <div
      className="h-full rounded-full bg-accent transition-[width] duration-(--slow)"
      style={{ width: `${Math.min(1, Math.max(0, value ?? 0)) * 100}%` }}
    />
  </div>
);

type EmptyStateProps = {
  icon?: ReactNode;
  title: string;
  text?: ReactNode;
  /** What the user can do next, as buttons. */
  children?: ReactNode;
  role?: 'alert' | 'status';
  /** Its title is the page's. */
  isPage?: boolean;
};

/** Stands in for content that is empty, missing or failed to load. */
export const EmptyState = ({ icon, title, text, children, role, isPage = false }: EmptyStateProps) => {
  const Heading = isPage ? 'h1' : 'h2';
  return (
    <div role={role} className="mx-auto flex max-w-[460px] flex-col items-center px-4 py-14 text-center">
      {icon !== undefined && <div className="mb-4 text-ink-3">{icon}</div>}
      <Heading className="font-serif text-lg font-semibold">{title}</Heading>
      {text !== undefined && <p className="mt-1.5 text-ink-2">{text}</p>}
      {children !== undefined && <div className="mt-5 flex flex-wrap justify-center gap-2">{children}</div>}
    </div>
  );
};

type CalloutProps = { tone: 'plain' | 'warn' | 'bad' | 'good'; children: ReactNode; action?: ReactNode };

/** A box that explains or warns beside the content. */
export const Callout = ({ tone, children, action }: CalloutProps) => (
  <div
    className={cx(
      'flex items-start gap-x-3 gap-y-1 rounded-box px-3.5 py-2.5',
      action !== undefined && 'max-sm:flex-col',
      tone === 'plain' && 'bg-sunken text-ink-2',
      tone === 'warn' && 'bg-warn-soft text-warn',
      tone === 'bad' && 'bg-bad-soft text-bad',
      tone === 'good' && 'bg-good-soft text-good',
    )}
  >
    <div className="min-w-0 flex-1">{children}</div>
    {action}
  </div>
);

const SKELETON_WIDTHS = [46, 62, 38, 54, 70, 42];

/** Placeholder rows while content loads; screen readers announce `label`. */
export const SkeletonRows = ({ label, rows = 4 }: { label: string; rows?: number }) => (
  <div role="status" aria-label={label} data-loading>
    {SKELETON_WIDTHS.slice(0, rows).map((width) => (
      <div key={width} className="border-b border-line py-4 last:border-0">
        <span className="skeleton block h-3.5" style={{ width: `${width}%` }} />
        <span className="skeleton mt-2.5 block h-2.5 w-1/4" />
      </div>
    ))}
  </div>
);
