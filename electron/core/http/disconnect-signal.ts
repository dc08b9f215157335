import type { FastifyReply } from 'fastify';

/** Aborts when the client disconnects before its answer is complete. */
export const disconnectSignal = ({ raw }: FastifyReply): AbortSignal => {
  const controller = new AbortController();
  raw.once('close', () => {
    if (!raw.writableFinished) controller.abort();
  });
  return controller.signal;
};
