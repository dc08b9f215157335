import { CircleAlert, Play, RotateCcw, Square, Trash2 } from 'lucide-react';
import type { Transcription } from '../../../electron/contract/transcript.ts';
import { describeJobError } from '../../api/errors.ts';
import { helpFor } from '../../domain/jobs.ts';
import { useLibraryActions } from '../../domain/use-library-actions.ts';
import { useI18n, useServices } from '../../hooks/services.tsx';
import { formatClock } from '../../lib/format.ts';
import { hrefOf } from '../../stores/router.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/feedback.tsx';

type Props = { transcript: Transcription; onRetry: () => void };

const useRemove = (id: string) => {
  const { router } = useServices();
  const actions = useLibraryActions();
  return () => {
    actions.remove([id]);
    router.go({ screen: 'library' });
  };
};

/** Says that the user stopped the job, above what was recognized until then. */
export const StoppedJob = ({ transcript: { id, segments }, onRetry }: Props) => {
  const { t } = useI18n();
  const remove = useRemove(id);
  const last = segments.at(-1);
  return (
    <section
      aria-label={t('job.cancelled')}
      className="flex flex-wrap items-center gap-x-5 gap-y-3 rounded-sheet border border-line bg-ground px-5 py-4"
    >
      <Square size={16} className="shrink-0 text-ink-3" aria-hidden />
      <div className="min-w-0 flex-1 basis-60">
        <h2 className="font-semibold">{t('job.cancelled')}</h2>
        <p className="text-ink-2">
          {last === undefined
            ? t('job.help.cancelled')
            : t('job.cancelled.kept', { at: formatClock(last.end) })}
        </p>
      </div>
      <div className="flex flex-wrap gap-2">
        <Button variant="primary" onClick={onRetry}>
          <Play size={15} aria-hidden />
          {t('library.continue')}
        </Button>
        <Button onClick={remove}>
          <Trash2 size={15} aria-hidden />
          {t('common.delete')}
        </Button>
      </div>
    </section>
  );
};

/** A failed job: its recording, why it failed, what helps, and what can be done. */
export const FailedJob = ({ transcript, onRetry }: Props) => {
  const { t } = useI18n();
  const { error, id } = transcript;
  const remove = useRemove(id);
  const help = helpFor(error?.code);
  return (
    <EmptyState
      role="alert"
      icon={<CircleAlert size={28} className="text-bad" aria-hidden />}
      title={t('job.failed')}
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
