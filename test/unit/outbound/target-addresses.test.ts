/** Tests which IP addresses are allowed, in all their notations. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isAllowedAddress } from '../../../shared/platform/outbound/address.ts';
import {
  anyIpv4,
  anyIpv6,
  ipv4Text,
  ipv6Text,
  isPublicIpv4,
  isPublicIpv6,
} from '../../support/address-registry.ts';

const everything = ['0.0.0.0/0', '::/0'];

describe('without allowed ranges', () => {
  test('property: an IPv4 address is allowed exactly if no registry reserves it', () => {
    fc.assert(
      fc.property(anyIpv4, (address) => {
        expect(isAllowedAddress(ipv4Text(address), [])).toBe(isPublicIpv4(address));
      }),
      { numRuns: 3_000 },
    );
  });

  test('property: an IPv6 address is allowed exactly if it, or the IPv4 address in it, is not reserved', () => {
    fc.assert(
      fc.property(anyIpv6, (address) => {
        expect(isAllowedAddress(ipv6Text(address), [])).toBe(isPublicIpv6(address));
      }),
      { numRuns: 3_000 },
    );
  });

  test.each([
    '1.1.1.1',
    '8.8.8.8',
    '172.32.0.1',
    '100.128.0.1',
    '2606:4700:4700::1111',
    '2A00:1450:4001:80B::200E',
    '::ffff:8.8.8.8',
    '64:ff9b::8.8.8.8',
    '2001:67c:2b0:db32::8.8.8.8',
    '2001:67c:2e8:22::808:808',
    '2001:67c:2b0:db33::a00:1',
    '2002:808:808::1',
  ])('%s is allowed', (address) => {
    expect(isAllowedAddress(address, [])).toBe(true);
  });

  test.each([
    '',
    'localhost',
    '0x7f000001',
    '2130706433',
    '127.1',
    '8.8.8',
    '08.8.8.8',
    '8.8.8.8 ',
    '2a00::1%eth0',
  ])('%p is rejected, because resolvers do not return such text', (text) => {
    expect(isAllowedAddress(text, everything)).toBe(false);
  });

  test.each([
    '::8.8.8.8',
    '::808:808',
    '::ffff:0:8.8.8.8',
    '64:ff9b:1::8.8.8.8',
    '2001:0:808:808::1',
    '2a00::5efe:8.8.8.8',
  ])('%s is rejected although the IPv4 address in it is allowed', (address) => {
    expect(isAllowedAddress(address, [])).toBe(false);
  });
});

describe('with allowed ranges', () => {
  test.each([
    ['127.0.0.1', ['127.0.0.0/8'], true],
    ['::ffff:127.0.0.1', ['127.0.0.0/8'], true],
    ['64:ff9b::7f00:1', ['127.0.0.0/8'], true],
    ['2001:67c:2b0:db32::10.1.2.3', [], false],
    ['2001:67c:2e8:22::a01:203', [], false],
    ['2001:67c:2e8:22::a01:203', ['10.1.0.0/16'], true],
    ['::1', ['127.0.0.0/8'], false],
    ['::1', ['::1/128'], true],
    ['::', ['::1/128'], false],
    ['10.1.2.3', ['10.1.0.0/16', '192.168.0.0/16'], true],
    ['10.2.2.3', ['10.1.0.0/16', '192.168.0.0/16'], false],
    ['192.168.2.3', ['10.1.0.0/16', '192.168.0.0/16'], true],
    ['fd12::1', ['fd12::/16'], true],
    ['fd13::1', ['fd12::/16'], false],
    ['8.8.8.8', ['10.0.0.0/8'], true],
  ])('%s with %p: %p', (address, ranges, expected) => {
    expect(isAllowedAddress(address, ranges)).toBe(expected);
  });

  test.each([
    '169.254.169.254',
    '169.254.170.2',
    '169.254.170.23',
    '100.100.100.200',
    '168.63.129.16',
    '192.0.0.192',
    'fd00:ec2::254',
    'fd00:ec2::23',
    'fd20:ce::254',
    'fd00:c1::a9fe:a9fe',
    'fd00:42::42',
    'fe80::a9fe:a9fe',
    '::ffff:169.254.169.254',
    '::ffff:a9fe:a9fe',
    '::169.254.169.254',
    '::ffff:0:169.254.169.254',
    '64:ff9b::169.254.169.254',
    '2001:67c:2b0:db32::169.254.169.254',
    '2001:67c:2e8:22::a9fe:a9fe',
    '64:ff9b:1::169.254.169.254',
    '64:ff9b:1:a9fe:a9:fe00::',
    '2002:a9fe:a9fe::1',
    '2001:0:a9fe:a9fe::5601:5601',
    'fd12::5efe:169.254.169.254',
    'fd12::200:5efe:169.254.169.254',
  ])('%s is rejected even if all ranges are allowed', (address) => {
    expect(isAllowedAddress(address, everything)).toBe(false);
  });

  test('text that is not a range throws', () => {
    expect(() => isAllowedAddress('127.0.0.1', ['127.0.0.1'])).toThrow();
  });
});
