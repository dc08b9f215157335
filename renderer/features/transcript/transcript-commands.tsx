import { useCallback, useEffect } from 'react';
import { useStore } from 'zustand';
import { describeError } from '../../api/errors.ts';
import { DEFAULT_EXPORT_OPTIONS, fetchExport } from '../../api/export.ts';
import { useLibraryActions } from '../../domain/use-library-actions.ts';
import { useI18n, useServices } from '../../hooks/services.tsx';
import type { ScreenCommand } from '../../stores/commands.ts';
import { type Reader, useReader } from './reader.tsx';
import { canRedo, canUndo } from './transcript-editor.ts';
import { useHistory } from './use-history.ts';
import { usePrintTranscript } from './use-print-transcript.ts';
import {
  adjustTimesHere,
  askToDiarizeFromHere,
  askWhoSpeaks,
  editAtPlayhead,
} from './use-reader-shortcuts.ts';

/** Copies the text with its last corrections, with or without times. */
export const useCopyTranscript = () => {
  const { editor, id } = useReader();
  const { client, toasts } = useServices();
  const { t } = useI18n();
  return useCallback(
    async (times: boolean) => {
      try {
        await editor.save();
        const { blob } = await fetchExport(client, id, { ...DEFAULT_EXPORT_OPTIONS, times });
        await navigator.clipboard.writeText(await blob.text());
        toasts.show(t('common.copied'));
      } catch (error) {
        toasts.show(describeError(error, t), { tone: 'bad' });
      }
    },
    [client, id, t, toasts, editor],
  );
};

/** Deletes the transcript, which Undo brings back, and leaves it. */
export const useDeleteTranscript = () => {
  const { id } = useReader();
  const { router } = useServices();
  const actions = useLibraryActions();
  return () => {
    actions.remove([id]);
    router.go({ screen: 'library' });
  };
};

const viewCommands = ({ view }: Reader): ScreenCommand[] => [
  { label: 'find.title', keys: 'Ctrl F', run: () => view.setState({ panel: 'find' }) },
  { label: 'keys.review', keys: 'R', run: () => view.setState({ panel: 'review', spanIndex: 0 }) },
  { label: 'export.title', keys: 'Ctrl E', run: () => view.setState({ isExporting: true }) },
];

/** Offers what can be done with the transcript in the command palette. */
export const TranscriptCommands = () => {
  const reader = useReader();
  const { commands } = useServices();
  const { undo, redo } = useHistory();
  const copy = useCopyTranscript();
  const print = usePrintTranscript();
  const remove = useDeleteTranscript();
  const { editor, player, view } = reader;
  const isCompleted = useStore(editor.store, (state) => state.transcript?.status === 'completed');
  const hasChannels = useStore(editor.store, (state) => state.transcript?.channels !== undefined);
  const isUndoable = useStore(editor.store, canUndo);
  const isRedoable = useStore(editor.store, canRedo);
  useEffect(() => {
    const changes: ScreenCommand[] = [
      { label: 'edit.start', keys: 'E', run: () => editAtPlayhead(reader) },
      { label: 'keys.speaker', keys: 'S', run: () => askWhoSpeaks(reader) },
      { label: 'keys.times', keys: 'T', run: () => adjustTimesHere(reader) },
      ...(hasChannels
        ? []
        : [{ label: 'diarize.open', keys: '⇧ S', run: () => askToDiarizeFromHere(reader) } as const]),
      { label: 'analyze.open', keys: 'A', run: () => view.setState({ isAnalyzing: true }) },
    ];
    const history: ScreenCommand[] = [
      ...(isUndoable ? [{ label: 'common.undo', keys: 'Ctrl Z', run: undo } as const] : []),
      ...(isRedoable ? [{ label: 'common.redo', keys: 'Ctrl Y', run: redo } as const] : []),
    ];
    const list: ScreenCommand[] = [
      { label: 'keys.play', keys: 'K', run: player.toggle },
      ...viewCommands(reader),
      { label: 'keys.print', keys: 'Ctrl P', run: () => void print() },
      ...(isCompleted ? changes : []),
      ...history,
      { label: 'transcript.copy', run: () => void copy(false) },
      { label: 'transcript.copyTimes', run: () => void copy(true) },
      { label: 'transcript.delete', run: remove },
    ];
    commands.setState({ screen: { heading: 'palette.transcript', list } });
  });
  useEffect(() => () => commands.setState({ screen: undefined }), [commands]);
  return null;
};
