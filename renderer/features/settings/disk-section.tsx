import { QueryView } from '../../domain/query-view.tsx';
import { useI18n } from '../../hooks/services.tsx';
import { useApi } from '../../hooks/use-api.ts';
import { formatBytes } from '../../lib/format.ts';
import { Section } from '../../ui/page.tsx';

/** What uses the disk, largest first. */
export const DiskSection = () => {
  const { t, locale } = useI18n();
  const usage = useApi('diskUsage');
  return (
    <Section title={t('disk.title')} text={t('disk.text')}>
      <QueryView query={usage} rows={6}>
        {({ data: { total, free, parts } }) => (
          <table className="w-full max-w-[420px]">
            <tbody className="tnum">
              {parts
                .filter(({ bytes }) => bytes > 0)
                .map(({ part, bytes }) => (
                  <tr key={part} className="border-b border-line">
                    <th scope="row" className="py-2 pe-3 text-start font-normal">
                      {t(`disk.${part}`)}
                    </th>
                    <td className="py-2 text-end whitespace-nowrap">{formatBytes(bytes, locale)}</td>
                  </tr>
                ))}
              <tr>
                <th scope="row" className="py-2 pe-3 text-start font-medium">
                  {t('disk.total')}
                </th>
                <td className="py-2 text-end font-medium whitespace-nowrap">{formatBytes(total, locale)}</td>
              </tr>
              <tr>
                <th scope="row" className="py-2 pe-3 text-start font-normal text-ink-2">
                  {t('about.free')}
                </th>
                <td className="py-2 text-end whitespace-nowrap text-ink-2">{formatBytes(free, locale)}</td>
              </tr>
            </tbody>
          </table>
        )}
      </QueryView>
    </Section>
  );
};
