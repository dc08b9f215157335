import { useVirtualizer } from '@tanstack/react-virtual';
import { type RefObject, useEffect, useState } from 'react';

/** Height of a row in pixels, with its line. */
export const ROW_HEIGHT = 67;

type Options = {
  readonly count: number;
  /** The element that scrolls, and the one that holds the rows. */
  readonly scroller: RefObject<HTMLElement | null>;
  readonly list: RefObject<HTMLElement | null>;
  /** Rows that take no room, such as what was just deleted. */
  readonly isHidden?: (index: number) => boolean;
  /** What, when it changes, may have hidden or shown rows. */
  readonly hidden?: unknown;
};

/** Where the list begins inside the scrolling page, so that the rows above it are counted right. */
const useTop = ({ list, scroller }: Pick<Options, 'list' | 'scroller'>) => {
  const [top, setTop] = useState(0);
  // Not before the layout: the page is an ancestor, and React gives its element only after this one's.
  useEffect(() => {
    const measure = () => {
      const box = list.current?.getBoundingClientRect();
      const page = scroller.current;
      if (box !== undefined && page !== null)
        setTop(box.top - page.getBoundingClientRect().top + page.scrollTop);
    };
    measure();
    const observer = new ResizeObserver(measure);
    for (const child of scroller.current?.children ?? []) observer.observe(child);
    return () => observer.disconnect();
  }, [list, scroller]);
  return top;
};

/** The rows in view of a long list inside a page that scrolls as a whole. */
export const useVirtualRows = ({ count, scroller, list, isHidden, hidden }: Options) => {
  const top = useTop({ list, scroller });
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => (isHidden?.(index) === true ? 0 : ROW_HEIGHT),
    overscan: 8,
    scrollMargin: top,
  });
  // Sizes are kept by the virtualizer: a change of `hidden` asks for new ones.
  useEffect(() => {
    if (hidden !== null) virtual.measure();
  }, [hidden, virtual]);
  const items = virtual.getVirtualItems();
  return {
    /** Place in the list, and pixels from its top. */
    rows: items.map((item) => ({ index: item.index, top: item.start - top })),
    first: items[0]?.index ?? 0,
    last: items.at(-1)?.index ?? 0,
    height: virtual.getTotalSize(),
    scrollTo: (index: number) => virtual.scrollToIndex(index),
  };
};
