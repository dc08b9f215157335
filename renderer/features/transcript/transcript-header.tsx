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
import { useMemo, useRef, useState } from 'react';
import { useStore } from 'zustand';
import type { Transcription } from '../../../electron/contract/transcript.ts';
import { describeError } from '../../api/errors.ts';
import { modelLabel } from '../../domain/models.ts';
import { useI18n, useServices } from '../../hooks/services.tsx';
import type { I18nState } from '../../i18n/index.ts';
import { formatClock, formatLanguage, formatLanguageShares, formatNumber } from '../../lib/format.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../ui/menu.tsx';
import { findUncertainSpans } from './model/low-confidence.ts';
import { useReader } from './reader.tsx';
import { TranscriptCommands, useCopyTranscript, useDeleteTranscript } from './transcript-commands.tsx';
import { canRedo, canUndo, isReadable } from './transcript-editor.ts';
import { useHistory } from './use-history.ts';
import { editAtPlayhead } from './use-reader-shortcuts.ts';

/** More languages are counted; the details name them. */
const MAX_NAMED_LANGUAGES = 3;

const languagesFact = ({ language, languages }: Transcription, t: I18nState['t'], locale: string): string => {
  if (languages.length > MAX_NAMED_LANGUAGES)
    return t('models.languages', { count: formatNumber(languages.length, locale) });
  if (languages.length > 1) return formatLanguageShares(languages, locale);
  return language === null ? '' : formatLanguage(language, locale);
};

/** Name, properties and actions of the transcript. */
export const TranscriptHeader = () => {
  const { editor } = useReader();
  const { t, locale } = useI18n();
  const transcript = useStore(editor.store, (state) => state.transcript);
  const facts =
    transcript === undefined
      ? []
      : [
          transcript.duration > 0 ? formatClock(transcript.duration) : '',
          languagesFact(transcript, t, locale),
          transcript.speakers === undefined
            ? ''
            : t('transcript.speakers', { count: Object.keys(transcript.speakers).length }),
          modelLabel(transcript.model_id ?? transcript.model, t),
          transcript.word_count > 0 ? t('transcript.words', { count: transcript.word_count }) : '',
        ];
  return (
    <header className="mb-3 flex min-h-10 flex-wrap items-center justify-end gap-2 lg:flex-nowrap short:mb-2">
      <a
        href="#/"
        aria-label={t('transcript.back')}
        className="grid size-8 shrink-0 place-items-center rounded-ctl text-ink-2 hover:bg-sunken hover:text-ink"
      >
        <ArrowLeft size={16} className="rtl:rotate-180" aria-hidden />
      </a>
      <div className="min-w-0 flex-1 basis-[calc(100%-40px)] lg:basis-0">
        <NameField />
        <div className="tnum min-h-[1lh] text-xs text-ink-2 short:hidden">
          {facts.filter((fact) => fact !== '').join(' · ')}
        </div>
      </div>
      {isReadable(transcript) && <TranscriptActions />}
    </header>
  );
};

const NameField = () => {
  const { editor } = useReader();
  const { toasts, library } = useServices();
  const { t } = useI18n();
  const name = useStore(editor.store, (state) => state.transcript?.name ?? '');
  const [isEditing, setIsEditing] = useState(false);
  // A key that ends editing returns the focus to the name; a press elsewhere leaves it there.
  const returnsFocus = useRef(false);
  const finish = async (text: string) => {
    setIsEditing(false);
    if (text.trim() === '' || text.trim() === name) return;
    try {
      await editor.rename(text.trim());
      library.refresh();
    } catch (error) {
      toasts.show(describeError(error, t), { tone: 'bad' });
    }
  };
  const className = 'font-serif text-lg leading-tight font-semibold tracking-[-.01em]';
  if (!isEditing) {
    return (
      <h1 className={className}>
        <button
          type="button"
          ref={(button) => {
            if (returnsFocus.current) button?.focus();
            returnsFocus.current = false;
          }}
          title={t('transcript.rename')}
          className="max-w-full rounded-[4px] text-start [overflow-wrap:anywhere] hover:bg-sunken"
          onClick={() => setIsEditing(true)}
        >
          {name === '' ? '…' : name}
        </button>
      </h1>
    );
  }
  return (
    <h1 className={className}>
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
          returnsFocus.current = event.key === 'Enter' || event.key === 'Escape';
          if (!returnsFocus.current) return;
          // The key would press the button that has the focus then.
          event.preventDefault();
          if (event.key === 'Enter') event.currentTarget.blur();
          else setIsEditing(false);
        }}
        className="w-full rounded-[4px] bg-ground px-1"
      />
    </h1>
  );
};

