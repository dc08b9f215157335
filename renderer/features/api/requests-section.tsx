import { LogSection } from '../../domain/log-section.tsx';
import { useI18n } from '../../hooks/services.tsx';
import { useApi } from '../../hooks/use-api.ts';
import { cx } from '../../lib/classes.ts';
import { formatNumber } from '../../lib/format.ts';
import { ScrollRegion } from '../../ui/scroll-region.tsx';

const MAX_SHOWN = 200;

/** Several requests may have arrived in the same millisecond. */
const number = <T extends { readonly time: string }>(rows: readonly T[]) =>
  rows.slice(0, MAX_SHOWN).map((row, index) => ({ ...row, id: `${row.time}-${index}` }));

/** The latest requests to the API. */
export const RequestsSection = () => {
  const { t, locale } = useI18n();
  const requests = useApi('listRequests');
  const time = new Intl.DateTimeFormat(locale, { timeStyle: 'medium' });
  return (
    <LogSection
      title={t('requests.title')}
      text={t('requests.text')}
      empty={t('requests.none')}
      query={requests}
    >
      {(rows) => (
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
              {number(rows).map((row) => (
                <tr key={row.id} className="border-b border-line last:border-0">
                  <td className="px-3 py-1.5 whitespace-nowrap text-ink-2">
                    {time.format(new Date(row.time))}
                  </td>
                  <td className="py-1.5">{row.method}</td>
                  <td className="max-w-[360px] truncate px-3 py-1.5">{row.route}</td>
                  <td className={cx('py-1.5', row.status >= 400 ? 'text-bad' : 'text-good')}>{row.status}</td>
                  <td className="px-3 py-1.5 text-end whitespace-nowrap text-ink-2">
                    {formatNumber(row.milliseconds, locale)} ms
                  </td>
                  <td className="px-3 py-1.5 text-ink-2">{row.key_prefix ?? '–'}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollRegion>
      )}
    </LogSection>
  );
};
