/** Tests the resolution of names with the responses of a test name server. */
import { Resolver } from 'node:dns/promises';
import { afterEach, expect, test } from '@jest/globals';
import { isNameNotFound, resolveAddresses } from '../../../shared/platform/outbound/name-resolution.ts';
import { type DnsAnswer, type NameServer, startNameServer } from '../../support/name-server.ts';

const v4 = [Buffer.from([1, 1, 1, 1]), Buffer.from([10, 0, 0, 1])];
const v6 = [Buffer.from('20010db8000000000000000000000001', 'hex')];
const [serverFailure, nameDoesNotExist] = [2, 3];

const servers: NameServer[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** Resolves a name. The name server responds with `a` and `aaaa`. */
async function resolve(a: DnsAnswer, aaaa: DnsAnswer): Promise<readonly string[]> {
  const server = await startNameServer((_, family) => (family === 'A' ? a : aaaa));
  servers.push(server);
  const resolver = new Resolver({ timeout: 100, tries: 1 });
  resolver.setServers([server.address]);
  return resolveAddresses('hooks.example.com', resolver);
}
const failure = (a: DnsAnswer, aaaa: DnsAnswer) =>
  resolve(a, aaaa).then(
    () => undefined,
    (error: Error) => error,
  );

test.each([
  ['both families, IPv4 first', v4, v6, ['1.1.1.1', '10.0.0.1', '2001:db8::1']],
  ['IPv4 only', v4, [], ['1.1.1.1', '10.0.0.1']],
  ['IPv6 only', [], v6, ['2001:db8::1']],
  ['IPv4 if the query for IPv6 fails', v4, serverFailure, ['1.1.1.1', '10.0.0.1']],
  ['IPv6 if the query for IPv4 gets no response', 'silence', v6, ['2001:db8::1']],
] as [string, DnsAnswer, DnsAnswer, string[]][])(
  'returns the addresses of %s',
  async (_, a, aaaa, expected) => {
    expect(await resolve(a, aaaa)).toEqual(expected);
  },
);

test.each([
  ['a name that does not exist is proof', nameDoesNotExist, nameDoesNotExist, true],
  ['a name without addresses is proof', [], [], true],
  ['a failing server is no proof', serverFailure, serverFailure, false],
  ['a failure for one family is no proof', [], serverFailure, false],
  ['a missing response is no proof', 'silence', 'silence', false],
  ['a missing response for one family is no proof', nameDoesNotExist, 'silence', false],
] as [string, DnsAnswer, DnsAnswer, boolean][])(
  '%s that a name has no address',
  async (_, a, aaaa, isProof) => {
    const error = await failure(a, aaaa);
    expect(error).toBeDefined();
    expect(isNameNotFound(error)).toBe(isProof);
  },
);

test('localhost and all names below it are loopback, without a query', async () => {
  const none = { resolve4: () => Promise.reject(new Error()), resolve6: () => Promise.reject(new Error()) };
  for (const name of ['localhost', 'a.localhost']) {
    expect(await resolveAddresses(name, none as unknown as Resolver)).toEqual(['127.0.0.1', '::1']);
  }
});
