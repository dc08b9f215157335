import type { RecentDelivery } from '../../../electron/contract/webhooks.ts';
import { LogSection } from '../../domain/log-section.tsx';
import { DeliveryAttempts, DeliveryStateTag } from '../../domain/webhook-delivery.tsx';
import { useI18n } from '../../hooks/services.tsx';
import { useApi } from '../../hooks/use-api.ts';
import { formatDateTime } from '../../lib/format.ts';
import { hrefOf } from '../../stores/router.ts';

/** The latest webhook deliveries of all transcripts, each with a link to its transcript. */
export const WebhooksSection = () => {
  const { t } = useI18n();
  const deliveries = useApi('recentDeliveries');
  return (
    <LogSection
      title={t('webhooks.title')}
      text={t('webhooks.text')}
      empty={t('webhooks.none')}
      query={deliveries}
    >
      {(rows) => (
        <ul className="rounded-box border border-line px-3">
          {rows.map((row) => (
            <DeliveryRow key={row.id} delivery={row} />
          ))}
        </ul>
      )}
    </LogSection>
  );
};

const DeliveryRow = ({ delivery }: { delivery: RecentDelivery }) => {
  const { locale } = useI18n();
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line py-2 last:border-0">
      <DeliveryStateTag delivery={delivery} />
      <a
        href={hrefOf({ screen: 'transcript', param: delivery.transcript_id })}
        className="min-w-0 max-w-full truncate text-accent-text underline underline-offset-[3px]"
      >
        {delivery.transcript_name}
      </a>
      <span className="min-w-0 flex-1 truncate font-mono text-2xs text-ink-2">{delivery.url}</span>
      <span className="tnum text-xs text-ink-2">
        <DeliveryAttempts delivery={delivery} />
      </span>
      <span className="tnum text-xs text-ink-2">{formatDateTime(delivery.created_at, locale)}</span>
    </li>
  );
};
