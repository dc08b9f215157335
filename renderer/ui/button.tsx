import { Slot } from 'radix-ui';
import type { ComponentProps, ReactNode } from 'react';
import { cx } from '../lib/classes.ts';
import { Tooltip } from './tooltip.tsx';

export type ButtonVariant = 'primary' | 'secondary' | 'ghost' | 'danger' | 'link';

const VARIANTS: Readonly<Record<ButtonVariant, string>> = {
  primary: 'h-8 px-3 bg-accent text-accent-ink hover:bg-accent-hover',
  secondary: 'h-8 px-3 bg-raised border border-line-2 shadow-low hover:bg-ground text-ink',
  ghost: 'h-8 px-2.5 text-ink-2 hover:bg-sunken hover:text-ink',
  danger: 'h-8 px-3 bg-bad-soft text-bad hover:brightness-95',
  link: 'text-accent-text underline underline-offset-[3px] font-medium hover:no-underline',
};

type ButtonProps = ComponentProps<'button'> & { variant?: ButtonVariant; asChild?: boolean };

export const Button = ({ variant = 'secondary', asChild = false, className, ...rest }: ButtonProps) => {
  const Part = asChild ? Slot.Root : 'button';
  return (
    <Part
      type={asChild ? undefined : 'button'}
      className={cx(
        'inline-flex items-center gap-2 rounded-ctl font-[550] whitespace-nowrap transition-[background,transform,filter]',
        'active:scale-[.98] disabled:opacity-45 disabled:active:scale-100',
        VARIANTS[variant],
        className,
      )}
      {...rest}
    />
  );
};

type IconButtonProps = Omit<ComponentProps<'button'>, 'aria-label'> & {
  label: string;
  hint?: string;
  pressed?: boolean;
  children: ReactNode;
};

/** A square icon button; its label is the accessible name and the tooltip. */
export const IconButton = ({ label, hint, pressed, className, children, ...rest }: IconButtonProps) => (
  <Tooltip text={label} hint={hint}>
    <button
      type="button"
      aria-label={label}
      aria-pressed={pressed}
      className={cx(
        'inline-flex size-8 shrink-0 items-center justify-center rounded-ctl text-ink-2 transition-colors',
        'hover:bg-sunken hover:text-ink disabled:opacity-40',
        pressed && 'bg-sunken text-ink',
        className,
      )}
      {...rest}
    >
      {children}
    </button>
  </Tooltip>
);
