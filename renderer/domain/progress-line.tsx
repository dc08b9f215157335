import type { Progress } from '../../electron/contract/job.ts';
import { useI18n } from '../hooks/services.tsx';
import type { I18nState, MessageKey } from '../i18n/index.ts';
import { cx } from '../lib/classes.ts';
import { formatDuration, formatNumber, formatPercent } from '../lib/format.ts';
import { ProgressBar } from '../ui/feedback.tsx';

const STAGE_NAMES: Readonly<Record<Progress['stage'], MessageKey>> = {
  queued: 'stage.queued',
  listening: 'stage.listening',
  downloading: 'stage.downloading',
  downloading_model: 'stage.downloading_model',
  decoding: 'stage.decoding',
  transcribing: 'stage.transcribing',
  verifying: 'stage.verifying',
  diarizing: 'stage.diarizing',
  analyzing: 'stage.analyzing',
};

/**
 * The latest progress of a job. Events report running jobs; the queue position of a waiting one comes with the list.
 */
export const latestProgress = (
  live: Progress | undefined,
  listed: Progress | undefined,
): Progress | undefined => (live === undefined || live.stage === 'queued' ? (listed ?? live) : live);

/** "Transcribing · 62 % · 8 min left · 9.4×", or the position in the queue. */
export const describeProgress = (progress: Progress, { t, locale }: I18nState): string => {
  if (progress.stage === 'queued') {
    const position = progress.queue_position;
    return position === null ? t('stage.queued') : t('stage.queued.place', { place: position });
  }
  return [
    t(STAGE_NAMES[progress.stage]),
    formatPercent(progress.percent / 100, locale),
    progress.eta_seconds === null
      ? ''
      : t('stage.left', { time: formatDuration(progress.eta_seconds, locale) }),
    progress.speed === null ? '' : `${formatNumber(progress.speed, locale, 1)}×`,
  ]
    .filter((part) => part !== '')
    .join(' · ');
};

export const ProgressLine = ({ progress, name }: { progress: Progress; name: string }) => {
  const i18n = useI18n();
  const isWaiting = progress.stage === 'queued';
  return (
    // The bar gives way to the words.
    <span className="flex min-w-0 items-center gap-2.5 text-accent-text">
      {!isWaiting && (
        <ProgressBar
          className="w-[150px] min-w-6 shrink-[999]"
          value={progress.percent / 100}
          label={i18n.t('stage.of', { name })}
        />
      )}
      <span className={cx('tnum shrink-0 truncate', isWaiting ? 'max-w-full' : 'max-w-[calc(100%-34px)]')}>
        {describeProgress(progress, i18n)}
      </span>
    </span>
  );
};
