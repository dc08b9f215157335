import { RefreshCw } from 'lucide-react';
import { useCallback } from 'react';
import { Section } from '../../app/page-head.tsx';
import { useI18n, useServices } from '../../app/services.tsx';
import { errorText } from '../../lib/errors.ts';
import { bytes, dateTime } from '../../lib/format.ts';
import { useLoaded } from '../../lib/use-loaded.ts';
import { IconButton } from '../../ui/button.tsx';
import { ScrollRegion } from '../../ui/scroll-region.tsx';

/** Every address that the program connected to, and why: the proof of what the first start promises. */
export const ConnectionsSection = () => {
  const { client } = useServices();
  const { t, locale } = useI18n();
  const load = useCallback(
    async (signal: AbortSignal) => {
      const { data } = await client.call('listConnections', { query: { limit: 500 }, signal });
      return data.map((row, place) => ({ ...row, id: `${row.time}-${place}` }));
    },
    [client],
  );
  const { loaded, again } = useLoaded(load);
  return (
    <Section
      title={t('network.title')}
      text={t('network.text')}
      action={
        <IconButton label={t('common.refresh')} onClick={again}>
          <RefreshCw size={15} aria-hidden />
        </IconButton>
      }
    >
      {loaded.state === 'failed' && (
        <p role="alert" className="text-bad">
          {errorText(loaded.error, t)}
        </p>
      )}
      {loaded.state === 'ready' && loaded.value.length === 0 && (
        <p className="text-ink-2">{t('network.none')}</p>
      )}
      {loaded.state === 'ready' && loaded.value.length > 0 && (
        <ScrollRegion
          label={t('network.title')}
          className="max-h-[420px] overflow-auto rounded-box border border-line"
        >
          <ul>
            {loaded.value.map((row) => (
              <li key={row.id} className="border-b border-line px-3 py-2 last:border-0">
                <p className="flex items-baseline gap-3">
                  <span className="min-w-0 flex-1 truncate font-mono text-xs">{row.host}</span>
                  <span className="tnum text-xs text-ink-2">{dateTime(row.time, locale)}</span>
                </p>
                <p className="tnum text-xs text-ink-2">
                  {[t(`network.${row.purpose}`), row.address ?? '', bytes(row.bytes, locale)]
                    .filter((part) => part !== '')
                    .join(' · ')}
                  {row.error !== null && <span className="text-bad"> · {row.error}</span>}
                </p>
              </li>
            ))}
          </ul>
        </ScrollRegion>
      )}
    </Section>
  );
};
