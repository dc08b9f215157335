import { ArrowDown, ArrowUp, ListOrdered, Pause, Play, Square } from 'lucide-react';
import { useCallback, useEffect } from 'react';
import { useStore } from 'zustand';
import type { UserListItem } from '../../../electron/contract/transcript-list.ts';
import { Page } from '../../app/page.tsx';
import { PageHead } from '../../app/page-head.tsx';
import { useI18n, useServices } from '../../app/services.tsx';
import { errorText } from '../../lib/errors.ts';
import { useLoaded } from '../../lib/use-loaded.ts';
import { hrefOf } from '../../stores/router.ts';
import { Blank, Note } from '../../ui/bits.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { SkeletonRows } from '../../ui/skeleton.tsx';
import { newestProgress, ProgressLine } from '../library/progress-line.tsx';
import { useLibraryActions } from '../library/use-library-actions.ts';

const placeOf = (item: UserListItem) => item.progress?.queue_position ?? 0;

/** What is being worked on, and what waits in which order. */
const QueueScreen = () => {
  const { client, live, toasts } = useServices();
  const { t } = useI18n();
  const paused = useStore(live.store, (state) => state.paused);
  const load = useCallback(
    async (signal: AbortSignal) => {
      const { data } = await client.call('listTranscripts', {
        query: { status: 'processing', limit: 100 },
        signal,
      });
      return [...data.transcriptions].sort((a, b) => placeOf(a) - placeOf(b));
    },
    [client],
  );
  const { loaded, again } = useLoaded(load);
  useEffect(
    () =>
      live.listen((event) => {
        if (event.type !== 'transcript.progress') again();
      }),
    [live, again],
  );

  const run = async (work: () => Promise<unknown>) => {
    try {
      await work();
      again();
    } catch (error) {
      toasts.show(errorText(error, t), { tone: 'bad' });
    }
  };
  const jobs = loaded.state === 'ready' ? loaded.value : [];
  const mostPlace = Math.max(0, ...jobs.map(placeOf));
  return (
    <Page>
      <PageHead title={t('nav.queue')} text={t('queue.text')}>
        <Button onClick={() => void run(() => client.call(paused ? 'resumeQueue' : 'pauseQueue'))}>
          {paused ? <Play size={14} aria-hidden /> : <Pause size={14} aria-hidden />}
          {paused ? t('queue.resume') : t('queue.pause')}
        </Button>
      </PageHead>
      {paused && (
        <div role="status" className="mb-4">
          <Note tone="warn">{t('queue.paused')}</Note>
        </div>
      )}
      {loaded.state === 'loading' && <SkeletonRows label={t('common.loading')} />}
      {loaded.state === 'failed' && (
        <Blank role="alert" title={t('queue.failed')} text={errorText(loaded.error, t)}>
          <Button onClick={again}>{t('common.retry')}</Button>
        </Blank>
      )}
      {loaded.state === 'ready' && jobs.length === 0 && (
        <Blank
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
            mostPlace={mostPlace}
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

type JobProps = { job: UserListItem; mostPlace: number; onMove: (position: number) => void };

const Job = ({ job, mostPlace, onMove }: JobProps) => {
  const { live } = useServices();
  const { t } = useI18n();
  const actions = useLibraryActions();
  const running = useStore(live.store, (state) => state.progress.get(job.id));
  const progress = newestProgress(running, job.progress);
  const place = progress?.queue_position ?? null;
  return (
    <li className="flex h-[67px] items-center gap-2 border-b border-line">
      <div className="min-w-0 flex-1">
        <a
          href={hrefOf({ screen: 'transcript', param: job.id })}
          className="block truncate text-[calc(14px*var(--text-scale))] font-[580]"
        >
          {job.name}
        </a>
        <div className="mt-[3px] flex min-h-5 items-center text-xs">
          {progress !== undefined && <ProgressLine progress={progress} name={job.name} />}
        </div>
      </div>
      {place !== null && (
        <>
          <IconButton
            label={t('queue.up', { name: job.name })}
            disabled={place <= 1}
            onClick={() => onMove(place - 1)}
          >
            <ArrowUp size={15} aria-hidden />
          </IconButton>
          <IconButton
            label={t('queue.down', { name: job.name })}
            disabled={place >= mostPlace}
            onClick={() => onMove(place + 1)}
          >
            <ArrowDown size={15} aria-hidden />
          </IconButton>
        </>
      )}
      <IconButton label={t('queue.stop', { name: job.name })} onClick={() => void actions.cancel(job)}>
        <Square size={13} fill="currentColor" aria-hidden />
      </IconButton>
    </li>
  );
};
