import type { FastifyInstance } from 'fastify';
import { AppError, systemCode } from '../base/errors.ts';

/** `whenTaken`: whether the next free port is tried when this one is taken. */
type Place = { readonly host: string; readonly port: number; readonly whenTaken: 'next' | 'fail' };

/**
 * Binds the server and gives its address. Throws AppError `conflict` when the port is taken and another is not
 * to be tried.
 */
export const listen = async (server: FastifyInstance, config: Place): Promise<string> => {
  const last = config.whenTaken === 'next' && config.port !== 0 ? config.port + 20 : config.port;
  for (let port = config.port; ; port++) {
    try {
      await server.listen({ host: config.host, port });
      const address = server.server.address();
      const bound = typeof address === 'object' && address !== null ? address.port : port;
      const name = config.host === '0.0.0.0' || config.host === '::' ? '127.0.0.1' : config.host;
      return `http://${name.includes(':') ? `[${name}]` : name}:${bound}`;
    } catch (error) {
      if (systemCode(error) !== 'EADDRINUSE') throw error;
      if (port >= last) {
        throw new AppError(
          'conflict',
          `Port ${port} is taken by another program. Choose another with --port.`,
          { cause: error },
        );
      }
    }
  }
};
