import type { FastifyInstance } from 'fastify';

type BodyRate = {
  readonly bytesPerSecond: number;
  readonly overSeconds: number;
};

/** Far below any connection that can upload a recording, and enough that a body of a few bytes cannot be held open. */
const MIN_BODY_RATE: BodyRate = { bytesPerSecond: 1024, overSeconds: 60 };
/** A timer this late means that the machine was suspended, not that the sender was slow. */
const SUSPENDED_MS = 10_000;

/**
 * Closes connections whose request body arrives below the rate. There is no limit on the whole time, since an upload may
 * be as long as its file. Bytes that wait to be read are the fault of a slow disk here, and do not count as slow.
 */
export const closeSlowBodies = (server: FastifyInstance, rate: BodyRate = MIN_BODY_RATE): void => {
  const windowMs = rate.overSeconds * 1000;
  server.addHook('onRequest', async ({ raw }) => {
    let startedAt = Date.now();
    let bytesBefore = raw.socket.bytesRead;
    const timer = setInterval(() => {
      // Received, but not read: a request without a body never ends as a stream.
      if (raw.complete) return clearInterval(timer);
      const wasSuspended = Date.now() - startedAt > windowMs + SUSPENDED_MS;
      const isReaderBehind = raw.readableLength > 0;
      const bytes = raw.socket.bytesRead - bytesBefore;
      if (!wasSuspended && !isReaderBehind && bytes < rate.bytesPerSecond * rate.overSeconds) {
        raw.socket.destroy();
      }
      startedAt = Date.now();
      bytesBefore = raw.socket.bytesRead;
    }, windowMs);
    timer.unref();
    const stop = () => clearInterval(timer);
    raw.once('end', stop);
    raw.once('close', stop);
  });
};
