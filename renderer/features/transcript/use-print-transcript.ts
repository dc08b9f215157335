import { useCallback } from 'react';
import { describeError } from '../../api/errors.ts';
import { DEFAULT_EXPORT_OPTIONS, fetchExport } from '../../api/export.ts';
import { useI18n, useServices } from '../../hooks/services.tsx';
import { useReader } from './reader.tsx';

/** Prints the text with its last corrections: the page shows only the part that is scrolled to. */
export const usePrintTranscript = () => {
  const { editor, id } = useReader();
  const { client, toasts } = useServices();
  const { t } = useI18n();
  return useCallback(async () => {
    try {
      await editor.save();
      const { blob } = await fetchExport(client, id, DEFAULT_EXPORT_OPTIONS);
      const sheet = document.createElement('pre');
      sheet.className = 'print-sheet';
      sheet.textContent = await blob.text();
      document.body.append(sheet);
      window.addEventListener('afterprint', () => sheet.remove(), { once: true });
      window.print();
    } catch (error) {
      toasts.show(describeError(error, t), { tone: 'bad' });
    }
  }, [client, id, t, toasts, editor]);
};
