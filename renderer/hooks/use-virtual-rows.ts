import { useVirtualizer } from '@tanstack/react-virtual';
import { type RefObject, useEffect, useState } from 'react';

/** Height of a row with its border, in pixels. */
const ROW_HEIGHT = 67;

type Options = {
  readonly count: number;
  /** The scrolling element and the container of the rows. */
  readonly scroller: RefObject<HTMLElement | null>;
  readonly list: RefObject<HTMLElement | null>;
  /** Rows of height 0, such as deleted ones. */
  readonly isHidden?: (index: number) => boolean;
  /** Row heights are measured again when this value changes. */
  readonly hidden?: unknown;
};

/** The offset of the list from the top of the scrolling page, in pixels. */
const useTop = ({ list, scroller }: Pick<Options, 'list' | 'scroller'>) => {
  const [top, setTop] = useState(0);
  // An effect, because React sets the ref of the page, an ancestor, after this component's layout effects.
  useEffect(() => {
    const measure = () => {
      const box = list.current?.getBoundingClientRect();
      const page = scroller.current;
      if (box !== undefined && page !== null)
        setTop(box.top - page.getBoundingClientRect().top + page.scrollTop);
    };
    // The observer reports each child once when it begins, after a layout that would else be forced here.
    const observer = new ResizeObserver(measure);
    for (const child of scroller.current?.children ?? []) observer.observe(child);
    return () => observer.disconnect();
  }, [list, scroller]);
  return top;
};

/** Virtualizes the rows of a list inside a page that scrolls as a whole. */
export const useVirtualRows = ({ count, scroller, list, isHidden, hidden }: Options) => {
  const top = useTop({ list, scroller });
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => (isHidden?.(index) === true ? 0 : ROW_HEIGHT),
    overscan: 8,
    scrollMargin: top,
  });
  // The virtualizer caches the heights.
  useEffect(() => {
    if (hidden !== null) virtual.measure();
  }, [hidden, virtual]);
  const items = virtual.getVirtualItems();
  return {
    /** `top` in pixels from the top of the list. */
    rows: items.map((item) => ({ index: item.index, top: item.start - top })),
    first: items[0]?.index ?? 0,
    last: items.at(-1)?.index ?? 0,
    height: virtual.getTotalSize(),
    scrollTo: (index: number) => virtual.scrollToIndex(index),
  };
};
