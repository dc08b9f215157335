import { useStore } from 'zustand';
import { useI18n, useServices } from '../hooks/services.tsx';
import { useApi } from '../hooks/use-api.ts';
import { cx } from '../lib/classes.ts';
import { formatNumber } from '../lib/format.ts';

/** Shows whether recognition is available, and its current speed. */
export const EngineCard = () => {
  const { live } = useServices();
  const { t, locale } = useI18n();
  const connection = useStore(live.store, (state) => state.connection);
  const speed = useStore(live.store, (state) => {
    for (const progress of state.progress.values()) if (progress.speed !== null) return progress.speed;
    return undefined;
  });
  const system = useApi('system');
  if (connection === 'lost') {
    return (
      <div role="status" className="rounded-box border border-line bg-surface p-2.5 text-xs">
        <div className="flex items-center gap-1.5 font-[550]">
          <Dot tone="bad" />
          {t('engine.disconnected')}
        </div>
        <p className="mt-0.5 text-ink-2">{t('engine.disconnected.hint')}</p>
      </div>
    );
  }
  if (system.data === undefined) return null;
  const { engine } = system.data.data;
  return (
    <div className="rounded-box border border-line bg-surface p-2.5 text-xs">
      <div className="flex items-center gap-1.5">
        <Dot tone={engine.available ? 'good' : 'bad'} />
        <span className="truncate">{engine.available ? t('engine.here') : t('engine.unavailable')}</span>
      </div>
      <p className="tnum mt-0.5 text-ink-2">
        {engine.available
          ? [
              speed === undefined ? '' : t('engine.speed', { speed: formatNumber(speed, locale, 1) }),
              t('engine.threads', { count: engine.threads * Math.max(1, engine.parallel) }),
            ]
              .filter((part) => part !== '')
              .join(' · ')
          : (engine.detail ?? '')}
      </p>
    </div>
  );
};

const Dot = ({ tone }: { tone: 'good' | 'bad' }) => (
  <span aria-hidden className={cx('size-[7px] rounded-full', tone === 'good' ? 'bg-good' : 'bg-bad')} />
);
