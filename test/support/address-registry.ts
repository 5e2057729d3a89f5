/**
 * Decides which IP addresses are public, for tests. Lists the special-purpose addresses of the IANA registries and the
 * addresses that clouds reserve, and compares them as numbers.
 *
 * - It shares no code and no table with the code under test, so that the two can confirm each other.
 */
import fc from 'fast-check';

type Block = readonly [first: bigint, last: bigint];

/** Whether an address, given as a number, is public. */
export function isPublicIpv4(address: bigint): boolean {
  return !ipv4Blocks.some(([first, last]) => first <= address && address <= last);
}

export function isPublicIpv6(address: bigint): boolean {
  const embedded = embeddedIpv4(address);
  if (embedded !== undefined) return isPublicIpv4(embedded);
  if (address >> 125n !== 1n) return false;
  const interfaceStart = (address >> 32n) & 0xffffffffn;
  if (interfaceStart === 0x5efen || interfaceStart === 0x02005efen) return false;
  return !ipv6Blocks.some(([first, last]) => first <= address && address <= last);
}

export function ipv4Text(address: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => (address >> shift) & 0xffn).join('.');
}

export function ipv6Text(address: bigint): string {
  return [112n, 96n, 80n, 64n, 48n, 32n, 16n, 0n]
    .map((shift) => ((address >> shift) & 0xffffn).toString(16))
    .join(':');
}

const ipv4Blocks = `
  0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24
  192.31.196.0/24 192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24 198.18.0.0/15 198.51.100.0/24
  203.0.113.0/24 224.0.0.0/4 240.0.0.0/4 168.63.129.16/32
`
  .trim()
  .split(/\s+/)
  .map(blockOf);

/** Special-purpose blocks within 2000::/3. Addresses outside 2000::/3 are not public. */
const ipv6Blocks = `2001::/23 2001:db8::/32 2620:4f:8000::/48 3fff::/20`.split(' ').map(blockOf);

/** The prefixes whose last 32 bits are the IPv4 address that packets go to: mapped addresses, and NAT64 gateways. */
const ipv4Prefixes = ['::ffff:0:0', '64:ff9b::', '2001:67c:2b0:db32::', '2001:67c:2e8:22::'];

/** Generates addresses of all kinds, many of them at the edges of the blocks above. */
export const anyIpv4 = fc.oneof(
  fc.bigInt({ min: 0n, max: 0xffffffffn }),
  fc.constantFrom(...edgesOf('ipv4')),
);

export const anyIpv6 = fc.oneof(
  fc.bigInt({ min: 0n, max: (1n << 128n) - 1n }),
  fc.bigInt({ min: 1n << 125n, max: (1n << 126n) - 1n }),
  fc.constantFrom(...edgesOf('ipv6')),
  fc
    .tuple(fc.constantFrom(...ipv4Prefixes, '::', '64:ff9b:1::', '::ffff:0:0:0'), anyIpv4)
    .map(([prefix, embedded]) => ipv6Number(prefix) + embedded),
  fc
    .tuple(anyIpv4, fc.bigInt({ min: 0n, max: (1n << 80n) - 1n }))
    .map(([v4, rest]) => (0x2002n << 112n) + (v4 << 80n) + rest),
  fc
    .tuple(
      fc.constantFrom('2a00:1450:4001:80b::', 'fd00::', 'fe80::'),
      fc.constantFrom(0x5efen, 0x02005efen),
      anyIpv4,
    )
    .map(([prefix, mark, embedded]) => ipv6Number(prefix) + (mark << 32n) + embedded),
);

function embeddedIpv4(address: bigint): bigint | undefined {
  if (ipv4Prefixes.some((prefix) => address >> 32n === ipv6Number(prefix) >> 32n))
    return address & 0xffffffffn;
  return address >> 112n === 0x2002n ? (address >> 80n) & 0xffffffffn : undefined;
}

function edgesOf(kind: 'ipv4' | 'ipv6'): bigint[] {
  const blocks = kind === 'ipv4' ? ipv4Blocks : ipv6Blocks;
  const max = kind === 'ipv4' ? 0xffffffffn : (1n << 128n) - 1n;
  return blocks
    .flatMap(([first, last]) => [first - 1n, first, last, last + 1n])
    .filter((edge) => edge >= 0n && edge <= max);
}

function ipv4Number(text: string): bigint {
  return text.split('.').reduce((number, part) => (number << 8n) + BigInt(part), 0n);
}

/** Converts hexadecimal groups, with at most one `::`, to a number. */
function ipv6Number(text: string): bigint {
  const [start = '', end = ''] = text.split('::');
  const groups = (part: string) => (part === '' ? [] : part.split(':'));
  const [left, right] = [groups(start), groups(end)];
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0');
  return [...left, ...zeros, ...right].reduce((number, group) => (number << 16n) + BigInt(`0x${group}`), 0n);
}

function blockOf(text: string): Block {
  const [address = '', bits = ''] = text.split('/');
  const isIpv6 = address.includes(':');
  const first = isIpv6 ? ipv6Number(address) : ipv4Number(address);
  return [first, first + (1n << BigInt((isIpv6 ? 128 : 32) - Number(bits))) - 1n];
}
