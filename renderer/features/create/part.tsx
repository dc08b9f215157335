import type { ReactNode } from 'react';

/** The section heading inside the sheet. */
export const Part = ({ title, children }: { title: string; children: ReactNode }) => (
  <section aria-label={title} className="mt-5">
    <h3 className="mb-2 text-xs font-medium text-ink-2">{title}</h3>
    {children}
  </section>
);
