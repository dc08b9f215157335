import { Popover as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { returnFocus } from './return-focus.ts';

type PopoverProps = { label: string; trigger: ReactNode; children: ReactNode };

/** A non-modal panel beside its trigger; Escape closes it. */
export const Popover = ({ label, trigger, children }: PopoverProps) => (
  <Radix.Root>
    <Radix.Trigger asChild>{trigger}</Radix.Trigger>
    <Radix.Portal>
      <Radix.Content
        align="end"
        sideOffset={4}
        collisionPadding={8}
        aria-label={label}
        onCloseAutoFocus={returnFocus}
        className="fade z-40 w-[300px] max-w-[calc(100vw-16px)] rounded-box border border-line-2 bg-raised p-4 shadow-high"
      >
        {children}
      </Radix.Content>
    </Radix.Portal>
  </Radix.Root>
);
