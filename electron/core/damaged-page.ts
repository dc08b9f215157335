import Fastify from 'fastify';
import { ulid } from 'ulid';
import { AppError, messageOf } from './base/errors.ts';
import { dataPaths } from './base/paths.ts';
import type { AppConfig } from './config.ts';
import { sendError } from './http/errors.ts';
import { addWindow, listen } from './http/server.ts';
import { fileLogger } from './log.ts';

export type DamagedPage = { readonly url: string; close(): Promise<void> };

/** Whether a start was refused because the library is damaged. */
export const isLibraryDamaged = (error: unknown): error is AppError =>
  error instanceof AppError && error.code === 'library_damaged';

/**
 * Serves the window of a library that does not open: the page that says what happened and what can be done. The API
 * answers with the same error, but for its health.
 */
export const serveDamagedPage = async (config: AppConfig, error: AppError): Promise<DamagedPage> => {
  const logger = fileLogger(dataPaths(config.dataDir).logs);
  logger.error({ reason: messageOf(error.cause ?? error) }, 'The library is damaged and does not open');
  const server = Fastify({ logger: false, genReqId: () => ulid(), forceCloseConnections: true });
  const since = performance.now();
  server.get('/v1/health', async () => ({
    status: 'damaged',
    version: config.version,
    uptime: (performance.now() - since) / 1000,
  }));
  server.setNotFoundHandler((_request, reply) => sendError(reply, error));
  await addWindow(server, config.rendererDir);
  const url = await listen(server, config);
  return { url, close: () => server.close() };
};
