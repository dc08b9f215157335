import { useI18n, useServices } from '../../app/services.tsx';
import { Confirm } from '../../ui/dialog.tsx';

/** Asks before a dialog closes over a recording that was not transcribed. */
export const DiscardRecording = ({ onKeep }: { onKeep: () => void }) => {
  const { dialogs } = useServices();
  const { t } = useI18n();
  return (
    <Confirm
      title={t('record.discard.title')}
      text={t('record.discard.text')}
      confirm={t('record.discard')}
      cancel={t('record.keep')}
      onConfirm={dialogs.close}
      onCancel={onKeep}
    />
  );
};
