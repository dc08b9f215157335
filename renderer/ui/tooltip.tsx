import { Tooltip as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { Kbd } from './kbd.tsx';

export const TooltipProvider = ({ children }: { children: ReactNode }) => (
  <Radix.Provider delayDuration={450} skipDelayDuration={200}>
    {children}
  </Radix.Provider>
);

export const Tooltip = ({ text, hint, children }: { text: string; hint?: string; children: ReactNode }) => (
  <Radix.Root>
    <Radix.Trigger asChild>{children}</Radix.Trigger>
    <Radix.Portal>
      <Radix.Content
        sideOffset={6}
        collisionPadding={8}
        className="fade z-50 flex items-center gap-2 rounded-ctl bg-ink px-2 py-1 text-xs text-surface"
      >
        {text}
        {hint !== undefined && <Kbd>{hint}</Kbd>}
      </Radix.Content>
    </Radix.Portal>
  </Radix.Root>
);
