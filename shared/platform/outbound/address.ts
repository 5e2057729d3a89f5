/**
 * Decides which IP addresses the service may connect to.
 *
 * - Global unicast addresses are allowed, in every notation.
 * - Other addresses are allowed only in the ranges that a deployment configures.
 * - Metadata addresses are never allowed, because they give out the credentials of the machine.
 *
 * `target.ts` checks URLs and host names.
 */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = [Address, number];

/**
 * Decides whether the service may connect to `address`. Returns false for text that is not an IP address, and for an
 * address with a zone.
 * @param address in the notation of resolvers and sockets
 * @param allowedRanges CIDR ranges to allow although they are not public (see `requireCidrRanges`)
 */
export function isAllowedAddress(address: string, allowedRanges: readonly string[]): boolean {
  const effective = effectiveAddress(address);
  if (effective === undefined || isWithin(effective, metadataRanges) || mayEmbedIpv4(effective)) return false;
  return isGlobalUnicast(effective) || isWithin(effective, allowedRanges.map(rangeOf));
}

/**
 * Checks that each text is a CIDR range whose address is written in full.
 * @throws Error that names the first text that is not
 */
export function requireCidrRanges(ranges: readonly string[]): void {
  for (const range of ranges) {
    if (isIP(range.replace(/\/.*/, '')) !== 0 && ipaddr.isValidCIDR(range)) continue;
    throw new Error(
      `The allowed webhook range "${range}" is not a CIDR range. Write the whole address and a prefix length, such as 10.0.0.0/8.`,
    );
  }
}

/** Returns the same text for all notations of an address, or undefined if `address` is not an IP address. */
export function canonicalAddress(address: string): string | undefined {
  return effectiveAddress(address)?.toString();
}

/** Whether a connection to `address` ends on the machine that makes it: a loopback or unspecified address. */
export function isOwnMachine(address: string): boolean {
  return ['loopback', 'unspecified'].includes(effectiveAddress(address)?.range() ?? '');
}

/**
 * Addresses that give credentials or internal data of a cloud to every client. They include all link-local addresses:
 * clouds have their metadata there (169.254.169.254), containers have their credentials there (169.254.170.2 and .23),
 * and no receiver has such an address.
 */
const metadataRanges = [
  '169.254.0.0/16',
  'fe80::/10',
  'fd00:ec2::/32', // AWS
  'fd20:ce::254/128', // Google
  'fd00:c1::a9fe:a9fe/128', // Oracle
  'fd00:42::42/128', // Scaleway
  '192.0.0.192/32', // Oracle, in the past
  '100.100.100.200/32', // Alibaba
  '168.63.129.16/32', // Azure's host, although the address is public
].map(rangeOf);

/**
 * IPv6 ranges that stand for an IPv4 address, and the byte where it starts: mapped, NAT64 and 6to4 addresses. Two operators
 * of public NAT64 gateways (Trex and level66) use prefixes of their own.
 */
const ipv4Embeddings: readonly { readonly range: Range; readonly at: number }[] = [
  { range: rangeOf('::ffff:0:0/96'), at: 12 },
  { range: rangeOf('64:ff9b::/96'), at: 12 },
  { range: rangeOf('2001:67c:2b0:db32::/96'), at: 12 },
  { range: rangeOf('2001:67c:2e8:22::/96'), at: 12 },
  { range: rangeOf('2002::/16'), at: 2 },
];

/**
 * IPv6 ranges that contain an IPv4 address, where the network decides which machine gets the packets: local NAT64,
 * Teredo and SIIT.
 */
const networkDependent = ['64:ff9b:1::/48', '2001::/32', '::ffff:0:0:0/96'].map(rangeOf);
const compatible = [rangeOf('::/96')];
const unspecifiedAndLoopback = [rangeOf('::/127')];
const publicIpv6 = [rangeOf('2000::/3')];

/** Returns the address that packets finally go to: for IPv6 that embeds IPv4, the IPv4 address. */
function effectiveAddress(text: string): Address | undefined {
  const kind = isIP(text);
  if (kind === 0 || text.includes('%')) return undefined;
  if (kind === 4) return ipaddr.parse(text);
  // The parser reads `::1.2.3.4` as a mapped address. `URL` rewrites IPv6 without that notation.
  const address = ipaddr.IPv6.parse(new URL(`http://[${text}]`).hostname.slice(1, -1));
  const embedding = ipv4Embeddings.find(({ range }) => isWithin(address, [range]));
  if (embedding === undefined) return address;
  return new ipaddr.IPv4(address.toByteArray().slice(embedding.at, embedding.at + 4));
}

/** Whether packets to an IPv6 address may go to an IPv4 address that this module cannot determine. */
function mayEmbedIpv4(address: Address): boolean {
  if (address.kind() === 'ipv4') return false;
  const isCompatible = isWithin(address, compatible) && !isWithin(address, unspecifiedAndLoopback);
  return isCompatible || isWithin(address, networkDependent) || isIsatap(address as ipaddr.IPv6);
}

/** Whether it is an ISATAP address (RFC 5214): any prefix, then 0000:5efe or 0200:5efe, then an IPv4 address. */
function isIsatap({ parts }: ipaddr.IPv6): boolean {
  return (parts[4] === 0 || parts[4] === 0x0200) && parts[5] === 0x5efe;
}

/**
 * The library returns `unicast` for every address outside its ranges, but public IPv6 addresses are in 2000::/3 only.
 */
function isGlobalUnicast(address: Address): boolean {
  return address.range() === 'unicast' && (address.kind() === 'ipv4' || isWithin(address, publicIpv6));
}

function isWithin(address: Address, ranges: Range[]): boolean {
  return ipaddr.subnetMatch(address, { listed: ranges }, '') === 'listed';
}

function rangeOf(text: string): Range {
  return ipaddr.parseCIDR(text);
}
