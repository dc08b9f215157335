import { ToggleGroup } from 'radix-ui';
import { cx } from '../lib/classes.ts';

type SegmentedControlProps<V extends string> = {
  label: string;
  value: V;
  choices: readonly { readonly value: V; readonly label: string }[];
  onChange: (value: V) => void;
};

/** Selects one of a few visible values. */
export const SegmentedControl = <V extends string>({
  label,
  value,
  choices,
  onChange,
}: SegmentedControlProps<V>) => (
  <ToggleGroup.Root
    type="single"
    aria-label={label}
    value={value}
    onValueChange={(next) => {
      const chosen = choices.find((choice) => choice.value === next);
      if (chosen !== undefined) onChange(chosen.value);
    }}
    className="inline-flex gap-0.5 rounded-box bg-sunken p-[3px]"
  >
    {choices.map((choice) => (
      <ToggleGroup.Item
        key={choice.value}
        value={choice.value}
        className={cx(
          'h-[26px] rounded-[7px] px-3 text-xs font-[550] text-ink-2 transition-colors hover:text-ink',
          'data-[state=on]:bg-raised data-[state=on]:text-ink data-[state=on]:shadow-low',
        )}
      >
        {choice.label}
      </ToggleGroup.Item>
    ))}
  </ToggleGroup.Root>
);
