import type { LookupFunction, Socket } from 'node:net';
import type { Agent, buildConnector, parseCookie } from 'undici';
import { systemCode } from '../../base/errors.ts';
import { allowedAddresses } from './address-guard.ts';
import { trustedCertificates } from './certificates.ts';
import { HeadRepair } from './response-head.ts';
import type { Resolve, ResolvedAddress } from './types.ts';

export const CONNECT_TIMEOUT_SECONDS = 15;
/** Origins of which an agent remembers something. */
export const MAX_REMEMBERED_ORIGINS = 1000;

/** A connection pool whose sockets go only to allowed addresses. */
export type GuardedAgent = {
  readonly agent: Agent;
  /** For other pools under the same rule. */
  readonly options: Agent.Options;
  /** For one response per connection, whose head is repaired before it is parsed. */
  readonly repairing: Agent;
  /** Origins whose heads needed that before. */
  readonly needsRepair: Set<string>;
  /** The address of the last connection to an origin. */
  readonly addressOf: (origin: string) => string | null;
};

/** A `lookup` for sockets that resolves nothing: it returns the addresses that were just checked. */
export const fixedLookup =
  (allowed: readonly ResolvedAddress[]): LookupFunction =>
  (_host, options, done) => {
    const [first] = allowed;
    if (options.all === true || first === undefined) done(null, [...allowed]);
    else done(null, first.address, first.family);
  };

type Undici = { readonly Agent: typeof Agent; readonly buildConnector: typeof buildConnector };

/** Repairs the head of the response before the socket's reader sees it. */
const repairResponse = (socket: Socket): void => {
  const repair = new HeadRepair();
  const push = socket.push.bind(socket);
  socket.push = (chunk: Buffer | null) => {
    const bytes = chunk === null ? repair.rest() : repair.add(chunk);
    if (chunk !== null) return bytes === null || push(bytes);
    if (bytes !== null) push(bytes);
    return push(null);
  };
};

/**
 * Whether a request failed because undici refused the head of the response: it then says that a length in it does not match,
 * and that an interim response which nobody expects is a `bad response`.
 */
export const isRefusedHead = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false;
  const code = systemCode(error) ?? '';
  return (
    code.startsWith('HPE_') ||
    code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH' ||
    error.name === 'HTTPParserError' ||
    error.message === 'bad response'
  );
};

const createAgent = (undici: Undici, allowPrivate: boolean, resolve: Resolve): GuardedAgent => {
  const addresses = new Map<string, string>();
  const remember = (origin: string, address: string): void => {
    addresses.delete(origin);
    addresses.set(origin, address);
    const oldest = addresses.keys().next();
    if (addresses.size > MAX_REMEMBERED_ORIGINS && !oldest.done) addresses.delete(oldest.value);
  };
  const connectWith =
    (prepare: (socket: Socket) => void): buildConnector.connector =>
    (target, callback) => {
      Promise.all([
        allowedAddresses(target.hostname, allowPrivate, resolve),
        target.protocol === 'https:' ? trustedCertificates() : undefined,
      ]).then(
        ([allowed, secureContext]) => {
          const open = undici.buildConnector({
            ...(secureContext === undefined ? {} : { secureContext }),
            timeout: CONNECT_TIMEOUT_SECONDS * 1000,
            allowH2: false,
            autoSelectFamily: true,
            lookup: fixedLookup(allowed),
          });
          open(target, (...result) => {
            const [, socket] = result;
            const origin = `${target.protocol}//${target.host ?? target.hostname}`;
            if (socket?.remoteAddress !== undefined) remember(origin, socket.remoteAddress);
            if (socket) prepare(socket);
            callback(...result);
          });
        },
        (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), null),
      );
    };
  const rules = { allowH2: false, connections: 8, keepAliveTimeout: 10_000 };
  const options = { ...rules, connect: connectWith(() => {}) };
  return {
    agent: new undici.Agent(options),
    options,
    repairing: new undici.Agent({ ...rules, connect: connectWith(repairResponse) }),
    needsRepair: new Set(),
    addressOf: (origin) => addresses.get(origin) ?? null,
  };
};

/** Two pools: a socket opened while private addresses were allowed must not be reused when they no longer are. */
export type Pools = {
  readonly publicOnly: GuardedAgent;
  readonly unrestricted: GuardedAgent;
  readonly parseCookie: typeof parseCookie;
};

/** Loads undici, which a service that fetches nothing does without. */
export const createPools = async (resolve: Resolve): Promise<Pools> => {
  const undici = await import('undici');
  return {
    publicOnly: createAgent(undici, false, resolve),
    unrestricted: createAgent(undici, true, resolve),
    parseCookie: undici.parseCookie,
  };
};