const TranscriptActions = () => {
  const { editor, view } = useReader();
  const { t, locale } = useI18n();
  const doc = useStore(editor.store, (state) => state.doc);
  const acceptedWords = useStore(view, (state) => state.acceptedWords);
  const panel = useStore(view, (state) => state.panel);
  const uncertainCount = useMemo(
    () => (doc === undefined ? 0 : findUncertainSpans(doc, acceptedWords).length),
    [doc, acceptedWords],
  );
  const toggle = (next: 'find' | 'review') =>
    view.setState({ panel: panel === next ? 'none' : next, matchIndex: 0, spanIndex: 0 });
  return (
    <>
      <SaveStatus />
      <UndoButtons />
      <IconButton
        label={t('find.title')}
        hint="Ctrl F"
        pressed={panel === 'find'}
        onClick={() => toggle('find')}
      >
        <Search size={16} strokeWidth={1.75} aria-hidden />
      </IconButton>
      <Button variant="ghost" aria-pressed={panel === 'review'} onClick={() => toggle('review')}>
        <ListChecks size={16} strokeWidth={1.75} aria-hidden />
        <span className="sr-only sm:not-sr-only">{t('review.open')}</span>
        {uncertainCount > 0 && (
          <span className="tnum rounded-full bg-warn-soft px-[7px] text-xs leading-[18px] text-warn">
            {formatNumber(uncertainCount, locale)}
          </span>
        )}
      </Button>
      <Button onClick={() => view.setState({ isExporting: true })}>
        <Share size={15} strokeWidth={1.75} aria-hidden />
        <span className="sr-only sm:not-sr-only">{t('export.open')}</span>
      </Button>
      <IconButton
        label={t('side.open')}
        className="lg:hidden"
        onClick={() => view.setState({ isSidePanelOpen: true })}
      >
        <PanelRight size={16} strokeWidth={1.75} aria-hidden />
      </IconButton>
      <MoreMenu />
      <TranscriptCommands />
    </>
  );
};

const MoreMenu = () => {
  const reader = useReader();
  const { editor, view } = reader;
  const { t } = useI18n();
  const copy = useCopyTranscript();
  const remove = useDeleteTranscript();
  const isCompleted = useStore(editor.store, (state) => state.transcript?.status === 'completed');
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
        disabled={!isCompleted}
        // The menu returns the focus to its button while it closes.
        onSelect={() => setTimeout(() => editAtPlayhead(reader))}
      >
        {t('edit.start')}
      </MenuItem>
      <MenuItem
        icon={<Sparkles size={14} aria-hidden />}
        hint="A"
        disabled={!isCompleted}
        onSelect={() => view.setState({ isAnalyzing: true })}
      >
        {t('analyze.open')}
      </MenuItem>
      <MenuSeparator />
      <MenuItem icon={<Copy size={14} aria-hidden />} onSelect={() => void copy(false)}>
        {t('transcript.copy')}
      </MenuItem>
      <MenuItem icon={<Copy size={14} aria-hidden />} onSelect={() => void copy(true)}>
        {t('transcript.copyTimes')}
      </MenuItem>
      <MenuSeparator />
      <MenuItem icon={<Trash2 size={14} aria-hidden />} tone="bad" onSelect={remove}>
        {t('common.delete')}
      </MenuItem>
    </Menu>
  );
};

const UndoButtons = () => {
  const { editor } = useReader();
  const { undo, redo } = useHistory();
  const { t } = useI18n();
  const isUndoable = useStore(editor.store, canUndo);
  const isRedoable = useStore(editor.store, canRedo);
  if (!isUndoable && !isRedoable) return null;
  return (
    <>
      <IconButton label={t('common.undo')} hint="Ctrl Z" disabled={!isUndoable} onClick={undo}>
        <Undo2 size={16} strokeWidth={1.75} aria-hidden />
      </IconButton>
      <IconButton label={t('common.redo')} hint="Ctrl Y" disabled={!isRedoable} onClick={redo}>
        <Redo2 size={16} strokeWidth={1.75} aria-hidden />
      </IconButton>
    </>
  );
};

const SaveStatus = () => {
  const { editor } = useReader();
  const { t } = useI18n();
  const saving = useStore(editor.store, (state) => state.saving);
  const hasEdits = useStore(editor.store, (state) => state.hasEdited);
  const texts = { saved: hasEdits ? t('edit.saved') : '', failed: t('edit.notSaved') };
  return (
    <span role="status" className="mr-1 hidden text-xs whitespace-nowrap text-ink-3 sm:inline">
      {saving === 'saved' || saving === 'failed' ? texts[saving] : t('edit.saving')}
    </span>
  );
};
