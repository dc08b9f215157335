import { useMemo } from 'react';
import { describeError } from '../../api/errors.ts';
import { useI18n, useServices } from '../../hooks/services.tsx';
import type { Change } from './history.ts';
import { useReader } from './reader.tsx';

/** Undo and Redo of the open transcript; a failure becomes a toast. */
export const useHistory = () => {
  const { editor } = useReader();
  const { toasts } = useServices();
  const { t } = useI18n();
  return useMemo(() => {
    const guarded = (move: () => Promise<void>) => () => {
      move().catch((error: unknown) => toasts.show(describeError(error, t), { tone: 'bad' }));
    };
    const undo = guarded(editor.undo);
    return {
      undo,
      redo: guarded(editor.redo),
      /** Shows a toast that undoes the edit that a job made. It goes as soon as Undo would take back another one. */
      offerUndoOfJob: (text: string, edit: number) => {
        const toast = toasts.show(text, { action: { label: t('common.undo'), run: undo } });
        const stop = editor.store.subscribe(({ transcript, undoStack }) => {
          if (undoStack.length === 0 && transcript?.edits?.undo?.id === edit) return;
          stop();
          toasts.dismiss(toast);
        });
      },
      /** Shows a toast that undoes this change, if there is one. It goes as soon as Undo would take back another one. */
      offerUndo: (text: string, change: Change | undefined) => {
        if (change === undefined) {
          toasts.show(text);
          return;
        }
        const toast = toasts.show(text, { action: { label: t('common.undo'), run: undo } });
        const stop = editor.store.subscribe(({ undoStack }) => {
          if (undoStack.at(-1) === change) return;
          stop();
          toasts.dismiss(toast);
        });
      },
    };
  }, [editor, toasts, t]);
};
export type History = ReturnType<typeof useHistory>;
