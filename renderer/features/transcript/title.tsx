import {
  ArrowLeft,
  Copy,
  Ellipsis,
  ListChecks,
  PanelRight,
  Pencil,
  Redo2,
  Search,
  Share,
  Sparkles,
  Trash2,
  Undo2,
} from 'lucide-react';
import { useMemo, useState } from 'react';
import { useStore } from 'zustand';
import { useI18n, useServices } from '../../app/services.tsx';
import { errorText } from '../../lib/errors.ts';
import { clock, languageName, number } from '../../lib/format.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Menu, MenuItem, MenuLine } from '../../ui/menu.tsx';
import { useLibraryActions } from '../library/use-library-actions.ts';
import { findDoubts } from './model/doubt.ts';
import { useReader } from './reader.tsx';
import { isAnalysedAgain } from './transcript-store.ts';
import { useCopyText } from './use-copy.ts';
import { editHere } from './use-reader-keys.ts';

/** The head of the page: name, facts, and what can be done. */
export const Title = () => {
  const { transcripts } = useReader();
  const { t, locale } = useI18n();
  const transcript = useStore(transcripts.store, (state) => state.transcript);
  const facts =
    transcript === undefined
      ? []
      : [
          transcript.duration > 0 ? clock(transcript.duration) : '',
          transcript.language === null ? '' : languageName(transcript.language, locale),
          transcript.speakers === undefined
            ? ''
            : t('transcript.speakers', { count: Object.keys(transcript.speakers).length }),
          transcript.model_id ?? transcript.model,
          transcript.word_count > 0 ? t('transcript.words', { count: transcript.word_count }) : '',
        ];
  return (
    <header className="mb-3 flex min-h-10 items-center gap-2">
      <a
        href="#/"
        aria-label={t('transcript.back')}
        className="grid size-8 shrink-0 place-items-center rounded-ctl text-ink-2 hover:bg-sunken hover:text-ink"
      >
        <ArrowLeft size={16} className="rtl:rotate-180" aria-hidden />
      </a>
      <div className="min-w-0 flex-1">
        <Name />
        <div className="tnum truncate text-xs text-ink-2">
          {facts.filter((fact) => fact !== '').join(' · ')}
        </div>
      </div>
      {(transcript?.status === 'completed' || isAnalysedAgain(transcript)) && <ReadingActions />}
    </header>
  );
};

const Name = () => {
  const { transcripts } = useReader();
  const { toasts, library } = useServices();
  const { t } = useI18n();
  const name = useStore(transcripts.store, (state) => state.transcript?.name ?? '');
  const [editing, setEditing] = useState(false);
  const finish = async (text: string) => {
    setEditing(false);
    if (text.trim() === '' || text.trim() === name) return;
    try {
      await transcripts.rename(text.trim());
      library.refresh();
    } catch (error) {
      toasts.show(errorText(error, t), { tone: 'bad' });
    }
  };
  const look = 'font-serif text-lg leading-tight font-semibold tracking-[-.01em]';
  if (!editing) {
    return (
      <h1 className={look}>
        <button
          type="button"
          title={t('transcript.rename')}
          className="max-w-full truncate rounded-[4px] text-start hover:bg-sunken"
          onClick={() => setEditing(true)}
        >
          {name === '' ? '…' : name}
        </button>
      </h1>
    );
  }
  return (
    <input
      aria-label={t('transcript.rename')}
      defaultValue={name}
      maxLength={500}
      ref={(input) => {
        if (input !== null && document.activeElement !== input) {
          input.focus();
          input.select();
        }
      }}
      onBlur={(event) => void finish(event.target.value)}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key === 'Enter') event.currentTarget.blur();
        if (event.key === 'Escape') setEditing(false);
      }}
      className={`${look} w-full rounded-[4px] bg-ground px-1`}
    />
  );
};

