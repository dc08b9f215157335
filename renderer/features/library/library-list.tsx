import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useStore } from 'zustand';
import { useI18n, useServices } from '../../app/services.tsx';
import { cx } from '../../lib/classes.ts';
import { OFFERED } from '../../lib/offered.ts';
import type { LibraryState } from '../../stores/library.ts';
import { Blank } from '../../ui/bits.tsx';
import { Button } from '../../ui/button.tsx';
import { COLUMNS, LibraryRow, ROW_PLACE } from './library-row.tsx';
import { SelectionBar } from './selection-bar.tsx';
import { useLibraryActions } from './use-library-actions.ts';

const ROW = 67;

const isHidden = (state: Pick<LibraryState, 'rows' | 'hidden'>, index: number) => {
  const item = state.rows.get(index);
  return item !== undefined && state.hidden.has(item.id);
};

/** Where the list begins inside the scrolling page, so that the rows above it are counted right. */
const useTop = (list: RefObject<HTMLElement | null>, scroller: RefObject<HTMLDivElement | null>) => {
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const measure = () => {
      const box = list.current?.getBoundingClientRect();
      const page = scroller.current;
      if (box !== undefined && page !== null)
        setTop(box.top - page.getBoundingClientRect().top + page.scrollTop);
    };
    measure();
    const observer = new ResizeObserver(measure);
    if (scroller.current?.firstElementChild)
      for (const child of scroller.current.children) observer.observe(child);
    return () => observer.disconnect();
  }, [list, scroller]);
  return top;
};

/** The list itself: only the rows in view exist, and only their pages are loaded. */
export const LibraryList = ({ scroller }: { scroller: RefObject<HTMLDivElement | null> }) => {
  const { library } = useServices();
  const { t } = useI18n();
  const { rows, hidden, total, selected, query } = useStore(library.store);
  const actions = useLibraryActions();
  const list = useRef<HTMLTableSectionElement>(null);
  const anchor = useRef<number>(undefined);
  const top = useTop(list, scroller);
  const virtual = useVirtualizer({
    count: total ?? 12,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => (isHidden({ rows, hidden }, index) ? 0 : ROW),
    overscan: 8,
    scrollMargin: top,
  });
  const items = virtual.getVirtualItems();
  const first = items[0]?.index ?? 0;
  const last = items.at(-1)?.index ?? 0;

  useEffect(() => {
    if (total !== undefined && total > 0) library.show(first, last);
  }, [library, first, last, total]);
  // biome's rule cannot see that a change of `hidden` is what asks for new sizes.
  useEffect(() => {
    if (hidden.size >= 0) virtual.measure();
  }, [hidden, virtual]);

  const toggle = (index: number, range: boolean) => {
    const item = rows.get(index);
    if (item === undefined) return;
    const next = new Set(selected);
    if (range && anchor.current !== undefined) {
      const [from, to] = [Math.min(anchor.current, index), Math.max(anchor.current, index)];
      for (let at = from; at <= to; at++) {
        const row = rows.get(at);
        if (row !== undefined) next.add(row.id);
      }
    } else if (next.has(item.id)) next.delete(item.id);
    else next.add(item.id);
    anchor.current = index;
    library.select(next);
  };

  const onKey = (event: KeyboardEvent<HTMLElement>) => {
    const { target } = event;
    if (!(target instanceof HTMLElement) || !target.matches('[data-row-link]')) return;
    const row = target.closest<HTMLElement>('[data-index]');
    if (row === null) return;
    const index = Number(row.dataset.index);
    const move = (by: number) => {
      event.preventDefault();
      virtual.scrollToIndex(index + by);
      requestAnimationFrame(() =>
        list.current?.querySelector<HTMLElement>(`[data-index="${index + by}"] [data-row-link]`)?.focus(),
      );
    };
    if (event.key === 'ArrowDown') move(1);
    else if (event.key === 'ArrowUp') move(-1);
    else if (event.key === 'x' || event.key === ' ') {
      event.preventDefault();
      toggle(index, event.shiftKey);
    } else if (event.key === 'Delete' || event.key === 'Backspace') {
      event.preventDefault();
      const item = rows.get(index);
      if (item !== undefined) actions.remove(selected.size > 0 ? [...selected] : [item.id]);
    } else if (event.key === 'Escape') library.select([]);
  };

  if (total === 0) {
    return (
      <Blank title={t('library.none')} text={t('library.none.text')}>
        <Button onClick={() => library.setQuery({ status: undefined, language: undefined })}>
          {t('library.showAll')}
        </Button>
      </Blank>
    );
  }
  return (
    <>
      <table
        aria-label={t('nav.library')}
        aria-rowcount={(total ?? 0) + 1}
        onKeyDown={onKey}
        className="block w-full text-start"
      >
        <Header />
        <tbody ref={list} className="relative block" style={{ height: virtual.getTotalSize() }}>
          {items.map((row) => {
            const item = rows.get(row.index);
            const place = { index: row.index, top: row.start - top };
            if (item === undefined) return <EmptyRow key={`empty-${row.index}`} top={place.top} />;
            if (hidden.has(item.id)) return null;
            return (
              <LibraryRow
                key={item.id}
                item={item}
                place={place}
                selected={selected.has(item.id)}
                onToggle={(range) => toggle(row.index, range)}
              />
            );
          })}
        </tbody>
      </table>
      {selected.size > 0 && <SelectionBar key={query.status} />}
    </>
  );
};

const Header = () => {
  const { t } = useI18n();
  const cell = 'text-start text-xs font-medium text-ink-3';
  return (
    <thead className="block">
      <tr className={cx(COLUMNS, 'h-9 border-b border-line px-2')}>
        <th scope="col">
          <span className="sr-only">{t('library.selection')}</span>
        </th>
        <th scope="col" className={cell}>
          {t('library.name')}
        </th>
        {OFFERED.speakers && (
          <th scope="col" className={cx(cell, 'hidden lg:block')}>
            {t('library.speakers')}
          </th>
        )}
        <th scope="col" className={cx(cell, 'hidden lg:block')}>
          {t('library.language')}
        </th>
        <th scope="col" className={cx(cell, '!text-end hidden md:block')}>
          {t('library.length')}
        </th>
        <th scope="col" className={cx(cell, '!text-end hidden md:block')}>
          {t('library.added')}
        </th>
        <th scope="col">
          <span className="sr-only">{t('library.actions')}</span>
        </th>
      </tr>
    </thead>
  );
};

const EmptyRow = ({ top }: { top: number }) => (
  <tr
    aria-hidden
    style={{ transform: `translateY(${top}px)` }}
    className={cx(COLUMNS, ROW_PLACE, 'border-b border-line px-2')}
  >
    <td />
    <td>
      <span className="skeleton block h-3.5 w-56 max-w-full" />
      <span className="skeleton mt-2 block h-2.5 w-36 max-w-full" />
    </td>
  </tr>
);
