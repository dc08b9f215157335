import { Check, ChevronsUpDown } from 'lucide-react';
import { Select as Radix } from 'radix-ui';
import { returnFocus } from './return-focus.ts';

export type Choice = { readonly value: string; readonly label: string };

type SelectProps = {
  value: string;
  choices: readonly Choice[];
  onChange: (value: string) => void;
  id?: string;
  disabled?: boolean;
  'aria-describedby'?: string;
};

/** Selects one value from a list that opens. */
export const Select = ({ value, choices, onChange, ...trigger }: SelectProps) => (
  <Radix.Root value={value} onValueChange={onChange}>
    <Radix.Trigger
      {...trigger}
      className="inline-flex h-8 w-full items-center justify-between gap-2 rounded-ctl border border-line-2 bg-raised px-2.5 font-[550] whitespace-nowrap text-ink disabled:opacity-45"
    >
      <span className="truncate">
        <Radix.Value />
      </span>
      <Radix.Icon>
        <ChevronsUpDown size={14} className="text-ink-3" aria-hidden />
      </Radix.Icon>
    </Radix.Trigger>
    <Radix.Portal>
      <Radix.Content
        position="popper"
        sideOffset={4}
        collisionPadding={8}
        onCloseAutoFocus={returnFocus}
        className="fade z-50 max-h-[min(360px,var(--radix-select-content-available-height))] min-w-[var(--radix-select-trigger-width)] overflow-hidden rounded-box border border-line-2 bg-raised shadow-high"
      >
        <Radix.Viewport className="p-1">
          {choices.map((choice) => (
            <Radix.Item
              key={choice.value}
              value={choice.value}
              className="relative flex h-8 cursor-default items-center gap-3 rounded-ctl pe-8 ps-2.5 outline-none select-none data-[highlighted]:bg-sunken"
            >
              <Radix.ItemText>{choice.label}</Radix.ItemText>
              <Radix.ItemIndicator className="absolute end-2">
                <Check size={14} aria-hidden />
              </Radix.ItemIndicator>
            </Radix.Item>
          ))}
        </Radix.Viewport>
      </Radix.Content>
    </Radix.Portal>
  </Radix.Root>
);
