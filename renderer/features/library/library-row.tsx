import { CircleAlert, Ellipsis, Pencil, RotateCcw, Square, Trash2, TriangleAlert } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useStore } from 'zustand';
import type { UserListItem } from '../../../electron/contract/transcript-list.ts';
import { describeJobError } from '../../api/errors.ts';
import { helpFor } from '../../domain/jobs.ts';
import { latestProgress, ProgressLine } from '../../domain/progress-line.tsx';
import { shownName, speakerColor, speakerInitial } from '../../domain/speakers.ts';
import { useLibraryActions } from '../../domain/use-library-actions.ts';
import { useI18n, useServices } from '../../hooks/services.tsx';
import { cx } from '../../lib/classes.ts';
import { formatClock, formatLanguage, formatRelativeDay } from '../../lib/format.ts';
import { hrefOf } from '../../stores/router.ts';
import { Tag } from '../../ui/badge.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../ui/menu.tsx';
import { Checkbox } from '../../ui/switch.tsx';
import { type RowPlace, VirtualRow } from '../../ui/virtual-row.tsx';
import { useWholeText } from '../../ui/whole-text.tsx';

export const COLUMNS = cx(
  'grid grid-cols-[18px_minmax(0,1fr)_32px] items-center gap-x-3 md:grid-cols-[18px_minmax(0,1fr)_90px_118px_32px]',
  'lg:grid-cols-[18px_minmax(0,1fr)_92px_64px_104px_32px] xl:grid-cols-[18px_minmax(0,1fr)_120px_120px_80px_118px_32px]',
);

type RowProps = {
  item: UserListItem;
  place: RowPlace;
  selected: boolean;
  onToggle: (range: boolean) => void;
};

const Speakers = ({ names }: { names: readonly string[] }) => {
  const { t } = useI18n();
  return <SpeakerAvatars names={names} label={names.map((name) => shownName(name, t)).join(', ')} />;
};

/** A transcript in the library. */
export const LibraryRow = ({ item, place, selected, onToggle }: RowProps) => {
  const { t, locale } = useI18n();
  const [isRenaming, setIsRenaming] = useState(false);
  const actions = useLibraryActions();
  return (
    <VirtualRow
      place={place}
      columns={COLUMNS}
      data-index={place.index}
      className={cx('group', selected && 'bg-ground')}
    >
      <td
        className={cx(
          !selected && 'lg:opacity-0 lg:group-focus-within:opacity-100 lg:group-hover:opacity-100',
        )}
      >
        <Checkbox
          label={t('library.select', { name: item.name })}
          checked={selected}
          onChange={() => undefined}
          onClick={(event) => onToggle(event.shiftKey)}
        />
      </td>
      <td className="min-w-0">
        {isRenaming ? (
          <RenameField
            name={item.name}
            onDone={(name) => {
              setIsRenaming(false);
              if (name !== undefined) void actions.rename(item, name);
            }}
          />
        ) : (
          <NameLink item={item} onRename={() => setIsRenaming(true)} />
        )}
        <span
          className={cx(
            'relative mt-[3px] flex min-h-5 items-center gap-2 text-xs text-ink-3',
            // The whole of a reason is shown over the rows below.
            item.status !== 'failed' && 'overflow-hidden',
          )}
        >
          <RowDetails item={item} />
        </span>
      </td>
      <td className="hidden lg:block">
        {item.speakers !== undefined && item.speakers.length > 0 && <Speakers names={item.speakers} />}
      </td>
      <td className="hidden truncate text-ink-2 xl:block">
        {item.language === null ? '' : formatLanguage(item.language, locale)}
      </td>
      <td className="tnum hidden text-end text-ink-2 md:block">
        {item.duration > 0 ? formatClock(item.duration) : ''}
      </td>
      <td className="hidden truncate text-end text-ink-2 md:block">
        {formatRelativeDay(item.created_at, locale)}
      </td>
      <td>
        <RowMenu item={item} onRename={() => setIsRenaming(true)} />
      </td>
    </VirtualRow>
  );
};

type ItemProps = { item: UserListItem; onRename: () => void };

const NameLink = ({ item, onRename }: ItemProps) => {
  const whole = useWholeText(item.name);
  return (
    <span className="relative block">
      <a
        href={hrefOf({ screen: 'transcript', param: item.id })}
        data-row-link
        {...whole.handlers}
        onKeyDown={(event) => {
          if (event.key !== 'F2') return;
          event.preventDefault();
          onRename();
        }}
        className="block truncate text-[calc(14px*var(--text-scale))] font-[580] tracking-[-.005em]"
      >
        {item.name}
      </a>
      {whole.popup}
    </span>
  );
};

const RowMenu = ({ item, onRename }: ItemProps) => {
  const { t } = useI18n();
  const actions = useLibraryActions();
  return (
    <Menu
      trigger={
        <IconButton label={t('library.more', { name: item.name })}>
          <Ellipsis size={16} aria-hidden />
        </IconButton>
      }
    >
      {/* The menu returns the focus to its button while it closes. */}
      <MenuItem icon={<Pencil size={14} aria-hidden />} hint="F2" onSelect={() => setTimeout(onRename)}>
        {t('library.rename')}
      </MenuItem>
      {item.status === 'failed' && helpFor(item.error?.code).canRetry && (
        <MenuItem icon={<RotateCcw size={14} aria-hidden />} onSelect={() => void actions.retry(item)}>
          {t(item.status_reason === 'cancelled' ? 'library.continue' : 'library.retry')}
        </MenuItem>
      )}
      {item.status === 'processing' && (
        <MenuItem icon={<Square size={14} aria-hidden />} onSelect={() => void actions.cancel(item)}>
          {t('library.cancel')}
        </MenuItem>
      )}
      <MenuSeparator />
      <MenuItem
        icon={<Trash2 size={14} aria-hidden />}
        tone="bad"
        hint="Del"
        onSelect={() => actions.remove([item.id])}
      >
        {t('common.delete')}
      </MenuItem>
    </Menu>
  );
};

