/**
 * Parses the address ranges that limit an API key, and decides whether they contain the address of a request.
 *
 * - The item of a key has its ranges as texts, such as `203.0.113.0/24`. The entry in the account state has them as a set of
 *   bytes, because every request writes that item. A member is one byte for the family and the length, and then the bytes
 *   of the network.
 * - The table can only look for a member of a set. So a request sends its address once for each length that a member can
 *   have, cut to that length. Each length costs time in every request, so only some exist: see `memberLengths`.
 */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Field } from '../../store/stored-fields.ts';

/** The ranges as the entry of a key stores them. A request is allowed if its address, cut to some length, is a member. */
export type AddressRanges = ReadonlySet<Uint8Array>;

/** The maximum number of ranges of a key. */
export const maxAddressRanges = 8;

type ParsedRanges =
  | { readonly ok: true; readonly ranges: readonly string[] }
  | { readonly ok: false; readonly message: string };

interface Range {
  /** The number of bytes of an address: 4 for IPv4, 16 for IPv6. */
  readonly size: number;
  /** The bytes of the network. Those that are 0 because of the length are left out. */
  readonly network: Uint8Array;
  readonly length: number;
}

const steps = (step: number, from: number, to: number) =>
  Array.from({ length: (to - from) / step + 1 }, (_, index) => from + index * step);

/**
 * The lengths that a member can have. An IPv4 range of an odd length becomes two members. Stored keys rely on them, so no
 * length can be removed.
 */
const memberLengths = { ipv4: steps(2, 8, 32), ipv6: [...steps(4, 32, 64), 128] } as const;

/** What the first byte of a member adds to its length. */
const ipv6Mark = 100;

const texts = {
  invalid: 'is not an IPv4 or IPv6 range. Write it like 203.0.113.7, 203.0.113.0/24 or 2001:db8::/48.',
  all: 'contains all addresses. To allow all addresses, leave out the ranges.',
  ipv4Length: 'must have a length from /8 to /32, because it is an IPv4 range.',
  ipv6Length: `must have one of the lengths ${memberLengths.ipv6.map((length) => `/${length}`).join(', ')}, because it is an IPv6 range.`,
  none: 'List at least one address range. To allow all addresses, leave out the ranges.',
  tooMany: `List at most ${maxAddressRanges} address ranges.`,
};

/**
 * Parses ranges in CIDR notation. A plain address is a range of one address. Bits after the length are ignored. An
 * IPv4-mapped IPv6 address counts as IPv4.
 * @returns the ranges in canonical form, sorted and without duplicates. Otherwise what is wrong, and what to do.
 */
export function parseAddressRanges(lines: readonly string[]): ParsedRanges {
  const ranges = new Map<string, Range>();
  for (const [index, line] of lines.entries()) {
    const range = parseRange(line);
    const fault = range ? lengthFault(range) : texts.invalid;
    if (!range || fault) return { ok: false, message: `Address range ${index + 1} ${fault}` };
    ranges.set(toText(range), range);
  }
  if (ranges.size === 0) return { ok: false, message: texts.none };
  if (ranges.size > maxAddressRanges) return { ok: false, message: texts.tooMany };
  const sorted = [...ranges].sort(([, one], [, other]) => Buffer.compare(toMember(one), toMember(other)));
  return { ok: true, ranges: sorted.map(([text]) => text) };
}

/**
 * Returns the ranges as the entry of a key stores them. A later release can allow more lengths. In this release, a range of
 * such a length contains no address.
 * @param ranges in canonical form
 * @throws Error if a text is not a range
 */
export function toAddressRanges(ranges: readonly string[]): AddressRanges {
  const parsed = ranges.map((text) => {
    const range = parseRange(text);
    if (!range) throw new Error('An address range of an API key is not valid.');
    return range;
  });
  const members = parsed.flatMap(splitOddLength).map(toMember);
  return new Set(new Map(members.map((member) => [toHex(member), member])).values());
}

/** Returns stored ranges as texts. Two halves of an IPv4 range of an odd length are shown as that range. */
export function rangeTextsOf(ranges: AddressRanges): string[] {
  const members = [...ranges].sort(Buffer.compare);
  const stored = new Set(members.map(toHex));
  return members.flatMap((member) => {
    const range = rangeOfMember(member);
    if (!range) return ['unknown'];
    const isHalf = range.size === 4 && range.length % 2 === 0 && range.length > 8;
    const whole = toRange(bytesOf(range), range.length - (isHalf ? 1 : 0));
    const halves = splitOddLength(whole).map((half) => toHex(toMember(half)));
    if (!isHalf || !halves.every((half) => stored.has(half))) return [toText(range)];
    return toHex(member) === halves[0] ? [toText(whole)] : [];
  });
}

function rangeOfMember([mark = 0, ...network]: Uint8Array): Range | undefined {
  const isIpv6 = mark > ipv6Mark;
  const length = isIpv6 ? mark - ipv6Mark : mark;
  if (network.length !== Math.ceil(length / 8)) return undefined;
  return { size: isIpv6 ? 16 : 4, network: Uint8Array.from(network), length };
}

