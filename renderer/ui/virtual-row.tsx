import type { ComponentProps, ReactNode } from 'react';
import { cx } from '../lib/classes.ts';

// Above the rows after it while a text of it is shown whole over them.
const ROW = 'absolute inset-x-0 top-0 h-[67px] border-b border-line px-2 focus-within:z-10 hover:z-20';

/** The position of a row in a virtual list; `top` in pixels from the top of the list. */
export type RowPlace = { readonly index: number; readonly top: number };

type VirtualRowProps = ComponentProps<'tr'> & {
  place: RowPlace;
  /** Grid classes of the table's columns. */
  columns: string;
};

/** A table row at its absolute position in a virtual list. */
export const VirtualRow = ({ place, columns, className, ...rest }: VirtualRowProps) => (
  <tr
    // The first row is the header.
    aria-rowindex={place.index + 2}
    style={{ transform: `translateY(${place.top}px)` }}
    className={cx(columns, ROW, 'transition-colors hover:bg-ground', className)}
    {...rest}
  />
);

type SkeletonRowProps = Pick<VirtualRowProps, 'place' | 'columns'> & {
  /** Cells before the one with the skeleton. */
  children?: ReactNode;
};

/** Stands in for a row of a virtual list that is not loaded. */
export const SkeletonRow = ({ place, columns, children }: SkeletonRowProps) => (
  <tr aria-hidden style={{ transform: `translateY(${place.top}px)` }} className={cx(columns, ROW)}>
    {children}
    <td>
      <span className="skeleton block h-3.5 w-56 max-w-full" />
      <span className="skeleton mt-2 block h-2.5 w-36 max-w-full" />
    </td>
  </tr>
);
