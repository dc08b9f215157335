import type { WebhookDelivery } from '../../electron/contract/webhooks.ts';
import { useI18n } from '../hooks/services.tsx';
import { Tag } from '../ui/badge.tsx';

const TONES = { pending: 'plain', delivered: 'good', failed: 'bad' } as const;

type Props = { readonly delivery: Pick<WebhookDelivery, 'state' | 'attempts'> };

/** Shows whether a webhook was delivered. */
export const DeliveryStateTag = ({ delivery }: Props) => {
  const { t } = useI18n();
  return <Tag tone={TONES[delivery.state]}>{t(`deliveries.${delivery.state}`)}</Tag>;
};

/** Number of attempts and the last status or error: "2 attempts · 503". */
export const DeliveryAttempts = ({ delivery }: Props) => {
  const { t } = useI18n();
  const last = delivery.attempts.at(-1);
  return (
    <>
      {t('deliveries.attempts', { count: delivery.attempts.length })}
      {last !== undefined && ` · ${last.status ?? last.error ?? ''}`}
    </>
  );
};
