import { useEffect, useState } from 'react';
import { useStore } from 'zustand';
import { useI18n, useServices } from '../../app/services.tsx';
import { formatBytes, formatDateTime } from '../../lib/format.ts';
import type { StoredRecording } from '../../lib/recording-storage.ts';
import { Button } from '../../ui/button.tsx';
import { Callout } from '../../ui/feedback.tsx';
import { DiscardRecordingDialog } from '../create/discard-recording-dialog.tsx';

/** Microphone recordings that a window left behind when it crashed or was closed; nothing without any. */
export const RecoveredRecordings = () => {
  const { recording, dialogs } = useServices();
  const { t, locale } = useI18n();
  const left = useStore(recording.store, (state) => state.left);
  const [discarding, setDiscarding] = useState<StoredRecording>();
  useEffect(() => void recording.refresh(), [recording]);
  const open = async (found: StoredRecording) => {
    const recovered = await recording.recover(found);
    if (recovered !== undefined) dialogs.open({ kind: 'create', sources: [{ kind: 'file', ...recovered }] });
  };
  if (left.length === 0) return null;
  return (
    <section aria-label={t('record.recovered.label')} className="mb-4 flex flex-col gap-2">
      {left.map((found) => (
        <Callout
          key={found.id}
          tone="warn"
          action={
            <span className="flex shrink-0 gap-3">
              <Button variant="link" className="!text-warn" onClick={() => void open(found)}>
                {t('create.start')}
              </Button>
              <Button variant="link" className="!text-warn" onClick={() => setDiscarding(found)}>
                {t('common.delete')}
              </Button>
            </span>
          }
        >
          {t('record.recovered', {
            date: formatDateTime(new Date(found.startedAt).toISOString(), locale),
            size: formatBytes(found.file.size, locale),
          })}
        </Callout>
      ))}
      {discarding !== undefined && (
        <DiscardRecordingDialog
          onKeep={() => setDiscarding(undefined)}
          onDiscard={() => {
            setDiscarding(undefined);
            recording.remove(discarding.id).catch(reportError);
          }}
        />
      )}
    </section>
  );
};