const ReadingActions = () => {
  const { transcripts, view } = useReader();
  const { t, locale } = useI18n();
  const doc = useStore(transcripts.store, (state) => state.doc);
  const accepted = useStore(view, (state) => state.accepted);
  const panel = useStore(view, (state) => state.panel);
  const doubts = useMemo(() => (doc === undefined ? 0 : findDoubts(doc, accepted).length), [doc, accepted]);
  const toggle = (next: 'find' | 'review') =>
    view.setState({ panel: panel === next ? 'none' : next, hit: 0, doubt: 0 });
  return (
    <>
      <SaveState />
      <UndoButtons />
      <IconButton
        label={t('find.title')}
        hint="Ctrl F"
        pressed={panel === 'find'}
        onClick={() => toggle('find')}
      >
        <Search size={16} strokeWidth={1.75} aria-hidden />
      </IconButton>
      <Button look="ghost" aria-pressed={panel === 'review'} onClick={() => toggle('review')}>
        <ListChecks size={16} strokeWidth={1.75} aria-hidden />
        <span className="hidden sm:inline">{t('review.open')}</span>
        {doubts > 0 && (
          <span className="tnum rounded-full bg-warn-soft px-[7px] text-xs leading-[18px] text-warn">
            {number(doubts, locale)}
          </span>
        )}
      </Button>
      <Button onClick={() => view.setState({ exporting: true })}>
        <Share size={15} strokeWidth={1.75} aria-hidden />
        <span className="sr-only sm:not-sr-only">{t('export.open')}</span>
      </Button>
      <IconButton
        label={t('side.open')}
        className="lg:hidden"
        onClick={() => view.setState({ findings: true })}
      >
        <PanelRight size={16} strokeWidth={1.75} aria-hidden />
      </IconButton>
      <MoreActions />
    </>
  );
};

const MoreActions = () => {
  const reader = useReader();
  const { transcripts, view, id } = reader;
  const { router } = useServices();
  const { t } = useI18n();
  const actions = useLibraryActions();
  const copy = useCopyText();
  const working = useStore(transcripts.store, (state) => state.transcript?.status === 'processing');
  return (
    <Menu
      trigger={
        <IconButton label={t('transcript.more')}>
          <Ellipsis size={16} aria-hidden />
        </IconButton>
      }
    >
      <MenuItem
        icon={<Pencil size={14} aria-hidden />}
        hint="E"
        disabled={working}
        // The menu gives the focus back when it closes: the text takes it after that.
        onSelect={() => setTimeout(() => editHere(reader))}
      >
        {t('edit.start')}
      </MenuItem>
      <MenuItem
        icon={<Sparkles size={14} aria-hidden />}
        hint="A"
        disabled={working}
        onSelect={() => view.setState({ analysing: true })}
      >
        {t('analyse.open')}
      </MenuItem>
      <MenuLine />
      <MenuItem icon={<Copy size={14} aria-hidden />} onSelect={() => void copy(false)}>
        {t('transcript.copy')}
      </MenuItem>
      <MenuItem icon={<Copy size={14} aria-hidden />} onSelect={() => void copy(true)}>
        {t('transcript.copyTimes')}
      </MenuItem>
      <MenuLine />
      <MenuItem
        icon={<Trash2 size={14} aria-hidden />}
        tone="bad"
        onSelect={() => {
          actions.remove([id]);
          router.go({ screen: 'library' });
        }}
      >
        {t('common.delete')}
      </MenuItem>
    </Menu>
  );
};

const UndoButtons = () => {
  const { transcripts } = useReader();
  const { t } = useI18n();
  const past = useStore(transcripts.store, (state) => state.past.length);
  const future = useStore(transcripts.store, (state) => state.future.length);
  if (past === 0 && future === 0) return null;
  return (
    <>
      <IconButton label={t('common.undo')} hint="Ctrl Z" disabled={past === 0} onClick={transcripts.undo}>
        <Undo2 size={16} strokeWidth={1.75} aria-hidden />
      </IconButton>
      <IconButton label={t('common.redo')} hint="Ctrl Y" disabled={future === 0} onClick={transcripts.redo}>
        <Redo2 size={16} strokeWidth={1.75} aria-hidden />
      </IconButton>
    </>
  );
};

const SaveState = () => {
  const { transcripts } = useReader();
  const { t } = useI18n();
  const saving = useStore(transcripts.store, (state) => state.saving);
  const changed = useStore(transcripts.store, (state) => state.past.length + state.future.length > 0);
  const said = { saved: changed ? t('edit.saved') : '', failed: t('edit.notSaved') };
  return (
    <span role="status" className="mr-1 hidden text-xs whitespace-nowrap text-ink-3 sm:inline">
      {saving === 'saved' || saving === 'failed' ? said[saving] : t('edit.saving')}
    </span>
  );
};
