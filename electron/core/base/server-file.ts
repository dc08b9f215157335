import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { DataPaths } from './paths.ts';

/** Where the server answers. It is known only once the server listens, so read it at each use. */
export class ServerAddress {
  #url = '';

  /** Without a trailing slash; empty before the server listens. */
  readonly url = (): string => this.#url;

  set(url: string): void {
    this.#url = url;
  }
}

/** `server.json`, which a running service writes for programs on this machine. */
const ServerFile = z.object({
  pid: z.int(),
  url: z.url({ protocol: /^http$/ }),
  version: z.string(),
  startedAt: z.string(),
  /** Whether it ends with the command that started it. */
  temporary: z.boolean().default(false),
});
export type ServerFile = z.output<typeof ServerFile>;

/** For how long a service may start or end. */
export const TAKEN_TIMEOUT_MS = 30_000;
/** Between two looks at a data folder that another process has. */
export const TAKEN_RETRY_MS = 200;

/** Undefined if the file is missing or damaged. After a crash it describes a service that runs no more. */
export const readServerFile = (paths: DataPaths): ServerFile | undefined => {
  try {
    return ServerFile.parse(JSON.parse(readFileSync(paths.serverFile, 'utf8')));
  } catch {
    return undefined;
  }
};
