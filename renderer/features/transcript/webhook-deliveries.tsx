import { Send } from 'lucide-react';
import type { WebhookDelivery } from '../../../electron/contract/webhooks.ts';
import { describeError } from '../../api/errors.ts';
import { DeliveryAttempts, DeliveryStateTag } from '../../domain/webhook-delivery.tsx';
import { useApi, useI18n, useServices } from '../../hooks/services.tsx';
import { formatDateTime } from '../../lib/format.ts';
import { Button } from '../../ui/button.tsx';
import { useReader } from './reader.tsx';
import { SideHeading } from './side-panel-parts.tsx';

/** The webhook deliveries of this transcript; nothing without a webhook. */
export const WebhookDeliveries = () => {
  const { id } = useReader();
  const { client, toasts } = useServices();
  const { t } = useI18n();
  const answer = useApi('listDeliveries', { params: { id } });
  const deliveries = answer.data?.data ?? [];
  if (deliveries.length === 0) return null;
  const test = async () => {
    try {
      await client.call('testDelivery', { params: { id } });
      await answer.refetch();
    } catch (error) {
      toasts.show(describeError(error, t), { tone: 'bad' });
    }
  };
  return (
    <>
      <SideHeading>{t('deliveries.title')}</SideHeading>
      <ul>
        {deliveries.map((delivery) => (
          <DeliveryItem key={delivery.id} delivery={delivery} />
        ))}
      </ul>
      <Button className="mt-2" onClick={() => void test()}>
        <Send size={14} aria-hidden />
        {t('deliveries.test')}
      </Button>
    </>
  );
};

const DeliveryItem = ({ delivery }: { delivery: WebhookDelivery }) => {
  const { locale } = useI18n();
  return (
    <li className="border-b border-line py-2 last:border-0">
      <p className="flex items-center gap-2">
        <DeliveryStateTag delivery={delivery} />
        <span className="tnum text-xs text-ink-2">{formatDateTime(delivery.created_at, locale)}</span>
      </p>
      <p className="mt-1 font-mono text-2xs break-all text-ink-2">{delivery.url}</p>
      <p className="tnum text-xs text-ink-2">
        <DeliveryAttempts delivery={delivery} />
      </p>
    </li>
  );
};