const RowDetails = ({ item }: { item: UserListItem }) => {
  const { live } = useServices();
  const { topicName, warningText } = useI18n();
  const running = useStore(live.store, (state) => state.progress.get(item.id));
  const progress = latestProgress(running, item.progress);
  if (item.status === 'processing' && progress !== undefined)
    return <ProgressLine progress={progress} name={item.name} />;
  if (item.status_reason === 'cancelled') return <StoppedDetails item={item} />;
  if (item.status === 'failed') return <FailureDetails item={item} />;
  return (
    <>
      {item.damage === undefined ? (
        <span className="truncate font-mono text-2xs">{item.file_info?.name ?? item.text}</span>
      ) : (
        <span className="flex min-w-0 items-center gap-1.5 text-warn">
          <TriangleAlert size={14} className="shrink-0" aria-hidden />
          <span className="truncate">{warningText(item.damage)}</span>
        </span>
      )}
      {item.topics?.slice(0, 3).map((topic) => (
        <span key={topic} className="hidden sm:inline">
          <Tag>{topicName(topic)}</Tag>
        </span>
      ))}
    </>
  );
};

/** A job that its user stopped: the page has what was recognized until then. */
const StoppedDetails = ({ item }: { item: UserListItem }) => {
  const { t } = useI18n();
  const actions = useLibraryActions();
  return (
    <>
      <Square size={12} className="shrink-0" aria-hidden />
      <a href={hrefOf({ screen: 'transcript', param: item.id })} className="min-w-0 truncate hover:underline">
        {t('library.stopped')}
      </a>
      <Button variant="link" className="text-xs" onClick={() => void actions.retry(item)}>
        {t('library.continue')}
      </Button>
    </>
  );
};

/** Why a job failed, which leads to the page with what can be done about it. */
const FailureDetails = ({ item }: { item: UserListItem }) => {
  const { t } = useI18n();
  const actions = useLibraryActions();
  const reason = describeJobError(item.error, t);
  const whole = useWholeText(reason);
  return (
    <>
      <CircleAlert size={14} className="shrink-0 text-bad" aria-hidden />
      <a
        href={hrefOf({ screen: 'transcript', param: item.id })}
        {...whole.handlers}
        className="min-w-0 truncate text-bad hover:underline"
      >
        {reason}
      </a>
      {helpFor(item.error?.code).canRetry && (
        <Button variant="link" className="text-xs" onClick={() => void actions.retry(item)}>
          {t('library.retry')}
        </Button>
      )}
      {whole.popup}
    </>
  );
};

const RenameField = ({ name, onDone }: { name: string; onDone: (name: string | undefined) => void }) => {
  const { t } = useI18n();
  const [text, setText] = useState(name);
  const finish = (isConfirmed: boolean) =>
    onDone(isConfirmed && text.trim() !== '' && text.trim() !== name ? text.trim() : undefined);
  return (
    <input
      aria-label={t('library.rename')}
      value={text}
      maxLength={500}
      ref={(input) => {
        if (input === null || input.dataset.ready !== undefined) return;
        input.dataset.ready = '';
        input.focus();
        input.select();
      }}
      onChange={(event) => setText(event.target.value)}
      onBlur={() => finish(true)}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key === 'Enter') finish(true);
        if (event.key === 'Escape') finish(false);
      }}
      className="w-full rounded-[4px] border border-line-2 bg-raised px-1.5 py-px text-[calc(14px*var(--text-scale))] font-[580]"
    />
  );
};

const MAX_AVATARS = 5;

/** The speakers of a recording as overlapping avatars in their colors; the rest of a long list becomes a number. */
const SpeakerAvatars = ({ names, label }: { names: readonly string[]; label: string }) => {
  const shown = names.slice(0, names.length > MAX_AVATARS ? MAX_AVATARS - 1 : MAX_AVATARS);
  return (
    <span className="inline-flex" role="img" aria-label={label}>
      {shown.map((name, index) => {
        const color = speakerColor(index);
        return (
          <Avatar key={color} color={color} isFirst={index === 0}>
            {speakerInitial(name)}
          </Avatar>
        );
      })}
      {names.length > shown.length && (
        <Avatar color="var(--ink-2)" isFirst={false}>
          +{names.length - shown.length}
        </Avatar>
      )}
    </span>
  );
};

type AvatarProps = { color: string; isFirst: boolean; children: ReactNode };

const Avatar = ({ color, isFirst, children }: AvatarProps) => (
  <i
    aria-hidden
    className={cx(
      'size-[22px] rounded-full text-center text-[10px] leading-5 font-semibold not-italic',
      !isFirst && '-ms-[5px]',
    )}
    style={{
      color: `color-mix(in oklab, ${color} 82%, var(--ink))`,
      background: `color-mix(in oklab, ${color} 14%, var(--surface))`,
      border: `1px solid color-mix(in oklab, ${color} 30%, var(--surface))`,
    }}
  >
    {children}
  </i>
);
