import type { ComponentProps } from 'react';

/** A scrolling region must be focusable if nothing inside it is (WCAG 2.1.1). */
const FOCUSABLE = { tabIndex: 0 } as const;

type Props = Omit<ComponentProps<'section'>, 'aria-label' | 'tabIndex'> & { label: string };

/** A labeled region that scrolls by itself. */
export const ScrollRegion = ({ label, ...rest }: Props) => (
  <section aria-label={label} {...FOCUSABLE} {...rest} />
);
