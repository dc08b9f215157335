import type { FastifyReply } from 'fastify';

/** Aborts when the client disconnects before its answer is complete; at once if it already has. */
export const disconnectSignal = ({ raw }: FastifyReply): AbortSignal => {
  const controller = new AbortController();
  const end = () => {
    if (!raw.writableFinished) controller.abort();
  };
  if (raw.closed) end();
  else raw.once('close', end);
  return controller.signal;
};
