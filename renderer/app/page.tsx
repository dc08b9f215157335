import type { ReactNode, Ref } from 'react';

/** A page scrolls as a whole, and by keyboard also where nothing on it takes the focus (WCAG 2.1.1). */
const REACHABLE = { tabIndex: 0 } as const;

export const Page = ({ children, ref }: { children: ReactNode; ref?: Ref<HTMLDivElement> }) => (
  <div
    {...REACHABLE}
    ref={ref}
    className="h-full overflow-y-auto px-4 pt-4 pb-12 outline-offset-[-2px] lg:px-8"
  >
    {children}
  </div>
);
