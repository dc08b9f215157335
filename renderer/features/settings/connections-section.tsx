import type { z } from 'zod';
import type { NetworkLog } from '../../../electron/contract/system.ts';
import { LogSection } from '../../domain/log-section.tsx';
import { useApi, useI18n } from '../../hooks/services.tsx';
import { formatBytes, formatDateTime, formatNumber } from '../../lib/format.ts';
import { ScrollRegion } from '../../ui/scroll-region.tsx';

type Connection = z.output<typeof NetworkLog>['data'][number];

type Destination = Pick<Connection, 'host' | 'purpose'> & {
  readonly times: number;
  readonly bytes: number;
  /** Time of the latest connection, ISO 8601. */
  readonly last: string;
};

/** Groups connections, given newest first, by host and purpose; the latest destination first. What was refused is none. */
export const groupByDestination = (connections: readonly Connection[]): Destination[] => {
  const found = new Map<string, Destination>();
  for (const { host, purpose, bytes, time, address, error } of connections) {
    if (address === null && error !== null) continue;
    const name = `${purpose} ${host}`;
    const before = found.get(name) ?? { host, purpose, times: 0, bytes: 0, last: time };
    found.set(name, { ...before, times: before.times + 1, bytes: before.bytes + bytes });
  }
  return [...found.values()];
};

/** The server keeps no more. */
const MAX_CONNECTIONS = 10_000;
const LATEST_SHOWN = 200;

/** The log of outbound connections, with their purposes. */
export const ConnectionsSection = () => {
  const { t } = useI18n();
  const connections = useApi('listConnections', { query: { limit: MAX_CONNECTIONS } });
  return (
    <LogSection
      title={t('network.title')}
      text={t('network.text')}
      empty={t('network.none')}
      query={connections}
    >
      {(rows) => (
        <>
          <DestinationTable rows={groupByDestination(rows)} />
          <h3 className="mt-6 mb-2 text-xs font-medium text-ink-2">{t('network.latest')}</h3>
          <LatestConnections rows={rows.slice(0, LATEST_SHOWN)} />
        </>
      )}
    </LogSection>
  );
};

const HEADER_CLASS = 'py-1.5 text-xs font-medium text-ink-3';

const DestinationTable = ({ rows }: { rows: readonly Destination[] }) => {
  const { t, locale } = useI18n();
  return (
    <ScrollRegion label={t('network.addresses')} className="max-h-[360px] overflow-auto">
      <table className="w-full min-w-[520px]">
        <thead>
          <tr className="border-b border-line">
            <th scope="col" className={`${HEADER_CLASS} text-start`}>
              {t('network.address')}
            </th>
            <th scope="col" className={`${HEADER_CLASS} text-start`}>
              {t('network.purpose')}
            </th>
            <th scope="col" className={`${HEADER_CLASS} text-end`}>
              {t('network.count')}
            </th>
            <th scope="col" className={`${HEADER_CLASS} text-end`}>
              {t('network.received')}
            </th>
            <th scope="col" className={`${HEADER_CLASS} text-end`}>
              {t('network.last')}
            </th>
          </tr>
        </thead>
        <tbody className="tnum">
          {rows.map((row) => (
            <tr key={`${row.host} ${row.purpose}`} className="border-b border-line last:border-0">
              <td className="max-w-[220px] truncate py-2 pe-3 font-mono text-xs">{row.host}</td>
              <td className="py-2 pe-3">{t(`network.${row.purpose}`)}</td>
              <td className="py-2 text-end">{formatNumber(row.times, locale)}</td>
              <td className="py-2 ps-3 text-end whitespace-nowrap">{formatBytes(row.bytes, locale)}</td>
              <td className="py-2 ps-3 text-end whitespace-nowrap text-ink-2">
                {formatDateTime(row.last, locale)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
};

const LatestConnections = ({ rows }: { rows: readonly Connection[] }) => {
  const { t, locale } = useI18n();
  const numbered = rows.map((row, index) => ({ ...row, id: `${row.time}-${index}` }));
  return (
    <ScrollRegion
      label={t('network.latest')}
      className="max-h-[360px] overflow-auto rounded-box border border-line"
    >
      <ul>
        {numbered.map((row) => (
          <li key={row.id} className="border-b border-line px-3 py-2 last:border-0">
            <p className="flex items-baseline gap-3">
              <span className="min-w-0 flex-1 truncate font-mono text-xs">{row.host}</span>
              <span className="tnum text-xs text-ink-2">{formatDateTime(row.time, locale)}</span>
            </p>
            <p className="tnum text-xs text-ink-2">
              {[t(`network.${row.purpose}`), row.address ?? '', formatBytes(row.bytes, locale)]
                .filter((part) => part !== '')
                .join(' · ')}
              {row.error !== null && <span className="text-bad"> · {row.error}</span>}
            </p>
          </li>
        ))}
      </ul>
    </ScrollRegion>
  );
};
