import { ArrowDown, ArrowUp, ListOrdered, Pause, Play, Square } from 'lucide-react';
import { useStore } from 'zustand';
import type { UserListItem } from '../../../electron/contract/transcript-list.ts';
import { describeError } from '../../api/errors.ts';
import { RUNNING_JOBS } from '../../domain/jobs.ts';
import { latestProgress, ProgressLine } from '../../domain/progress-line.tsx';
import { useLibraryActions } from '../../domain/use-library-actions.ts';
import { useApi, useI18n, useServices } from '../../hooks/services.tsx';
import { hrefOf } from '../../stores/router.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Callout, EmptyState, SkeletonRows } from '../../ui/feedback.tsx';
import { Page, PageHeader } from '../../ui/page.tsx';
import { useWholeText } from '../../ui/whole-text.tsx';

const positionOf = (item: UserListItem) => item.progress?.queue_position ?? 0;

/** The running jobs, and the waiting ones in their order. */
const QueueScreen = () => {
  const { client, live, library, toasts } = useServices();
  const { t } = useI18n();
  const isPaused = useStore(live.store, (state) => state.isPaused);
  const answer = useApi(...RUNNING_JOBS);

  const run = async (work: () => Promise<unknown>) => {
    try {
      await work();
      await library.refresh();
    } catch (error) {
      toasts.show(describeError(error, t), { tone: 'bad' });
    }
  };
  const jobs = (answer.data?.data.transcriptions ?? []).toSorted((a, b) => positionOf(a) - positionOf(b));
  const lastPosition = Math.max(0, ...jobs.map(positionOf));
  return (
    <Page>
      <PageHeader title={t('nav.queue')} text={t('queue.text')}>
        <Button onClick={() => void run(() => client.call(isPaused ? 'resumeQueue' : 'pauseQueue'))}>
          {isPaused ? <Play size={14} aria-hidden /> : <Pause size={14} aria-hidden />}
          {isPaused ? t('queue.resume') : t('queue.pause')}
        </Button>
      </PageHeader>
      {isPaused && (
        <div role="status" className="mb-4">
          <Callout tone="warn">{t('queue.paused')}</Callout>
        </div>
      )}
      {answer.isPending && <SkeletonRows label={t('common.loading')} />}
      {answer.isError && answer.data === undefined && (
        <EmptyState role="alert" title={t('queue.failed')} text={describeError(answer.error, t)}>
          <Button onClick={() => void answer.refetch()}>{t('common.retry')}</Button>
        </EmptyState>
      )}
      {answer.data !== undefined && jobs.length === 0 && (
        <EmptyState
          role="status"
          icon={<ListOrdered size={28} strokeWidth={1.5} aria-hidden />}
          title={t('queue.empty')}
          text={t('queue.empty.text')}
        />
      )}
      <ol aria-label={t('nav.queue')}>
        {jobs.map((job) => (
          <Job
            key={job.id}
            job={job}
            lastPosition={lastPosition}
            onMove={(position) =>
              void run(() => client.call('moveInQueue', { params: { id: job.id }, body: { position } }))
            }
          />
        ))}
      </ol>
    </Page>
  );
};
export default QueueScreen;

type JobProps = { job: UserListItem; lastPosition: number; onMove: (position: number) => void };

const Job = ({ job, lastPosition, onMove }: JobProps) => {
  const { live } = useServices();
  const { t } = useI18n();
  const actions = useLibraryActions();
  const whole = useWholeText(job.name);
  const running = useStore(live.store, (state) => state.progress.get(job.id));
  const progress = latestProgress(running, job.progress);
  const position = progress?.queue_position ?? null;
  return (
    <li className="flex h-[67px] items-center gap-2 border-b border-line">
      <div className="min-w-0 flex-1">
        <span className="relative block">
          <a
            href={hrefOf({ screen: 'transcript', param: job.id })}
            {...whole.handlers}
            className="block truncate text-[calc(14px*var(--text-scale))] font-[580]"
          >
            {job.name}
          </a>
          {whole.popup}
        </span>
        <div className="mt-[3px] flex min-h-5 items-center text-xs">
          {progress !== undefined && <ProgressLine progress={progress} name={job.name} />}
        </div>
      </div>
      {position !== null && (
        <>
          <IconButton
            label={t('queue.up', { name: job.name })}
            disabled={position <= 1}
            onClick={() => onMove(position - 1)}
          >
            <ArrowUp size={15} aria-hidden />
          </IconButton>
          <IconButton
            label={t('queue.down', { name: job.name })}
            disabled={position >= lastPosition}
            onClick={() => onMove(position + 1)}
          >
            <ArrowDown size={15} aria-hidden />
          </IconButton>
        </>
      )}
      <IconButton
        label={t('queue.stop', { name: job.name })}
        // The second click of a double click may land on the next job, which moves up.
        onClick={({ detail }) => detail < 2 && void actions.cancel(job)}
      >
        <Square size={13} fill="currentColor" aria-hidden />
      </IconButton>
    </li>
  );
};
