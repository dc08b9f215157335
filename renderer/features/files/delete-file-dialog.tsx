import type { StoredFile } from '../../../electron/contract/storage.ts';
import { useI18n } from '../../app/services.tsx';
import { useApi } from '../../app/use-api.ts';
import { describeError } from '../../lib/errors.ts';
import { ConfirmDialog } from '../../ui/dialog.tsx';

const MAX_LISTED = 5;

type Props = { file: StoredFile; onConfirm: () => void; onCancel: () => void };

/** Confirms the deletion of a file and lists the transcripts made from it. */
export const DeleteFileDialog = ({ file, onConfirm, onCancel }: Props) => {
  const { t } = useI18n();
  return (
    <ConfirmDialog
      title={t('files.delete.title', { name: file.original_name })}
      text={
        <>
          <p>{t('files.delete.text')}</p>
          <DependentTranscripts file={file} />
          {file.public && <p className="mt-2">{t('files.delete.public')}</p>}
        </>
      }
      confirmLabel={t('common.delete')}
      cancelLabel={t('common.cancel')}
      onConfirm={onConfirm}
      onCancel={onCancel}
    />
  );
};

const DependentTranscripts = ({ file }: { file: StoredFile }) => {
  const { t } = useI18n();
  const answer = useApi('listTranscripts', { query: { file_key: file.key, limit: MAX_LISTED } });
  if (answer.isPending) {
    return (
      <p role="status" className="mt-2">
        {t('files.delete.looking')}
      </p>
    );
  }
  if (answer.data === undefined) {
    return (
      <p role="alert" className="mt-2 text-bad">
        {describeError(answer.error, t)}
      </p>
    );
  }
  const { transcriptions, pagination } = answer.data.data;
  if (pagination.total === 0) return <p className="mt-2">{t('files.delete.unused')}</p>;
  const more = pagination.total - transcriptions.length;
  return (
    <div role="status" className="mt-3 rounded-box bg-warn-soft px-3.5 py-2.5 text-warn">
      <p>{t('files.delete.transcripts', { count: pagination.total })}</p>
      <ul className="mt-1.5 list-disc ps-5">
        {transcriptions.map((transcript) => (
          <li key={transcript.id} className="truncate">
            {transcript.name}
          </li>
        ))}
        {more > 0 && <li>{t('files.delete.more', { count: more })}</li>}
      </ul>
    </div>
  );
};
