import { useQuery } from '@tanstack/react-query';
import type { Acceleration } from '../../../electron/contract/system.ts';
import { callQuery } from '../../api/queries.ts';
import { useI18n, useServices } from '../../hooks/services.tsx';
import type { I18nState } from '../../i18n/index.ts';
import { formatNumber } from '../../lib/format.ts';

const POLL_MS = 5000;

type Words = Pick<I18nState, 't' | 'locale'>;

/** Whether a graphics processor is used, and why not. */
export const deviceStateText = ({ state, device, detail }: Acceleration, { t }: Words): string =>
  t(`device.${state}`, { device: device ?? '', reason: detail ?? '' });

const trialText = (
  { model, outcome, cpu_seconds, device_seconds, detail }: Acceleration['trials'][number],
  { t, locale }: Words,
): string =>
  t(`device.trial.${outcome}`, {
    model,
    cpu: formatNumber(cpu_seconds ?? 0, locale, 1),
    device: formatNumber(device_seconds ?? 0, locale, 1),
    reason: detail ?? '',
  });

/** What became of the graphics processor, model by model. */
export const DeviceState = () => {
  const i18n = useI18n();
  const { client } = useServices();
  const { data } = useQuery({
    ...callQuery(client, 'system'),
    // Trials run while nobody asks for anything, and no event tells of them.
    refetchInterval: ({ state }) => (state.data?.data.acceleration.state === 'pending' ? POLL_MS : false),
  });
  if (data === undefined) return null;
  const { acceleration } = data.data;
  return (
    <div className="py-3 text-xs text-ink-2" role="status">
      <p>{deviceStateText(acceleration, i18n)}</p>
      <ul className="mt-1 tnum">
        {acceleration.trials.map((trial) => (
          <li key={trial.model}>{trialText(trial, i18n)}</li>
        ))}
      </ul>
    </div>
  );
};
