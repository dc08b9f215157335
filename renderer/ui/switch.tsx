import { Check, Minus } from 'lucide-react';
import { Checkbox as RadixCheckbox, Switch as RadixSwitch } from 'radix-ui';
import { type MouseEvent, useId } from 'react';
import { cx } from '../lib/classes.ts';

type SwitchProps = {
  label: string;
  hint?: string | undefined;
  checked: boolean;
  onChange: (checked: boolean) => void;
  disabled?: boolean;
};

/** A switch with a label and a hint. */
export const Switch = ({ label, hint, checked, onChange, disabled = false }: SwitchProps) => {
  const id = useId();
  return (
    <div className="flex items-center gap-3">
      <RadixSwitch.Root
        id={id}
        checked={checked}
        disabled={disabled}
        onCheckedChange={onChange}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        className={cx(
          'relative h-[18px] w-8 shrink-0 rounded-full transition-colors disabled:opacity-50',
          'bg-ink-3/55 data-[state=checked]:bg-accent',
        )}
      >
        <RadixSwitch.Thumb
          className={cx(
            'block size-[14px] translate-x-[2px] rounded-full bg-white shadow-low transition-transform',
            'data-[state=checked]:translate-x-4 rtl:-translate-x-[2px] rtl:data-[state=checked]:-translate-x-4',
          )}
        />
      </RadixSwitch.Root>
      <div className="min-w-0">
        <label htmlFor={id} className="block cursor-pointer font-[550] text-ink">
          {label}
        </label>
        {hint !== undefined && (
          <p id={`${id}-hint`} className="text-xs text-ink-2">
            {hint}
          </p>
        )}
      </div>
    </div>
  );
};

type CheckboxProps = {
  label: string;
  checked: boolean | 'indeterminate';
  onChange: (checked: boolean) => void;
  showLabel?: boolean;
  onClick?: (event: MouseEvent) => void;
};

export const Checkbox = ({ label, checked, onChange, showLabel = false, onClick }: CheckboxProps) => {
  const id = useId();
  return (
    <span className="inline-flex items-center gap-2">
      <RadixCheckbox.Root
        id={id}
        checked={checked}
        aria-label={showLabel ? undefined : label}
        onCheckedChange={(next) => onChange(next === true)}
        onClick={onClick}
        className={cx(
          'grid size-4 place-items-center rounded-[4px] border border-ink-3 bg-raised text-surface',
          'data-[state=checked]:border-ink data-[state=checked]:bg-ink',
          'data-[state=indeterminate]:border-ink data-[state=indeterminate]:bg-ink',
        )}
      >
        <RadixCheckbox.Indicator>
          {checked === 'indeterminate' ? (
            <Minus size={12} strokeWidth={3} aria-hidden />
          ) : (
            <Check size={12} strokeWidth={3} aria-hidden />
          )}
        </RadixCheckbox.Indicator>
      </RadixCheckbox.Root>
      {showLabel && <label htmlFor={id}>{label}</label>}
    </span>
  );
};
