import type { z } from 'zod';
import type { NetworkLog } from '../../../electron/contract/system.ts';

type Connection = z.output<typeof NetworkLog>['data'][number];

export type Destination = Pick<Connection, 'host' | 'purpose'> & {
  readonly times: number;
  readonly bytes: number;
  /** The newest connection, ISO 8601. */
  readonly last: string;
};

/** Connections gathered by where they went and why, the latest first. They come newest first. */
export const groupByDestination = (connections: readonly Connection[]): Destination[] => {
  const found = new Map<string, Destination>();
  for (const { host, purpose, bytes, time } of connections) {
    const name = `${purpose} ${host}`;
    const before = found.get(name) ?? { host, purpose, times: 0, bytes: 0, last: time };
    found.set(name, { ...before, times: before.times + 1, bytes: before.bytes + bytes });
  }
  return [...found.values()];
};
