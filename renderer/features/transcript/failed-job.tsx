import { CircleAlert, RotateCcw, Trash2 } from 'lucide-react';
import type { Transcription } from '../../../electron/contract/transcript.ts';
import { describeJobError } from '../../api/errors.ts';
import { helpFor } from '../../domain/jobs.ts';
import { useLibraryActions } from '../../domain/use-library-actions.ts';
import { useI18n, useServices } from '../../hooks/services.tsx';
import { hrefOf } from '../../stores/router.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/feedback.tsx';

type Props = { transcript: Transcription; onRetry: () => void };

/** A failed job: its recording, why it failed, what helps, and what can be done. */
export const FailedJob = ({ transcript, onRetry }: Props) => {
  const { router } = useServices();
  const { t } = useI18n();
  const actions = useLibraryActions();
  const { error, id } = transcript;
  const help = helpFor(error?.code);
  const remove = () => {
    actions.remove([id]);
    router.go({ screen: 'library' });
  };
  return (
    <EmptyState
      role="alert"
      icon={<CircleAlert size={28} className="text-bad" aria-hidden />}
      title={error?.code === 'cancelled' ? t('job.cancelled') : t('job.failed')}
      text={
        <>
          <Recording transcript={transcript} />
          <span className="mt-3 block text-ink">{describeJobError(error, t)}</span>
          <span className="mt-1.5 block">
            {t(help.text)}{' '}
            {help.place !== undefined && (
              <a
                href={hrefOf(help.place.route)}
                className="text-accent-text underline underline-offset-[3px] hover:no-underline"
              >
                {t(help.place.name)}
              </a>
            )}
          </span>
        </>
      }
    >
      {help.canRetry && (
        <Button variant="primary" onClick={onRetry}>
          <RotateCcw size={15} aria-hidden />
          {t('library.retry')}
        </Button>
      )}
      <Button onClick={remove}>
        <Trash2 size={15} aria-hidden />
        {t('common.delete')}
      </Button>
    </EmptyState>
  );
};

/** The link or the file that was to be transcribed. */
const Recording = ({ transcript: { audio_url: url, file_info: file } }: Pick<Props, 'transcript'>) => {
  if (!/^https?:/.test(url))
    return file === null ? null : <span className="block font-mono text-2xs break-all">{file.name}</span>;
  return (
    <a
      href={url}
      target="_blank"
      rel="noreferrer"
      className="block font-mono text-2xs text-accent-text underline underline-offset-[3px] [overflow-wrap:anywhere]"
    >
      {url}
    </a>
  );
};
