import { ScanSearch, Share, Trash2, X } from 'lucide-react';
import { type KeyboardEvent, lazy, type RefObject, useRef, useState } from 'react';
import { useStore } from 'zustand';
import { EXPORT_ORDER } from '../../api/export.ts';
import { DialogBoundary } from '../../domain/error-boundary.tsx';
import { useLibraryActions } from '../../domain/use-library-actions.ts';
import { useI18n, useServices } from '../../hooks/services.tsx';
import { usePagedRows, useRowCount } from '../../hooks/use-paged-rows.ts';
import { useVirtualRows } from '../../hooks/use-virtual-rows.ts';
import { cx } from '../../lib/classes.ts';
import { NO_FILTER } from '../../stores/library.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/feedback.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { SkeletonRow } from '../../ui/virtual-row.tsx';
import { COLUMNS, LibraryRow } from './library-row.tsx';

const AnalyzeDialog = lazy(() => import('../../domain/analyze-dialog.tsx'));

/** Actions for the selected transcripts. */
const SelectionBar = () => {
  const { library } = useServices();
  const { t } = useI18n();
  const selected = useStore(library.store, (state) => state.selected);
  const actions = useLibraryActions();
  const [isAnalyzing, setIsAnalyzing] = useState(false);
  return (
    <section
      data-selection
      aria-label={t('library.selection')}
      className="enter sticky bottom-2 z-20 mx-auto mt-3 flex w-fit max-w-full flex-wrap items-center gap-1 rounded-box border border-line-2 bg-raised py-1.5 ps-4 pe-1.5 shadow-high"
    >
      <span role="status" className="tnum me-2 font-[550]">
        {t('library.selected', { count: selected.size })}
      </span>
      <Menu
        align="start"
        trigger={
          <Button variant="ghost">
            <Share size={15} strokeWidth={1.75} aria-hidden />
            {t('export.open')}
          </Button>
        }
      >
        {EXPORT_ORDER.map((format) => (
          <MenuItem key={format} onSelect={() => void actions.exportAll([...selected], format)}>
            {t('export.inFormat', { format: format.toUpperCase() })}
          </MenuItem>
        ))}
      </Menu>
      <Button variant="ghost" onClick={() => setIsAnalyzing(true)}>
        <ScanSearch size={15} strokeWidth={1.75} aria-hidden />
        {t('analyze.open')}
      </Button>
      <Button variant="ghost" className="text-bad" onClick={() => actions.remove([...selected])}>
        <Trash2 size={15} aria-hidden />
        {t('common.delete')}
      </Button>
      <IconButton label={t('library.clearSelection')} onClick={() => library.select([])}>
        <X size={15} aria-hidden />
      </IconButton>
      {isAnalyzing && (
        <DialogBoundary onClose={() => setIsAnalyzing(false)}>
          <AnalyzeDialog
            title={t('analyzeMany.title', { count: selected.size })}
            text={t('analyzeMany.text')}
            language={null}
            onAnalyze={(request) => actions.analyzeAll([...selected], request)}
            onClose={() => setIsAnalyzing(false)}
          />
        </DialogBoundary>
      )}
    </section>
  );
};

/** Selects and unselects rows; a range reaches from the row that was toggled last. */
const useToggleSelection = () => {
  const { library } = useServices();
  const anchor = useRef<number>(undefined);
  return (index: number, range: boolean) => {
    const item = library.list.rowAt(index);
    if (item === undefined) return;
    const next = new Set(library.store.getState().selected);
    if (range && anchor.current !== undefined) {
      const [from, to] = [Math.min(anchor.current, index), Math.max(anchor.current, index)];
      for (let at = from; at <= to; at++) {
        const row = library.list.rowAt(at);
        if (row !== undefined) next.add(row.id);
      }
    } else if (next.has(item.id)) next.delete(item.id);
    else next.add(item.id);
    anchor.current = index;
    library.select(next);
  };
};

type KeyboardOptions = {
  readonly total: number;
  readonly focusRow: (index: number) => void;
  readonly toggle: (index: number, range: boolean) => void;
};

