/**
 * Which IP addresses may be called: global unicast alone, in whatever notation it comes, and what a deployment allows
 * besides. URLs and names are judged in `target.ts`.
 */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = [Address, number];

/**
 * Whether `address`, as resolvers and sockets write it, may be called. What is no address may not, and neither may
 * one with a zone. `allowedRanges` are CIDR ranges to allow although they are not public (see `requireRanges`).
 * Metadata addresses are refused whatever is allowed.
 */
export function isAllowedAddress(address: string, allowedRanges: readonly string[]): boolean {
  const meant = meantBy(address);
  if (meant === undefined || isWithin(meant, neverCalled) || hidesAnother(meant)) return false;
  return isGlobalUnicast(meant) || isWithin(meant, allowedRanges.map(rangeOf));
}

/** Throws, naming it, if one of these texts is no CIDR range with its address written in full. */
export function requireRanges(ranges: readonly string[]): void {
  for (const range of ranges) {
    if (isIP(range.replace(/\/.*/, '')) !== 0 && ipaddr.isValidCIDR(range)) continue;
    throw new Error(`"${range}", to be allowed for webhooks, is no range of addresses such as 10.0.0.0/8.`);
  }
}

/** One spelling for all notations of an address; undefined for what is none. */
export function canonicalAddress(address: string): string | undefined {
  return meantBy(address)?.toString();
}

/** Whether a connection to `address` ends on the machine that makes it: loopback, or no address in particular. */
export function leadsBack(address: string): boolean {
  return ['loopback', 'unspecified'].includes(meantBy(address)?.range() ?? '');
}

/**
 * Credentials or the cloud's inside for whoever asks. Link-local as a whole, since every cloud has its metadata there
 * (169.254.169.254), containers their credentials (169.254.170.2 and .23), and nobody a receiver.
 */
const neverCalled = [
  '169.254.0.0/16',
  'fe80::/10',
  'fd00:ec2::/32', // AWS
  'fd20:ce::254/128', // Google
  'fd00:c1::a9fe:a9fe/128', // Oracle
  'fd00:42::42/128', // Scaleway
  '192.0.0.192/32', // Oracle, before
  '100.100.100.200/32', // Alibaba
  '168.63.129.16/32', // Azure's host, although its address is a public one
].map(rangeOf);

/** Where IPv6 stands for an IPv4 address, and the byte at which that one starts: mapped, NAT64, 6to4. */
const carriers: readonly { readonly range: Range; readonly at: number }[] = [
  { range: rangeOf('::ffff:0:0/96'), at: 12 },
  { range: rangeOf('64:ff9b::/96'), at: 12 },
  { range: rangeOf('2002::/16'), at: 2 },
];

/** An IPv4 address is in them, but who gets the packets is up to a network unknown here: local NAT64, Teredo, SIIT. */
const opaque = ['64:ff9b:1::/48', '2001::/32', '::ffff:0:0:0/96'].map(rangeOf);
const compatible = [rangeOf('::/96')];
const unspecifiedAndLoopback = [rangeOf('::/127')];
const publicIpv6 = [rangeOf('2000::/3')];

/** The address that packets go to in the end. */
function meantBy(text: string): Address | undefined {
  const kind = isIP(text);
  if (kind === 0 || text.includes('%')) return undefined;
  if (kind === 4) return ipaddr.parse(text);
  // The parser reads `::1.2.3.4` as if it were mapped; in the one spelling that URL makes of IPv6 there is no such text.
  const address = ipaddr.IPv6.parse(new URL(`http://[${text}]`).hostname.slice(1, -1));
  const carrier = carriers.find(({ range }) => isWithin(address, [range]));
  if (carrier === undefined) return address;
  return new ipaddr.IPv4(address.toByteArray().slice(carrier.at, carrier.at + 4));
}

function hidesAnother(address: Address): boolean {
  if (address.kind() === 'ipv4') return false;
  const isCompatible = isWithin(address, compatible) && !isWithin(address, unspecifiedAndLoopback);
  return isCompatible || isWithin(address, opaque) || isIsatap(address as ipaddr.IPv6);
}

/** RFC 5214: any prefix, then 0000:5efe or 0200:5efe, then an IPv4 address. */
function isIsatap({ parts }: ipaddr.IPv6): boolean {
  return (parts[4] === 0 || parts[4] === 0x0200) && parts[5] === 0x5efe;
}

/** The library calls `unicast` what is in none of its ranges; of IPv6, the internet is in 2000::/3 only. */
function isGlobalUnicast(address: Address): boolean {
  return address.range() === 'unicast' && (address.kind() === 'ipv4' || isWithin(address, publicIpv6));
}

function isWithin(address: Address, ranges: Range[]): boolean {
  return ipaddr.subnetMatch(address, { listed: ranges }, '') === 'listed';
}

function rangeOf(text: string): Range {
  return ipaddr.parseCIDR(text);
}
