import { useCallback } from 'react';
import type { StoredFile } from '../../../electron/contract/storage.ts';
import { useI18n, useServices } from '../../app/services.tsx';
import { describeError } from '../../lib/errors.ts';
import { useResource } from '../../lib/use-resource.ts';
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
  const { client } = useServices();
  const { t } = useI18n();
  const load = useCallback(
    async (signal: AbortSignal) =>
      (await client.call('listTranscripts', { query: { file_key: file.key, limit: MAX_LISTED }, signal }))
        .data,
    [client, file.key],
  );
  const { resource } = useResource(load);
  if (resource.state === 'loading') {
    return (
      <p role="status" className="mt-2">
        {t('files.delete.looking')}
      </p>
    );
  }
  if (resource.state === 'failed') {
    return (
      <p role="alert" className="mt-2 text-bad">
        {describeError(resource.error, t)}
      </p>
    );
  }
  const { transcriptions, pagination } = resource.value;
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
