import type { ReactNode } from 'react';
import { speakerColor, speakerInitial } from '../domain/speakers.ts';
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

const MAX_AVATARS = 5;

/** The speakers of a recording as overlapping avatars in their colors; the rest of a long list becomes a number. */
export const SpeakerAvatars = ({ names, label }: { names: readonly string[]; label: string }) => {
  const shown = names.slice(0, names.length > MAX_AVATARS ? MAX_AVATARS - 1 : MAX_AVATARS);
  return (
    <span className="inline-flex" role="img" aria-label={label}>
      {shown.map((name, index) => {
        const color = speakerColor(index);
        return (
          <Avatar key={color} color={color} isFirst={index === 0}>
            {speakerInitial(name)}
          </Avatar>
        );
      })}
      {names.length > shown.length && (
        <Avatar color="var(--ink-2)" isFirst={false}>
          +{names.length - shown.length}
        </Avatar>
      )}
    </span>
  );
};

type AvatarProps = { color: string; isFirst: boolean; children: ReactNode };

const Avatar = ({ color, isFirst, children }: AvatarProps) => (
  <i
    aria-hidden
    className={cx(
      'size-[22px] rounded-full text-center text-[10px] leading-5 font-semibold not-italic',
      !isFirst && '-ms-[5px]',
    )}
    style={{
      color: `color-mix(in oklab, ${color} 82%, var(--ink))`,
      background: `color-mix(in oklab, ${color} 14%, var(--surface))`,
      border: `1px solid color-mix(in oklab, ${color} 30%, var(--surface))`,
    }}
  >
    {children}
  </i>
);
