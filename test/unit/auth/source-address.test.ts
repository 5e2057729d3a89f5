/** Tests which source addresses share a rate-limit window, and which part of an address is logged. */
import { expect, test } from '@jest/globals';
import { rateLimitNetworkOf, truncateAddress } from '../../../shared/domain/auth/source-address.ts';

test.each([
  ['2001:db8:1:2::1', '2001:db8:1:2:ffff:ffff:ffff:ffff'],
  ['2001:db8:1:2::1', '2001:0DB8:0001:0002:0:0:0:9'],
  ['2001:db8:1:2::', '2001:db8:1:2::1.2.3.4'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::ffff:c000:201', '192.0.2.1'],
])('%s and %s share a window', (one, other) => {
  expect(rateLimitNetworkOf(one)).toBe(rateLimitNetworkOf(other));
});

test.each([
  ['2001:db8:1:2::1', '2001:db8:1:3::1'],
  ['2001:db8:1:2::1', '2001:db9:1:2::1'],
  ['192.0.2.1', '192.0.2.2'],
  ['::ffff:192.0.2.1', '::ffff:192.0.2.2'],
  ['::1', '127.0.0.1'],
])('%s and %s have separate windows', (one, other) => {
  expect(rateLimitNetworkOf(one)).not.toBe(rateLimitNetworkOf(other));
});

test.each(['', 'unknown', '300.1.1.1', '1.2.3.4, 5.6.7.8', '::1::2'])(
  '%p is not an address, and does not throw',
  (text) => {
    expect(rateLimitNetworkOf(text)).toBe('unknown');
    expect(truncateAddress(text)).toBe('unknown');
  },
);

test.each([
  ['192.0.2.77', '192.0.2.0/24'],
  ['::ffff:192.0.2.77', '192.0.2.0/24'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48'],
])('of %s, only %s is logged', (address, expected) => {
  expect(truncateAddress(address)).toBe(expected);
});
