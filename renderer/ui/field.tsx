import { Search, X } from 'lucide-react';
import { type ComponentProps, type ReactNode, type Ref, useId } from 'react';
import { cx } from '../lib/classes.ts';

const INPUT =
  'h-8 w-full rounded-ctl border border-line-2 bg-raised px-2.5 text-ink outline-offset-0 focus-visible:outline-2';

export const TextInput = ({ className, ...rest }: ComponentProps<'input'>) => (
  <input type="text" className={cx(INPUT, className)} {...rest} />
);

type FieldProps = {
  label: string;
  hint?: ReactNode;
  error?: string | undefined;
  children: (ids: { id: string; 'aria-describedby'?: string; 'aria-invalid'?: boolean }) => ReactNode;
  className?: string;
};

/** Labels a control and connects its hint or error with it for screen readers. */
export const Field = ({ label, hint, error, children, className }: FieldProps) => {
  const id = useId();
  const hasMessage = error !== undefined || hint !== undefined;
  return (
    <div className={className}>
      <label htmlFor={id} className="mb-1.5 block text-xs font-medium text-ink-2">
        {label}
      </label>
      {children({
        id,
        'aria-describedby': hasMessage ? `${id}-hint` : undefined,
        'aria-invalid': error === undefined ? undefined : true,
      })}
      {hasMessage && (
        <p
          id={`${id}-hint`}
          className={cx('mt-1.5 text-xs', error === undefined ? 'text-ink-3' : 'text-bad')}
        >
          {error ?? hint}
        </p>
      )}
    </div>
  );
};

type SearchFieldProps = Omit<ComponentProps<'input'>, 'onChange' | 'ref'> & {
  label: string;
  value: string;
  onValueChange: (text: string) => void;
  clearLabel: string;
  trailing?: ReactNode;
  inputRef?: Ref<HTMLInputElement>;
};

export const SearchField = ({
  label,
  value,
  onValueChange,
  clearLabel,
  trailing,
  inputRef,
  className,
  ...rest
}: SearchFieldProps) => (
  <div
    className={cx(
      'flex h-9 items-center gap-2.5 rounded-box border border-line bg-ground pe-2 ps-3 text-ink-3',
      'focus-within:border-line-2 focus-within:outline-2 focus-within:outline-accent',
      className,
    )}
  >
    <Search size={16} strokeWidth={1.75} aria-hidden />
    <input
      ref={inputRef}
      type="search"
      aria-label={label}
      placeholder={label}
      value={value}
      onChange={(event) => onValueChange(event.target.value)}
      className="min-w-0 flex-1 bg-transparent text-ink outline-none [&::-webkit-search-cancel-button]:hidden"
      {...rest}
    />
    {value === '' ? (
      trailing
    ) : (
      <button
        type="button"
        aria-label={clearLabel}
        onClick={() => onValueChange('')}
        className="grid size-6 place-items-center rounded-ctl hover:bg-sunken hover:text-ink"
      >
        <X size={14} aria-hidden />
      </button>
    )}
  </div>
);
