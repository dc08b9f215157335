import { Webhook } from 'standardwebhooks';
import { z } from 'zod';
import type { WebhookDelivery } from '../../contract/webhooks.ts';

/** What identifies one attempt of a delivery. */
export type WebhookMessage = {
  readonly id: string;
  readonly type: WebhookDelivery['type'];
  /** Milliseconds since the epoch, as `sentAt`. */
  readonly createdAt: number;
  readonly sentAt: number;
  /** Null if the request is not signed. */
  readonly secret: string | null;
};

export type WebhookRequest = {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
};

/** A secret of Standard Webhooks (`whsec_` and base64) stands for its bytes; any other text is the key itself. */
const signerOf = (secret: string): Webhook => {
  const standard = z
    .base64()
    .min(1)
    .safeParse(/^whsec_(.+)$/s.exec(secret)?.[1]);
  return standard.success ? new Webhook(standard.data) : new Webhook(secret, { format: 'raw' });
};

/** The body and the headers of an attempt, signed as Standard Webhooks prescribe if there is a secret. */
export const webhookRequest = ({ id, sentAt, secret }: WebhookMessage, payload: object): WebhookRequest => {
  const body = JSON.stringify(payload);
  const at = new Date(sentAt);
  return {
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      ...(secret === null ? {} : { 'webhook-signature': signerOf(secret).sign(id, at, body) }),
    },
    body,
  };
};
