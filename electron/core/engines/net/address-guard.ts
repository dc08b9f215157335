import { lookup } from 'node:dns/promises';
import ipaddr from 'ipaddr.js';
import { AppError, messageOf, systemCode } from '../../base/errors.ts';
import type { Resolve, ResolvedAddress } from './types.ts';

const isPublicV4 = (address: ipaddr.IPv4): boolean => address.range() === 'unicast';

/** The IPv4 address in a NAT64 address (64:ff9b::/96, RFC 6052), by which IPv6-only networks reach IPv4 hosts. */
const nat64Target = (address: ipaddr.IPv6): ipaddr.IPv4 | null =>
  address.match(ipaddr.IPv6.parse('64:ff9b::'), 96) ? new ipaddr.IPv4(address.toByteArray().slice(12)) : null;

/**
 * Whether an address belongs to the public internet. A mapped (`::ffff:127.0.0.1`) or NAT64 address counts as the IPv4
 * address in it. Every other special range is not public: private, loopback, link-local, carrier-grade NAT, multicast,
 * documentation, 6to4, Teredo, and all of IPv6 outside 2000::/3.
 */
export const isPublicAddress = (address: string): boolean => {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return isPublicV4(parsed);
  const inner = nat64Target(parsed);
  if (inner !== null) return isPublicV4(inner);
  return parsed.range() === 'unicast' && parsed.match(ipaddr.IPv6.parse('2000::'), 3);
};

/** The system's resolver; returns all addresses. */
export const systemResolve: Resolve = async (host) => await lookup(host, { all: true, verbatim: true });

const resolveHost = async (host: string, resolve: Resolve): Promise<ResolvedAddress[]> => {
  if (ipaddr.isValid(host)) {
    return [{ address: host, family: ipaddr.parse(host).kind() === 'ipv6' ? 6 : 4 }];
  }
  try {
    return await resolve(host);
  } catch (error) {
    const reason = systemCode(error) ?? messageOf(error);
    throw new AppError('download_failed', `The host ${host} was not found (${reason}).`, { cause: error });
  }
};

/**
 * The addresses of a host that we may connect to. The caller must connect to one of them without resolving the name
 * again, or the answer could change in between (DNS rebinding).
 * Throws AppError `download_failed` for an unknown host, `address_not_allowed` for a host with only private addresses.
 */
export const allowedAddresses = async (
  host: string,
  allowPrivate: boolean,
  resolve: Resolve,
): Promise<ResolvedAddress[]> => {
  const found = await resolveHost(host, resolve);
  if (found.length === 0) throw new AppError('download_failed', `The host ${host} has no address.`);
  const allowed = allowPrivate ? found : found.filter(({ address }) => isPublicAddress(address));
  if (allowed.length === 0) {
    throw new AppError(
      'address_not_allowed',
      `${host} is not an address of the public internet, and this Earshot fetches only from public ones. To allow private addresses, turn on the setting network.allowPrivateAddresses or start with: earshot serve --allow-private-addresses`,
    );
  }
  return allowed;
};
