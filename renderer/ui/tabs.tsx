import { Tabs as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { cx } from '../lib/classes.ts';

export type Tab<V extends string> = {
  readonly value: V;
  readonly label: string;
  readonly content: ReactNode;
};

type TabsProps<V extends string> = {
  label: string;
  value: V;
  tabs: readonly Tab<V>[];
  onChange: (value: V) => void;
};

export const Tabs = <V extends string>({ label, value, tabs, onChange }: TabsProps<V>) => (
  <Radix.Root
    value={value}
    onValueChange={(next) => {
      const tab = tabs.find((each) => each.value === next);
      if (tab !== undefined) onChange(tab.value);
    }}
  >
    <Radix.List aria-label={label} className="flex flex-wrap gap-0.5 rounded-box bg-sunken p-[3px]">
      {tabs.map((tab) => (
        <Radix.Trigger
          key={tab.value}
          value={tab.value}
          className={cx(
            'h-[26px] max-w-full flex-auto truncate rounded-[7px] px-1 text-xs font-[550] text-ink-2 hover:text-ink',
            'data-[state=active]:bg-raised data-[state=active]:text-ink data-[state=active]:shadow-low',
          )}
        >
          {tab.label}
        </Radix.Trigger>
      ))}
    </Radix.List>
    {tabs.map((tab) => (
      <Radix.Content key={tab.value} value={tab.value} className="outline-none">
        {tab.content}
      </Radix.Content>
    ))}
  </Radix.Root>
);
