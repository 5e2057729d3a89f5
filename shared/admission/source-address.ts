/** Source addresses: whom a request counts against, and how much of an address may be logged. */
import ipaddr from 'ipaddr.js';

/** The network that shares a window: the address itself for IPv4, its /64 for IPv6. What is no address is one network. */
export function networkOf(address: string): string {
  return masked(address, 32, 64);
}

/** An address as it may be logged: its /24 or /48. */
export function shortened(address: string): string {
  return masked(address, 24, 48);
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
