import { useI18n } from '../hooks/services.tsx';
import { ConfirmDialog } from '../ui/dialog.tsx';

type Props = { onKeep: () => void; onDiscard: () => void };

/** Confirms that a recording is discarded. */
export const DiscardRecordingDialog = ({ onKeep, onDiscard }: Props) => {
  const { t } = useI18n();
  return (
    <ConfirmDialog
      title={t('record.discard.title')}
      text={t('record.discard.text')}
      confirmLabel={t('record.discard')}
      cancelLabel={t('record.keep')}
      onConfirm={onDiscard}
      onCancel={onKeep}
    />
  );
};
