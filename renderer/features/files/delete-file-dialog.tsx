import type { UseQueryResult } from '@tanstack/react-query';
import type { FileLinks, LinkEffect, StoredFile } from '../../../electron/contract/storage.ts';
import { describeError } from '../../api/errors.ts';
import { useApi, useI18n } from '../../hooks/services.tsx';
import { cx } from '../../lib/classes.ts';
import { ConfirmDialog } from '../../ui/dialog.tsx';

const MAX_LISTED = 5;

type Props = { file: StoredFile; onConfirm: () => void; onCancel: () => void };

/** Confirms the deletion of a file and says what becomes of the transcripts made from it. */
export const DeleteFileDialog = ({ file, onConfirm, onCancel }: Props) => {
  const { t } = useI18n();
  const links = useApi('fileLinks', { params: { fileKey: file.key } });
  return (
    <ConfirmDialog
      title={t('files.delete.title', { name: file.original_name })}
      text={
        <>
          <p>{t('files.delete.text')}</p>
          <DependentTranscripts answer={links} />
          {file.public && <p className="mt-2">{t('files.delete.public')}</p>}
        </>
      }
      confirmLabel={t('common.delete')}
      cancelLabel={t('common.cancel')}
      canConfirm={!links.isPending}
      onConfirm={onConfirm}
      onCancel={onCancel}
    />
  );
};

type Link = FileLinks['data']['transcriptions'][number];

const EFFECTS = ['audio_lost', 'retry_lost', 'job_fails', 'nothing'] as const satisfies readonly LinkEffect[];

const DependentTranscripts = ({ answer }: { answer: UseQueryResult<FileLinks> }) => {
  const { t } = useI18n();
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
  const { total, effects, redacted, transcriptions } = answer.data.data;
  if (total === 0) return <p className="mt-2">{t('files.delete.unused')}</p>;
  return (
    <div role="status">
      {EFFECTS.filter((effect) => effects[effect] > 0).map((effect) => (
        <LinkGroup
          key={effect}
          effect={effect}
          count={effects[effect]}
          links={transcriptions.filter((link) => link.if_deleted === effect)}
        />
      ))}
      {redacted > 0 && <p className="mt-2">{t('files.delete.redacted', { count: redacted })}</p>}
    </div>
  );
};

/** The transcripts to which the same happens. */
const LinkGroup = ({ effect, count, links }: { effect: LinkEffect; count: number; links: Link[] }) => {
  const { t } = useI18n();
  const shown = links.slice(0, MAX_LISTED);
  return (
    <div
      className={cx(
        'mt-3 rounded-box px-3.5 py-2.5',
        effect === 'nothing' ? 'bg-sunken text-ink-2' : 'bg-warn-soft text-warn',
      )}
    >
      <p>{t(`files.delete.${effect}`, { count })}</p>
      <ul className="mt-1.5 list-disc ps-5">
        {shown.map((transcript) => (
          <li key={transcript.id} className="truncate">
            {transcript.name}
          </li>
        ))}
        {count > shown.length && <li>{t('files.delete.more', { count: count - shown.length })}</li>}
      </ul>
    </div>
  );
};
