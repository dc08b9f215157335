import { useMemo } from 'react';
import { describeError } from '../../api/errors.ts';
import { useI18n, useServices } from '../../hooks/services.tsx';
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
      /** Shows a toast that undoes this edit, if there is one. It goes as soon as Undo would take back another one. */
      offerUndo: (text: string, edit: number | undefined) => {
        if (edit === undefined) {
          toasts.show(text);
          return;
        }
        const toast = toasts.show(text, { action: { label: t('common.undo'), run: undo } });
        const stop = editor.store.subscribe(({ saving, next }) => {
          if (saving === 'saved' && next.undo === edit) return;
          stop();
          toasts.dismiss(toast);
        });
      },
    };
  }, [editor, toasts, t]);
};
export type History = ReturnType<typeof useHistory>;
