/** How the state of a webhook's delivery looks. */
export const DELIVERY_TONES = { pending: 'plain', delivered: 'good', failed: 'bad' } as const;
