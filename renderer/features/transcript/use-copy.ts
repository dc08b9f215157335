import { useCallback } from 'react';
import { DEFAULT_EXPORT_OPTIONS, fetchExport } from '../../api/export.ts';
import { useI18n, useServices } from '../../app/services.tsx';
import { describeError } from '../../lib/errors.ts';
import { useReader } from './reader.tsx';

/** Copies the text, with or without the times, as it is with the last correction. */
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
