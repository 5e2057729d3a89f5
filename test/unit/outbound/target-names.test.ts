/** Tests which host names may be called, depending on their addresses. */
import { afterEach, expect, test } from '@jest/globals';
import {
  AddressNotAllowed,
  allowedAddresses,
  type TargetPolicy,
} from '../../../shared/platform/outbound/target.ts';
import { setResolver } from '../../support/outbound.ts';

afterEach(() => setResolver());

const policy: TargetPolicy = { mode: 'live', allowedRanges: [], ownHosts: [] };
const name = 'hooks.example.com';
const local: TargetPolicy = { ...policy, mode: 'test', allowedRanges: ['127.0.0.0/8', '::1/128'] };
const resolveTo = (...addresses: string[]) => setResolver(async () => addresses);

test.each([[['1.1.1.1']], [['2606:4700::1111']], [['1.1.1.1', '8.8.8.8', '2606:4700::1111']]])(
  'a name with only public addresses is allowed: %p',
  async (addresses) => {
    resolveTo(...addresses);
    expect(await allowedAddresses(name, 443, policy)).toEqual(addresses);
  },
);

test.each([
  [['127.0.0.1']],
  [['::1']],
  [['1.1.1.1', '127.0.0.1']],
  [['1.1.1.1', '2606:4700::1111', '::ffff:10.0.0.1']],
  [['169.254.169.254', '1.1.1.1']],
  [['1.1.1.1', 'localhost']],
  [['1.1.1.1', '']],
])('a name with one forbidden address is not allowed: %p', async (addresses) => {
  resolveTo(...addresses);
  await expect(allowedAddresses(name, 443, policy)).rejects.toThrow(AddressNotAllowed);
});

test('a name without addresses does not exist', async () => {
  resolveTo();
  await expect(allowedAddresses(name, 443, policy)).rejects.toMatchObject({ code: 'ENODATA' });
});

test('a name of the service itself is detected by its address', async () => {
  resolveTo('127.0.0.1');
  const own = { ...local, ownHosts: ['127.0.0.1:4600'] };
  await expect(allowedAddresses(name, 4600, own)).rejects.toThrow(AddressNotAllowed);
  expect(await allowedAddresses(name, 4601, own)).toEqual(['127.0.0.1']);
});

test('localhost is loopback, without a name server', async () => {
  expect(await allowedAddresses('localhost', 1234, local)).toEqual(['127.0.0.1', '::1']);
  expect(await allowedAddresses('a.localhost', 1234, local)).toEqual(['127.0.0.1', '::1']);
  const onlyIpv6 = { ...local, allowedRanges: ['::1/128'] };
  await expect(allowedAddresses('localhost', 1234, onlyIpv6)).rejects.toThrow(AddressNotAllowed);
});
