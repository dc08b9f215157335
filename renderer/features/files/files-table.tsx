import { ArrowDown, ArrowUp } from 'lucide-react';
import { type RefObject, useRef } from 'react';
import { useStore } from 'zustand';
import { useI18n } from '../../hooks/services.tsx';
import { usePagedRows, useRowCount } from '../../hooks/use-paged-rows.ts';
import { useVirtualRows } from '../../hooks/use-virtual-rows.ts';
import type { MessageKey } from '../../i18n/index.ts';
import { cx } from '../../lib/classes.ts';
import type { FileList, FilesSort } from '../../stores/files.ts';
import { SkeletonRow } from '../../ui/virtual-row.tsx';
import { COLUMNS, FileRow } from './file-row.tsx';

type Props = {
  files: FileList;
  scroller: RefObject<HTMLDivElement | null>;
  /** Whether rows name their folder: in lists over all folders. */
  showFolder: boolean;
  onChanged: () => void;
};

/** The files as a table that renders and loads only the visible rows. */
export const FilesTable = ({ files, scroller, showFolder, onChanged }: Props) => {
  const { t } = useI18n();
  const { total } = useRowCount(files);
  const list = useRef<HTMLTableSectionElement>(null);
  const virtual = useVirtualRows({ count: total ?? 6, scroller, list });
  const rows = usePagedRows(files, virtual.first, virtual.last);
  return (
    <table
      aria-label={t('nav.files')}
      aria-rowcount={(total ?? 0) + 1}
      aria-busy={total === undefined}
      className="mt-3 block w-full text-start"
    >
      <thead className="block">
        <tr className={cx(COLUMNS, 'h-9 border-b border-line px-2')}>
          <SortHeader files={files} sort="name" name="library.name" />
          <SortHeader files={files} sort="size" name="files.size" className="justify-end max-md:hidden" />
          <SortHeader
            files={files}
            sort="uploaded_at"
            name="library.added"
            className="justify-end max-md:hidden"
          />
          <th scope="col">
            <span className="sr-only">{t('library.actions')}</span>
          </th>
        </tr>
      </thead>
      <tbody ref={list} className="relative block" style={{ height: virtual.height }}>
        {virtual.rows.map((place) => {
          const file = rows.get(place.index);
          return file === undefined ? (
            <SkeletonRow key={`skeleton-${place.index}`} place={place} columns={COLUMNS} />
          ) : (
            <FileRow key={file.key} file={file} place={place} showFolder={showFolder} onChanged={onChanged} />
          );
        })}
      </tbody>
    </table>
  );
};

type HeadProps = { files: FileList; sort: FilesSort; name: MessageKey; className?: string };

const SortHeader = ({ files, sort, name, className }: HeadProps) => {
  const { t } = useI18n();
  const query = useStore(files.store);
  const isSorted = query.sort === sort;
  const Arrow = query.order === 'asc' ? ArrowUp : ArrowDown;
  // The first click sorts names ascending, dates and sizes descending.
  const order = isSorted ? (query.order === 'asc' ? 'desc' : 'asc') : sort === 'name' ? 'asc' : 'desc';
  return (
    <th
      scope="col"
      {...(isSorted
        ? { 'aria-sort': query.order === 'asc' ? ('ascending' as const) : ('descending' as const) }
        : {})}
      className={cx('flex', className)}
    >
      <button
        type="button"
        onClick={() => files.setQuery({ sort, order })}
        className={cx(
          '-mx-1.5 inline-flex h-6 items-center gap-1 rounded-ctl px-1.5 text-xs font-medium hover:bg-sunken hover:text-ink',
          isSorted ? 'text-ink' : 'text-ink-3',
        )}
      >
        {t(name)}
        {isSorted && <Arrow size={12} aria-hidden />}
      </button>
    </th>
  );
};
