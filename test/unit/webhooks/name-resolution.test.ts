/** What is made of the answers of name servers. */
import { Resolver } from 'node:dns/promises';
import { afterEach, expect, test } from '@jest/globals';
import { addressesOf, isAbsence } from '../../../shared/webhooks/name-resolution.ts';
import { type NameAnswer, type NameServer, startNameServer } from '../../support/name-server.ts';

const v4 = [Buffer.from([1, 1, 1, 1]), Buffer.from([10, 0, 0, 1])];
const v6 = [Buffer.from('20010db8000000000000000000000001', 'hex')];
const [serverFailure, noSuchName] = [2, 3];

const servers: NameServer[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** Resolves a name for which the name server answers with `a` and `aaaa`. */
async function resolved(a: NameAnswer, aaaa: NameAnswer): Promise<readonly string[]> {
  const server = await startNameServer((_, family) => (family === 'A' ? a : aaaa));
  servers.push(server);
  const resolver = new Resolver({ timeout: 100, tries: 1 });
  resolver.setServers([server.address]);
  return addressesOf('hooks.example.com', resolver);
}
const failure = (a: NameAnswer, aaaa: NameAnswer) =>
  resolved(a, aaaa).then(
    () => undefined,
    (error: Error) => error,
  );

test.each([
  ['both families, IPv4 first', v4, v6, ['1.1.1.1', '10.0.0.1', '2001:db8::1']],
  ['IPv4 only', v4, [], ['1.1.1.1', '10.0.0.1']],
  ['IPv6 only', [], v6, ['2001:db8::1']],
  ['one family of which the other fails', v4, serverFailure, ['1.1.1.1', '10.0.0.1']],
  ['one family of which the other is not answered', 'silence', v6, ['2001:db8::1']],
] as [string, NameAnswer, NameAnswer, string[]][])('%s', async (_, a, aaaa, expected) => {
  expect(await resolved(a, aaaa)).toEqual(expected);
});

test.each([
  ['no such name is certain', noSuchName, noSuchName, true],
  ['a name without addresses is certain', [], [], true],
  ['a server that fails proves nothing', serverFailure, serverFailure, false],
  ['neither does one that fails for one family', [], serverFailure, false],
  ['neither does one that does not answer', 'silence', 'silence', false],
  ['nor for one family', noSuchName, 'silence', false],
] as [string, NameAnswer, NameAnswer, boolean][])('%s', async (_, a, aaaa, isCertain) => {
  const error = await failure(a, aaaa);
  expect(error).toBeDefined();
  expect(isAbsence(error)).toBe(isCertain);
});

test('localhost and all names below it are loopback without a question', async () => {
  const none = { resolve4: () => Promise.reject(new Error()), resolve6: () => Promise.reject(new Error()) };
  for (const name of ['localhost', 'a.localhost']) {
    expect(await addressesOf(name, none as unknown as Resolver)).toEqual(['127.0.0.1', '::1']);
  }
});
