import { RefreshCw } from 'lucide-react';
import { useCallback } from 'react';
import { ApiError } from '../../../electron/contract/client.ts';
import { Section } from '../../app/page-head.tsx';
import { useI18n, useServices } from '../../app/services.tsx';
import { cx } from '../../lib/classes.ts';
import { errorText } from '../../lib/errors.ts';
import { number } from '../../lib/format.ts';
import { useLoaded } from '../../lib/use-loaded.ts';
import { IconButton } from '../../ui/button.tsx';
import { ScrollRegion } from '../../ui/scroll-region.tsx';

const SHOWN = 200;

/** The latest calls of the API, for the person who is writing a client. */
export const RequestsSection = () => {
  const { client } = useServices();
  const { t, locale } = useI18n();
  const load = useCallback(
    async (signal: AbortSignal) => {
      const { data } = await client.call('listRequests', { signal });
      return data.slice(0, SHOWN).map((row, place) => ({ ...row, id: `${row.time}-${place}` }));
    },
    [client],
  );
  const { loaded, again } = useLoaded(load);
  // Only the owner may see all calls: for another key the part is not there.
  if (loaded.state === 'failed' && loaded.error instanceof ApiError && loaded.error.status === 403)
    return null;
  const time = new Intl.DateTimeFormat(locale, { timeStyle: 'medium' });
  return (
    <Section
      title={t('requests.title')}
      text={t('requests.text')}
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
      {loaded.state === 'ready' && (
        <ScrollRegion
          label={t('requests.title')}
          className="max-h-[420px] overflow-auto rounded-box border border-line"
        >
          <table className="w-full font-mono text-2xs">
            <thead className="sr-only">
              <tr>
                <th>{t('requests.time')}</th>
                <th>{t('requests.method')}</th>
                <th>{t('requests.route')}</th>
                <th>{t('requests.status')}</th>
                <th>{t('requests.duration')}</th>
                <th>{t('requests.key')}</th>
              </tr>
            </thead>
            <tbody className="tnum">
              {loaded.value.map((row) => (
                <tr key={row.id} className="border-b border-line last:border-0">
                  <td className="px-3 py-1.5 text-ink-2">{time.format(new Date(row.time))}</td>
                  <td className="py-1.5">{row.method}</td>
                  <td className="max-w-[360px] truncate px-3 py-1.5">{row.route}</td>
                  <td className={cx('py-1.5', row.status >= 400 ? 'text-bad' : 'text-good')}>{row.status}</td>
                  <td className="px-3 py-1.5 text-end text-ink-2">{number(row.milliseconds, locale)} ms</td>
                  <td className="px-3 py-1.5 text-ink-2">{row.key_prefix ?? '–'}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollRegion>
      )}
    </Section>
  );
};
