/** Tests how the address ranges of API keys are parsed, and which addresses they contain, compared with node:net. */
import { BlockList, isIPv4 } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  isAddressAllowed,
  maxAddressRanges,
  membersContaining,
  parseAddressRanges,
  rangeTextsOf,
  toAddressRanges,
} from '../../../shared/domain/auth/address-ranges.ts';

const ranges = (...lines: string[]) => {
  const parsed = parseAddressRanges(lines);
  if (!parsed.ok) throw new Error(parsed.message);
  return parsed.ranges;
};
const messageOf = (...lines: string[]) => {
  const parsed = parseAddressRanges(lines);
  return parsed.ok ? 'accepted' : parsed.message;
};

describe('the canonical form', () => {
  test.each([
    ['203.0.113.7', '203.0.113.7/32'],
    ['203.0.113.7/24', '203.0.113.0/24'],
    ['203.0.113.255/25', '203.0.113.128/25'],
    ['10.200.0.0/8', '10.0.0.0/8'],
    [' 203.0.113.7 ', '203.0.113.7/32'],
    ['2001:DB8:0:0::1', '2001:db8::1/128'],
    ['2001:db8:abcd:ffff::/52', '2001:db8:abcd:f000::/52'],
    ['2001:db8::/32', '2001:db8::/32'],
    ['::ffff:203.0.113.7', '203.0.113.7/32'],
    ['::ffff:cb00:7107', '203.0.113.7/32'],
    ['::ffff:203.0.113.7/120', '203.0.113.0/24'],
  ])('of %s is %s', (text, expected) => {
    expect(ranges(text)).toEqual([expected]);
    expect(ranges(expected)).toEqual([expected]);
  });

  test('is sorted and has no duplicates', () => {
    const lines = ['203.0.113.9/24', '2001:db8::/64', '192.0.2.1', '203.0.113.0/24', '::ffff:192.0.2.1'];
    expect(ranges(...lines)).toEqual(['203.0.113.0/24', '192.0.2.1/32', '2001:db8::/64']);
    expect(ranges(...lines.toReversed())).toEqual(ranges(...lines));
  });
});

describe('refused ranges', () => {
  const invalid = 'is not an IPv4 or IPv6 range. Write it like 203.0.113.7, 203.0.113.0/24 or 2001:db8::/48.';
  test.each([
    '',
    'example.com',
    '203.0.113',
    '203.0.113.0/',
    '203.0.113.0/33',
    '203.0.113.0/-1',
    '203.0.113.0/024',
    '203.0.113.0/24/8',
    '203.0.113.0 - 203.0.113.9',
    '0x7f.0.0.1',
    '010.0.0.1',
    '2130706433',
    '2001:db8::/129',
    'fe80::1%eth0',
    '::ffff:203.0.113.7/95',
  ])('%p is not a range', (text) => {
    expect(messageOf('192.0.2.0/24', text)).toBe(`Address range 2 ${invalid}`);
  });

  test.each(['0.0.0.0/0', '203.0.113.7/0', '::/0', '::ffff:0.0.0.0/96'])('%s is all addresses', (text) => {
    expect(messageOf(text)).toBe(
      'Address range 1 contains all addresses. To allow all addresses, leave out the ranges.',
    );
  });

  test.each(['203.0.113.0/7', '128.0.0.0/1'])('%s is too large', (text) => {
    expect(messageOf(text)).toContain('must have a length from /8 to /32');
  });

  test.each(['2001:db8::/28', '2001:db8::/33', '2001:db8::/96', '2001:db8::/127'])('%s', (text) => {
    expect(messageOf(text)).toContain('must have one of the lengths /32, /36,');
  });

  test('none, and more than 8', () => {
    expect(messageOf()).toContain('at least one address range');
    const lines = Array.from({ length: maxAddressRanges + 1 }, (_, index) => `192.0.2.${index}`);
    expect(messageOf(...lines)).toBe('List at most 8 address ranges.');
    expect(messageOf(...lines.slice(1), '192.0.2.8/32')).toBe('accepted');
  });
});

describe('the stored form', () => {
  test('is one byte and the bytes of the network', () => {
    const stored = (text: string) => [...toAddressRanges(ranges(text))].map((member) => [...member]);
    expect(stored('203.0.113.7')).toEqual([[32, 203, 0, 113, 7]]);
    expect(stored('203.0.112.0/20')).toEqual([[20, 203, 0, 112]]);
    expect(stored('10.0.0.0/8')).toEqual([[8, 10]]);
    expect(stored('2001:db8::/32')).toEqual([[132, 0x20, 1, 0xd, 0xb8]]);
    expect(stored('2001:db8:1:2::/64')).toEqual([[164, 0x20, 1, 0xd, 0xb8, 0, 1, 0, 2]]);
    expect(stored('203.0.113.128/25')).toEqual([
      [26, 203, 0, 113, 128],
      [26, 203, 0, 113, 192],
    ]);
  });

  test('has no member twice, and can be shown as text', () => {
    const stored = toAddressRanges(['203.0.113.128/25', '203.0.113.192/26', '2001:db8::/128']);
    expect(rangeTextsOf(stored)).toEqual(['203.0.113.128/25', '2001:db8::/128']);
  });

  test('of a length that only a later release allows contains no address', () => {
    const stored = toAddressRanges(['2001:db8::/33']);
    expect(stored.size).toBe(1);
    expect(isAddressAllowed(stored, '2001:db8::')).toBe(false);
    expect(rangeTextsOf(new Set([...stored, Uint8Array.of(24, 1)]))).toEqual(['unknown', '2001:db8::/33']);
  });

  test('is never made from text that is not a range', () => {
    for (const text of ['', 'x', '203.0.113.0/33']) expect(() => toAddressRanges([text])).toThrow();
  });
});

