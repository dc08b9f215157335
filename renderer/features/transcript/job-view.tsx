import { CircleAlert, RotateCcw, Square } from 'lucide-react';
import { useStore } from 'zustand';
import { useI18n, useServices } from '../../app/services.tsx';
import { errorText, jobErrorText } from '../../lib/errors.ts';
import { clock, percent } from '../../lib/format.ts';
import { speakerColour, speakerIndex } from '../../lib/speakers.ts';
import { Blank, ProgressBar } from '../../ui/bits.tsx';
import { Button } from '../../ui/button.tsx';
import { ScrollRegion } from '../../ui/scroll-region.tsx';
import { newestProgress, progressText } from '../library/progress-line.tsx';
import { useReader } from './reader.tsx';

const useJobAction = () => {
  const { transcripts, id } = useReader();
  const { client, toasts, library } = useServices();
  const { t } = useI18n();
  return async (route: 'cancelTranscript' | 'retryTranscript') => {
    try {
      transcripts.take(await client.call(route, { params: { id } }));
      library.refresh();
    } catch (error) {
      toasts.show(errorText(error, t), { tone: 'bad' });
    }
  };
};

/** A job at work shows how far it is and the text so far; one that failed says why and what can be done. */
export const JobView = () => {
  const { transcripts } = useReader();
  const { t } = useI18n();
  const run = useJobAction();
  const transcript = useStore(transcripts.store, (state) => state.transcript);

  if (transcript === undefined) return null;
  if (transcript.status === 'failed') {
    return (
      <div className="min-h-0 flex-1 overflow-y-auto">
        <Blank
          role="alert"
          icon={<CircleAlert size={28} className="text-bad" aria-hidden />}
          title={transcript.error?.code === 'cancelled' ? t('job.cancelled') : t('job.failed')}
          text={jobErrorText(transcript.error, t)}
        >
          <Button look="primary" onClick={() => void run('retryTranscript')}>
            <RotateCcw size={15} aria-hidden />
            {t('library.retry')}
          </Button>
        </Blank>
        <TextSoFar />
      </div>
    );
  }
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <ProgressCard />
      <TextSoFar />
    </div>
  );
};

/** How far the work on this transcript is, and the way to stop it. */
export const ProgressCard = () => {
  const { transcripts, id } = useReader();
  const { live } = useServices();
  const run = useJobAction();
  const i18n = useI18n();
  const { t, locale } = i18n;
  const stored = useStore(transcripts.store, (state) => state.transcript?.progress);
  const name = useStore(transcripts.store, (state) => state.transcript?.name ?? '');
  const told = useStore(live.store, (state) => state.progress.get(id));
  const progress = newestProgress(told, stored);
  if (progress === undefined) return null;
  return (
    <section
      aria-label={t('job.label')}
      className="flex items-center gap-5 rounded-sheet border border-line bg-ground px-5 py-4"
    >
      <span className="tnum font-serif text-xl font-semibold">{percent(progress.percent / 100, locale)}</span>
      <div className="min-w-0 flex-1">
        <p aria-live="polite" className="tnum mb-2 truncate text-accent-text">
          {progressText(progress, i18n)}
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

const SHOWN = 200;

const TextSoFar = () => {
  const { transcripts } = useReader();
  const { t } = useI18n();
  const segments = useStore(transcripts.store, (state) => state.transcript?.segments ?? []);
  if (segments.length === 0) return null;
  // The newest stretch is what one watches; the whole text is there when the work is done.
  return (
    <ScrollRegion
      label={t('job.soFar')}
      className="flex min-h-0 flex-1 flex-col-reverse overflow-y-auto py-4"
    >
      <div className="mx-auto w-full max-w-[678px]">
        {segments.slice(-SHOWN).map((segment) => (
          <div
            key={segment.id}
            className="turn"
            style={
              segment.speaker_id === null
                ? undefined
                : { '--c': speakerColour(speakerIndex(segment.speaker_id)) }
            }
          >
            <span className="tnum font-mono text-2xs text-ink-3">{clock(segment.start, true)}</span>
            <p>{segment.text}</p>
          </div>
        ))}
      </div>
    </ScrollRegion>
  );
};