/**
 * Returns the members that contain an address, if they are in the ranges of a key.
 * @param address the address that the gateway saw. Other texts have no members, so no ranges contain them.
 */
export function membersContaining(address: string): Uint8Array[] {
  const bytes = addressBytes(address);
  if (!bytes) return [];
  const lengths = bytes.length === 4 ? memberLengths.ipv4 : memberLengths.ipv6;
  return lengths.map((length) => toMember(toRange(bytes, length)));
}

/** Whether two keys have the same ranges. */
export function areSameRanges(one: AddressRanges | undefined, other: AddressRanges | undefined): boolean {
  const textOf = (ranges: AddressRanges) => [...ranges].map(toHex).sort().join();
  return one && other ? textOf(one) === textOf(other) : one === other;
}

/**
 * Whether each of the ranges lies in one of the outer ranges. A range that only several outer ranges cover together does
 * not count.
 */
export function areWithin(ranges: AddressRanges, outer: AddressRanges): boolean {
  return [...ranges].every((range) => [...outer].some((each) => contains(each, range)));
}

/** Whether one member contains another one. */
function contains([outerMark = 0, ...outer]: Uint8Array, [mark = 0, ...network]: Uint8Array): boolean {
  if (mark > ipv6Mark !== outerMark > ipv6Mark || mark < outerMark) return false;
  const size = mark > ipv6Mark ? 16 : 4;
  const length = outerMark > ipv6Mark ? outerMark - ipv6Mark : outerMark;
  const cut = toRange(bytesOf({ size, network: Uint8Array.from(network), length: 0 }), length);
  return Buffer.from(cut.network).equals(Buffer.from(outer));
}

/** Whether a key with these ranges may be used from an address. Undefined: from every address. */
export function isAddressAllowed(ranges: AddressRanges | undefined, address: string): boolean {
  if (ranges === undefined) return true;
  const members = new Set([...ranges].map(toHex));
  return membersContaining(address).some((member) => members.has(toHex(member)));
}

/** How a range is stored. */
export const addressRange: Field<string> = {
  expected: 'an address range',
  accepts: (value) => typeof value === 'string' && parseRange(value) !== undefined,
};

function parseRange(text: string): Range | undefined {
  const [address = '', lengthText, ...others] = text.trim().split('/');
  const bytes = addressBytes(address);
  if (!bytes || others.length > 0 || !/^(0|[1-9]\d{0,2})$/.test(lengthText ?? '0')) return undefined;
  const isMapped = bytes.length === 4 && address.includes(':');
  const bits = bytes.length * 8;
  const length = lengthText === undefined ? bits : Number(lengthText) - (isMapped ? 96 : 0);
  return length >= 0 && length <= bits ? toRange(bytes, length) : undefined;
}

/** Returns the bytes of an address: 4 for IPv4, also if it is mapped to IPv6, and 16 for other IPv6 addresses. */
function addressBytes(text: string): number[] | undefined {
  const kind = isIP(text);
  // A zone, such as %eth0, says nothing about the sender.
  if (kind === 0 || text.includes('%')) return undefined;
  if (kind === 4) return text.split('.').map(Number);
  // The parser reads `::1.2.3.4` as a mapped address. `URL` rewrites IPv6 without that notation.
  return ipaddr.process(new URL(`http://[${text}]`).hostname.slice(1, -1)).toByteArray();
}

function toRange(bytes: readonly number[], length: number): Range {
  const network = Uint8Array.from(bytes.slice(0, Math.ceil(length / 8)));
  const last = network.length - 1;
  if (length % 8 !== 0) network[last] = (network[last] ?? 0) & (0xff << (8 - (length % 8)));
  return { size: bytes.length, network, length };
}

function lengthFault({ size, length }: Range): string | undefined {
  if (length === 0) return texts.all;
  if (size === 4) return length < 8 ? texts.ipv4Length : undefined;
  return memberLengths.ipv6.includes(length) ? undefined : texts.ipv6Length;
}

/** Returns the two halves of an IPv4 range of an odd length. */
function splitOddLength(range: Range): Range[] {
  if (range.size !== 4 || range.length % 2 === 0) return [range];
  const bytes = bytesOf(range);
  const upper = bytes.with(range.length >> 3, (bytes[range.length >> 3] ?? 0) | (0x80 >> (range.length & 7)));
  return [bytes, upper].map((each) => toRange(each, range.length + 1));
}

function toMember({ size, network, length }: Range): Uint8Array {
  return Uint8Array.of(size === 4 ? length : ipv6Mark + length, ...network);
}

const bytesOf = ({ size, network }: Range): number[] => [
  ...network,
  ...Array.from({ length: size - network.length }, () => 0),
];

const toText = (range: Range): string => `${ipaddr.fromByteArray(bytesOf(range)).toString()}/${range.length}`;

const toHex = (member: Uint8Array): string => Buffer.from(member).toString('hex');
