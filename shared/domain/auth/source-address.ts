/**
 * Shortens source addresses: to the network whose rate limit a request counts against, and to the part that is logged.
 */
import { isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Returns the network that shares one rate limit: the address itself for IPv4, its /64 network for IPv6. All texts that
 * are not addresses share one network.
 */
export function rateLimitNetworkOf(address: string): string {
  return isIPv4(address) ? `${address}/32` : masked(address, 32, 64);
}

/** Returns the part of an address that may be logged: its /24 network for IPv4, its /48 network for IPv6. */
export function truncateAddress(address: string): string {
  return isIPv4(address) ? address.replace(/\d+$/, '0/24') : masked(address, 24, 48);
}

function masked(address: string, ipv4Bits: number, ipv6Bits: number): string {
  if (!ipaddr.isValid(address)) return 'unknown';
  const parsed = ipaddr.process(address);
  const bits = parsed.kind() === 'ipv4' ? ipv4Bits : ipv6Bits;
  const network =
    parsed.kind() === 'ipv4'
      ? ipaddr.IPv4.networkAddressFromCIDR(`${parsed}/${bits}`)
      : ipaddr.IPv6.networkAddressFromCIDR(`${parsed}/${bits}`);
  return `${network}/${bits}`;
}
