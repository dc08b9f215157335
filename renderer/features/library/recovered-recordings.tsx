import { useState } from 'react';
import type { StoredFile } from '../../../electron/contract/storage.ts';
import { describeError } from '../../api/errors.ts';
import { invalidate } from '../../api/queries.ts';
import { DiscardRecordingDialog } from '../../domain/discard-recording-dialog.tsx';
import { useApi, useI18n, useServices } from '../../hooks/services.tsx';
import { formatBytes, formatDateTime } from '../../lib/format.ts';
import { Button } from '../../ui/button.tsx';
import { Callout } from '../../ui/feedback.tsx';

/** Recordings that the service finished because their window was gone; nothing without any. */
export const RecoveredRecordings = () => {
  const { client, queries, dialogs, toasts } = useServices();
  const { t, locale } = useI18n();
  const files = useApi('listFiles', { query: { 'metadata[recovered]': 'true' } }).data?.data.files ?? [];
  const [discarding, setDiscarding] = useState<StoredFile>();
  const change = async (work: Promise<unknown>) => {
    try {
      await work;
      await invalidate(queries, ['listFiles']);
    } catch (error) {
      toasts.show(describeError(error, t), { tone: 'bad' });
    }
  };
  if (files.length === 0) return null;
  return (
    <section aria-label={t('record.recovered.label')} className="mb-4 flex flex-col gap-2">
      {files.map((file) => {
        const { recovered: _, ...metadata } = file.metadata;
        const { key, original_name: name } = file;
        return (
          <Callout
            key={key}
            tone="warn"
            action={
              <span className="flex shrink-0 flex-wrap justify-end gap-x-3">
                <Button
                  variant="link"
                  className="!text-warn"
                  onClick={() =>
                    dialogs.open({
                      kind: 'create',
                      sources: [{ kind: 'stored', key, name, recovered: { metadata } }],
                    })
                  }
                >
                  {t('create.start')}
                </Button>
                <Button
                  variant="link"
                  className="!text-warn"
                  onClick={() =>
                    void change(client.call('patchFile', { params: { fileKey: key }, body: { metadata } }))
                  }
                >
                  {t('record.recovered.keep')}
                </Button>
                <Button variant="link" className="!text-warn" onClick={() => setDiscarding(file)}>
                  {t('common.delete')}
                </Button>
              </span>
            }
          >
            {t('record.recovered', {
              date: formatDateTime(file.uploaded_at, locale),
              size: formatBytes(file.size, locale),
            })}
          </Callout>
        );
      })}
      {discarding !== undefined && (
        <DiscardRecordingDialog
          onKeep={() => setDiscarding(undefined)}
          onDiscard={() => {
            setDiscarding(undefined);
            void change(client.call('deleteFile', { params: { fileKey: discarding.key } }));
          }}
        />
      )}
    </section>
  );
};
