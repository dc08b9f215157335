import type { ReactNode } from 'react';
import { cx } from '../lib/classes.ts';

export const Kbd = ({ children, className }: { children: ReactNode; className?: string }) => (
  <kbd
    className={cx(
      'inline-block rounded-[4px] border border-current/45 px-[5px] font-sans text-[10.5px] leading-4 font-medium',
      className,
    )}
  >
    {children}
  </kbd>
);