const ipv4 = fc.ipV4();
// node:net counts IPv4 addresses as a part of ::/80.
const ipv6 = fc.ipV6().filter((text) =>
  expandIpv6(text)
    .slice(0, 2)
    .some((group) => group !== 0),
);
const ipv4Range = fc.tuple(ipv4, fc.integer({ min: 8, max: 32 }));
const ipv6Range = fc.tuple(ipv6, fc.constantFrom(32, 36, 40, 44, 48, 52, 56, 60, 64, 128));
const rangeList = fc.array(fc.oneof(ipv4Range, ipv6Range), { minLength: 1, maxLength: maxAddressRanges });

/** Returns an address that differs from `address` in one bit. */
function flipBit(address: string, bit: number): string {
  if (isIPv4(address)) {
    const bytes = address.split('.').map(Number);
    return bytes.with(bit >> 3, (bytes[bit >> 3] ?? 0) ^ (0x80 >> (bit & 7))).join('.');
  }
  const groups = expandIpv6(address);
  return groups
    .map((group, index) => (index === bit >> 4 ? group ^ (0x8000 >> (bit & 15)) : group).toString(16))
    .join(':');
}

function expandIpv6(address: string): number[] {
  const hex = address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...bytes) => {
    const [a = 0, b = 0, c = 0, d = 0] = bytes.slice(0, 4).map(Number);
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  });
  const [head = '', tail] = hex.split('::');
  const parse = (text: string | undefined) =>
    text ? text.split(':').map((group) => parseInt(group, 16)) : [];
  const before = parse(head);
  const after = parse(tail);
  return [...before, ...Array.from({ length: 8 - before.length - after.length }, () => 0), ...after];
}

test('ranges contain the same addresses as in node:net', () => {
  fc.assert(
    fc.property(rangeList, fc.nat(7), fc.nat(127), fc.oneof(ipv4, ipv6), (list, which, bit, stranger) => {
      const stored = toAddressRanges(ranges(...list.map(([address, length]) => `${address}/${length}`)));
      const expected = new BlockList();
      for (const [address, length] of list)
        expected.addSubnet(address, length, isIPv4(address) ? 'ipv4' : 'ipv6');
      const [member = ''] = list[which % list.length] ?? [];
      const near = flipBit(member, isIPv4(member) ? bit % 32 : bit);
      for (const address of [member, near, stranger])
        expect([address, isAddressAllowed(stored, address)]).toEqual([
          address,
          expected.check(address, isIPv4(address) ? 'ipv4' : 'ipv6'),
        ]);
    }),
  );
});

test('ranges of a range are its own canonical form, and its stored form shows the same addresses', () => {
  fc.assert(
    fc.property(rangeList, (list) => {
      const canonical = ranges(...list.map(([address, length]) => `${address}/${length}`));
      expect(ranges(...canonical)).toEqual(canonical);
      const shown = rangeTextsOf(toAddressRanges(canonical));
      expect(toAddressRanges(ranges(...shown))).toEqual(toAddressRanges(canonical));
      expect(shown.length).toBeLessThanOrEqual(canonical.length);
    }),
  );
});

test('no text is accepted that is not an address', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[0-9a-f.:/%]{0,30}$/)), (text) => {
      const parsed = parseAddressRanges([text]);
      if (parsed.ok) expect(toAddressRanges(parsed.ranges).size).toBeGreaterThan(0);
      else expect(parsed.message).not.toBe('');
    }),
  );
});

test('text that is not an address is in no ranges, and may be used without ranges', () => {
  for (const text of ['', 'unknown', 'test-invoke-source-ip', '203.0.113.7, 192.0.2.1', 'fe80::1%eth0']) {
    expect(membersContaining(text)).toEqual([]);
    expect(isAddressAllowed(toAddressRanges(['203.0.113.0/24']), text)).toBe(false);
    expect(isAddressAllowed(undefined, text)).toBe(true);
  }
});

test('an IPv4-mapped address is in the ranges of its IPv4 address', () => {
  const stored = toAddressRanges(['203.0.113.0/24']);
  expect(isAddressAllowed(stored, '::ffff:203.0.113.9')).toBe(true);
  expect(isAddressAllowed(stored, '::203.0.113.9')).toBe(false);
});
