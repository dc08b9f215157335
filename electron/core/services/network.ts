import type { z } from 'zod';
import type { NetworkLog } from '../../contract/system.ts';
import { type Clock, isoTime } from '../base/clock.ts';
import { messageOf } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import type { ConnectionRecord } from '../engines/net/types.ts';
import type { WritableDb } from '../stores/database.ts';
import { type Connection, insertConnections, listConnections, MAX_CONNECTIONS } from '../stores/network.ts';

type Deps = { readonly db: WritableDb; readonly clock: Clock; readonly logger: Logger };

const WRITE_INTERVAL_MS = 500;

/** The connection log, written to the database in batches. */
export class NetworkService {
  readonly #deps: Deps;
  #unwritten: Connection[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Logs a connection that has ended. */
  note(record: ConnectionRecord): void {
    this.#unwritten.push({ at: this.#deps.clock.now(), ...record });
    if (this.#unwritten.length > MAX_CONNECTIONS) this.#unwritten.shift();
    this.#timer ??= setTimeout(() => this.#write(), WRITE_INTERVAL_MS);
  }

  list(limit: number): z.output<typeof NetworkLog>['data'] {
    this.#write();
    const newest = this.#unwritten.toReversed();
    return [...newest, ...listConnections(this.#deps.db, limit)]
      .slice(0, limit)
      .map(({ at, host, address, purpose, bytes, error }) => ({
        time: isoTime(at),
        host,
        address,
        purpose,
        bytes,
        error,
      }));
  }

  close(): void {
    this.#write();
    clearTimeout(this.#timer);
  }

  #write(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#unwritten.length === 0) return;
    try {
      insertConnections(this.#deps.db, this.#unwritten);
      this.#unwritten = [];
    } catch (error) {
      // A full disk must not interrupt the connections: keep the entries in memory until the next attempt.
      this.#deps.logger.warn({ reason: messageOf(error) }, 'The connection log could not be written');
    }
  }
}
