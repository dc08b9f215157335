import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import pino from 'pino';
import type { Logger } from './base/logger.ts';

/** Logs JSON lines into a folder. Log ids and numbers, never text, keys or contents of files. */
export const fileLogger = (folder: string): Logger & { flush(): void } => {
  mkdirSync(folder, { recursive: true });
  const destination = pino.destination({ dest: join(folder, 'earshot.log'), sync: true, mode: 0o600 });
  // A failed write, e.g. on a full disk, must not end the service.
  destination.on('error', () => {});
  const logger = pino({ base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination);
  return {
    debug: (fields, message) => logger.debug(fields, message),
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
    flush: () => destination.flushSync(),
  };
};
