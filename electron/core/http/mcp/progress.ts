import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { ServerNotification, ServerRequest } from '@modelcontextprotocol/sdk/types.js';
import type { EventHub } from '../../services/events.ts';

/** Where progress goes: the request that asked for it, if it did. */
export type ProgressSink = Pick<
  RequestHandlerExtra<ServerRequest, ServerNotification>,
  '_meta' | 'sendNotification'
>;

/** Tells a waiting client how far a transcription is, until the returned function is called. */
export const watchProgress = (
  events: EventHub,
  userId: string,
  id: string,
  { _meta, sendNotification }: ProgressSink,
): (() => void) => {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return () => {};
  let said = -1;
  return events.subscribe(userId, ({ event }) => {
    if (event.type !== 'transcript.progress' || event.id !== id || event.progress.percent <= said) return;
    said = event.progress.percent;
    const params = { progressToken, progress: said, total: 100, message: event.progress.stage };
    // A client that went away misses nothing by not being told.
    sendNotification({ method: 'notifications/progress', params }).catch(() => {});
  });
};
