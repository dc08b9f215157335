import { cx } from '../lib/classes.ts';
import { nameKeys } from '../lib/keys.ts';

/** Keys by their English names, shown by those of the window's language. */
export const Kbd = ({ children, className }: { children: string; className?: string }) => (
  <kbd
    className={cx(
      'inline-block rounded-[4px] border border-current/45 px-[5px] font-sans text-[10.5px] leading-4 font-medium',
      className,
    )}
  >
    {nameKeys(children, document.documentElement.lang)}
  </kbd>
);
