import { useCallback } from 'react';
import { EXPORT_DEFAULTS, fetchExport } from '../../api/export.ts';
import { useI18n, useServices } from '../../app/services.tsx';
import { errorText } from '../../lib/errors.ts';
import { useReader } from './reader.tsx';

/** Copies the text, with or without the times, as it is with the last correction. */
export const useCopyText = () => {
  const { transcripts, id } = useReader();
  const { client, toasts } = useServices();
  const { t } = useI18n();
  return useCallback(
    async (times: boolean) => {
      try {
        await transcripts.save();
        const { blob } = await fetchExport(client, id, { ...EXPORT_DEFAULTS, times });
        await navigator.clipboard.writeText(await blob.text());
        toasts.show(t('common.copied'));
      } catch (error) {
        toasts.show(errorText(error, t), { tone: 'bad' });
      }
    },
    [client, id, t, toasts, transcripts],
  );
};
