import { Square } from 'lucide-react';
import { useRef } from 'react';
import { useStore } from 'zustand';
import { describeError } from '../../api/errors.ts';
import { describeProgress, latestProgress } from '../../domain/progress-line.tsx';
import { speakerColor, speakerIndex } from '../../domain/speakers.ts';
import { useI18n, useServices } from '../../hooks/services.tsx';
import { cx } from '../../lib/classes.ts';
import { formatClock, formatPercent } from '../../lib/format.ts';
import { Button } from '../../ui/button.tsx';
import { ProgressBar } from '../../ui/feedback.tsx';
import { ScrollRegion } from '../../ui/scroll-region.tsx';
import { FailedJob, StoppedJob } from './failed-job.tsx';
import { useReader } from './reader.tsx';

const useJobAction = () => {
  const { editor, id } = useReader();
  const { client, toasts, library } = useServices();
  const { t } = useI18n();
  // The second click of a double click asks for nothing new.
  const isChanging = useRef(false);
  return async (route: 'cancelTranscript' | 'retryTranscript') => {
    if (isChanging.current) return;
    isChanging.current = true;
    try {
      editor.show(await client.call(route, { params: { id } }));
      library.refresh();
    } catch (error) {
      toasts.show(describeError(error, t), { tone: 'bad' });
    } finally {
      isChanging.current = false;
    }
  };
};

/** Says that the user stopped the job, and offers to go on. */
export const StoppedNotice = () => {
  const { editor } = useReader();
  const run = useJobAction();
  const transcript = useStore(editor.store, (state) => state.transcript);
  if (transcript?.status_reason !== 'cancelled') return null;
  return <StoppedJob transcript={transcript} onRetry={() => void run('retryTranscript')} />;
};

/** A running job shows its progress and partial text; a failed one why, and what helps. */
export const JobView = () => {
  const { editor } = useReader();
  const run = useJobAction();
  const transcript = useStore(editor.store, (state) => state.transcript);

  if (transcript === undefined) return null;
  if (transcript.status_reason === 'cancelled') return <StoppedNotice />;
  if (transcript.status === 'failed') {
    return (
      <div className="min-h-0 flex-1 overflow-y-auto">
        <FailedJob transcript={transcript} onRetry={() => void run('retryTranscript')} />
        <PartialText />
      </div>
    );
  }
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <ProgressCard />
      <PartialText />
    </div>
  );
};

/** The progress of the job, with a button that cancels it. */
export const ProgressCard = () => {
  const { editor, id } = useReader();
  const { live } = useServices();
  const run = useJobAction();
  const i18n = useI18n();
  const { t, locale } = i18n;
  const stored = useStore(editor.store, (state) => state.transcript?.progress);
  const name = useStore(editor.store, (state) => state.transcript?.name ?? '');
  const reported = useStore(live.store, (state) => state.progress.get(id));
  const progress = latestProgress(reported, stored);
  if (progress === undefined) return null;
  return (
    <section
      aria-label={t('job.label')}
      className="flex items-center gap-5 rounded-sheet border border-line bg-ground px-5 py-4"
    >
      <span className="tnum font-serif text-xl font-semibold">
        {formatPercent(progress.percent / 100, locale)}
      </span>
      <div className="min-w-0 flex-1">
        <p aria-live="polite" className="tnum mb-2 truncate text-accent-text">
          {describeProgress(progress, i18n)}
        </p>
        <ProgressBar value={progress.percent / 100} label={t('stage.of', { name })} />
      </div>
      <Button onClick={() => void run('cancelTranscript')}>
        <Square size={13} fill="currentColor" aria-hidden />
        {t('library.cancel')}
      </Button>
    </section>
  );
};

const SEGMENTS_SHOWN = 200;

const PartialText = () => {
  const { editor } = useReader();
  const { t } = useI18n();
  const isGrowing = useStore(editor.store, (state) => state.transcript?.status === 'processing');
  const segments = useStore(editor.store, (state) => state.transcript?.segments ?? []);
  if (segments.length === 0) return null;
  // Only the latest segments while more come: rendering all of a long recording is slow.
  const shown = isGrowing ? segments.slice(-SEGMENTS_SHOWN) : segments;
  return (
    <ScrollRegion
      label={t('job.partialText')}
      className={cx('flex min-h-0 flex-1 overflow-y-auto py-4', isGrowing ? 'flex-col-reverse' : 'flex-col')}
    >
      <div className="mx-auto w-full max-w-[678px]">
        {shown.map((segment) => (
          <div
            key={segment.id}
            className="turn"
            style={
              segment.speaker_id === null
                ? undefined
                : { '--c': speakerColor(speakerIndex(segment.speaker_id)) }
            }
          >
            <span className="tnum font-mono text-2xs text-ink-3">{formatClock(segment.start, true)}</span>
            <p>{segment.text}</p>
          </div>
        ))}
      </div>
    </ScrollRegion>
  );
};
