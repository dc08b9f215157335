import type { ReactNode } from 'react';
import { cx } from '../lib/classes.ts';
import { speakerColor } from '../lib/speakers.ts';

export const Tag = ({
  children,
  tone = 'plain',
}: {
  children: ReactNode;
  tone?: 'plain' | 'good' | 'warn' | 'bad';
}) => (
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

/** How far something is: a thin bar; `value` 0 to 1, undefined while it is not known. */
export const ProgressBar = ({
  value,
  label,
  className,
}: {
  value: number | undefined;
  label: string;
  className?: string;
}) => (
  <div
    role="progressbar"
    aria-label={label}
    aria-valuemin={0}
    aria-valuemax={100}
    {...(value === undefined ? {} : { 'aria-valuenow': Math.round(value * 100) })}
    className={cx('h-1 overflow-hidden rounded-full bg-sunken', className)}
  >
    <div
      className="h-full rounded-full bg-accent transition-[width] duration-(--slow)"
      style={{ width: `${Math.min(1, Math.max(0, value ?? 0)) * 100}%` }}
    />
  </div>
);

/** The voices of a recording as small overlapping discs, in their colours. */
export const SpeakerAvatars = ({ names, label }: { names: readonly string[]; label: string }) => {
  const shown = names.slice(0, names.length > 5 ? 4 : 5);
  return (
    <span className="inline-flex" role="img" aria-label={label}>
      {shown.map((_, index) => {
        const letter = String.fromCharCode(65 + index);
        return (
          <Avatar key={letter} colour={speakerColor(index)} first={index === 0}>
            {letter}
          </Avatar>
        );
      })}
      {names.length > shown.length && (
        <Avatar colour="var(--ink-2)" first={false}>
          +{names.length - shown.length}
        </Avatar>
      )}
    </span>
  );
};

const Avatar = ({ colour, first, children }: { colour: string; first: boolean; children: ReactNode }) => (
  <i
    aria-hidden
    className={cx(
      'size-[22px] rounded-full text-center text-[10px] leading-5 font-semibold not-italic',
      !first && '-ms-[5px]',
    )}
    style={{
      color: `color-mix(in oklab, ${colour} 82%, var(--ink))`,
      background: `color-mix(in oklab, ${colour} 14%, var(--surface))`,
      border: `1px solid color-mix(in oklab, ${colour} 30%, var(--surface))`,
    }}
  >
    {children}
  </i>
);

type EmptyStateProps = {
  icon?: ReactNode;
  title: string;
  text?: ReactNode;
  children?: ReactNode;
  role?: 'alert' | 'status';
};

/** A calm page for what is empty, missing or broken: what it is, and the way on. */
export const EmptyState = ({ icon, title, text, children, role }: EmptyStateProps) => (
  <div
    {...(role === undefined ? {} : { role })}
    className="mx-auto flex max-w-[460px] flex-col items-center px-4 py-14 text-center"
  >
    {icon !== undefined && <div className="mb-4 text-ink-3">{icon}</div>}
    <h2 className="font-serif text-lg font-semibold">{title}</h2>
    {text !== undefined && <p className="mt-1.5 text-ink-2">{text}</p>}
    {children !== undefined && <div className="mt-5 flex flex-wrap justify-center gap-2">{children}</div>}
  </div>
);

/** A quiet box that explains or warns beside the work. */
export const Callout = ({
  tone,
  children,
  action,
}: {
  tone: 'plain' | 'warn' | 'bad' | 'good';
  children: ReactNode;
  action?: ReactNode;
}) => (
  <div
    className={cx(
      'flex items-start gap-3 rounded-box px-3.5 py-2.5',
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
