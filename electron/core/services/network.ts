import type { z } from 'zod';
import type { NetworkLog } from '../../contract/system.ts';
import { type Clock, isoTime } from '../base/clock.ts';
import { messageOf } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import type { ConnectionPurpose, ConnectionRecord } from '../engines/net/types.ts';
import type { WritableDb } from '../stores/database.ts';
import { type Connection, insertConnections, listConnections, MAX_CONNECTIONS } from '../stores/network.ts';

type Options = { readonly db: WritableDb; readonly clock: Clock; readonly logger: Logger };

const WRITE_EVERY_MS = 500;
const PURPOSES: readonly ConnectionPurpose[] = ['audio', 'model', 'webhook', 'llm', 'page'];
const purposeOf = (text: string): ConnectionPurpose => PURPOSES.find((purpose) => purpose === text) ?? 'page';

/** The log of what left this machine: kept in the database, written some at a time. */
export class NetworkService {
  readonly #o: Options;
  #unwritten: Connection[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(options: Options) {
    this.#o = options;
  }

  /** Notes a connection that has ended. */
  note(record: ConnectionRecord): void {
    this.#unwritten.push({ at: this.#o.clock.now(), ...record });
    if (this.#unwritten.length > MAX_CONNECTIONS) this.#unwritten.shift();
    this.#timer ??= setTimeout(() => this.#write(), WRITE_EVERY_MS);
  }

  list(limit: number): z.output<typeof NetworkLog>['data'] {
    this.#write();
    const waiting = this.#unwritten.toReversed();
    return [...waiting, ...listConnections(this.#o.db, limit)].slice(0, limit).map((row) => ({
      time: isoTime(row.at),
      host: row.host,
      address: row.address,
      purpose: purposeOf(row.purpose),
      bytes: row.bytes,
      error: row.error,
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
      insertConnections(this.#o.db, this.#unwritten);
      this.#unwritten = [];
    } catch (error) {
      // A full disk must not end anything: what is noted waits in memory for the next time.
      this.#o.logger.warn({ reason: messageOf(error) }, 'The connection log could not be written');
    }
  }
}