/** The shortcuts of a focused row. */
const useRowShortcuts = ({ total, focusRow, toggle }: KeyboardOptions) => {
  const { library } = useServices();
  const { rowAt } = library.list;
  const actions = useLibraryActions();
  /** The next row up or down that is neither hidden nor about to be deleted. */
  const nextVisible = (index: number, by: 1 | -1, deleted: ReadonlySet<string> = new Set()): number => {
    const { hidden } = library.store.getState();
    let next = index + by;
    for (let row = rowAt(next); row !== undefined; row = rowAt(next)) {
      if (!hidden.has(row.id) && !deleted.has(row.id)) break;
      next += by;
    }
    return next;
  };
  const remove = (index: number) => {
    const { selected } = library.store.getState();
    const item = rowAt(index);
    if (item === undefined) return;
    const deleted = selected.size > 0 ? selected : new Set([item.id]);
    // Focus a remaining row, so that the keyboard keeps working.
    const after = nextVisible(index, 1, deleted);
    focusRow(after < total ? after : nextVisible(index, -1, deleted));
    actions.remove([...deleted]);
  };
  const actionFor = (event: KeyboardEvent, index: number): (() => void) | undefined => {
    switch (event.key) {
      case 'ArrowDown':
        return () => focusRow(nextVisible(index, 1));
      case 'ArrowUp':
        return () => focusRow(nextVisible(index, -1));
      case 'x':
      case 'X':
      case ' ':
        return () => toggle(index, event.shiftKey);
      case 'Delete':
      case 'Backspace':
        return () => remove(index);
      case 'a':
        if (event.ctrlKey || event.metaKey) return undefined;
        return () => document.querySelector<HTMLElement>('[data-selection] button')?.focus();
      default:
        return undefined;
    }
  };
  return (event: KeyboardEvent<HTMLElement>) => {
    const { target } = event;
    if (!(target instanceof HTMLElement) || !target.matches('[data-row-link]')) return;
    const row = target.closest<HTMLElement>('[data-index]');
    if (row === null) return;
    if (event.key === 'Escape') library.select([]);
    const action = actionFor(event, Number(row.dataset.index));
    if (action === undefined) return;
    event.preventDefault();
    action();
  };
};

/** The transcripts as a table that renders and loads only the visible rows. */
export const LibraryList = ({ scroller }: { scroller: RefObject<HTMLDivElement | null> }) => {
  const { library } = useServices();
  const { t } = useI18n();
  const { status } = useStore(library.list.store);
  const { total } = useRowCount(library.list);
  const { hidden, selected } = useStore(library.store);
  const list = useRef<HTMLTableSectionElement>(null);
  const isHidden = (index: number) => hidden.has(library.list.rowAt(index)?.id ?? '');
  const virtual = useVirtualRows({ count: total ?? 12, scroller, list, isHidden, hidden });
  const rows = usePagedRows(library.list, virtual.first, virtual.last);
  const toggle = useToggleSelection();
  const focusRow = (index: number) => {
    virtual.scrollTo(index);
    requestAnimationFrame(() =>
      list.current?.querySelector<HTMLElement>(`[data-index="${index}"] [data-row-link]`)?.focus(),
    );
  };
  const onKey = useRowShortcuts({ total: total ?? 0, focusRow, toggle });

  if (total === 0) {
    return (
      <EmptyState title={t('library.none')} text={t('library.none.text')}>
        <Button onClick={() => library.setQuery(NO_FILTER)}>{t('library.showAll')}</Button>
      </EmptyState>
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
        <tbody ref={list} className="relative block" style={{ height: virtual.height }}>
          {virtual.rows.map((place) => {
            const item = rows.get(place.index);
            if (item === undefined) {
              return (
                <SkeletonRow key={`skeleton-${place.index}`} place={place} columns={COLUMNS}>
                  <td />
                </SkeletonRow>
              );
            }
            if (hidden.has(item.id)) return null;
            return (
              <LibraryRow
                key={item.id}
                item={item}
                place={place}
                selected={selected.has(item.id)}
                onToggle={(range) => toggle(place.index, range)}
              />
            );
          })}
        </tbody>
      </table>
      {selected.size > 0 && <SelectionBar key={status} />}
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
        <th scope="col" className={cx(cell, 'hidden lg:block')}>
          {t('library.speakers')}
        </th>
        <th scope="col" className={cx(cell, 'hidden xl:block')}>
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
