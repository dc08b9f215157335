import type { ComponentProps } from 'react';

/** What scrolls must be reachable with the keyboard alone (WCAG 2.1.1), also where nothing in it takes the focus. */
const FOCUSABLE = { tabIndex: 0 } as const;

type Props = Omit<ComponentProps<'section'>, 'aria-label' | 'tabIndex'> & { label: string };

/** A named part that scrolls by itself. */
export const ScrollRegion = ({ label, ...rest }: Props) => (
  <section aria-label={label} {...FOCUSABLE} {...rest} />
);
