import { useI18n, useServices } from '../../app/services.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';

/** Confirms that an unsaved recording is discarded. */
export const DiscardRecordingDialog = ({ onKeep }: { onKeep: () => void }) => {
  const { dialogs } = useServices();
  const { t } = useI18n();
  return (
    <ConfirmDialog
      title={t('record.discard.title')}
      text={t('record.discard.text')}
      confirmLabel={t('record.discard')}
      cancelLabel={t('record.keep')}
      onConfirm={dialogs.close}
      onCancel={onKeep}
    />
  );
};
