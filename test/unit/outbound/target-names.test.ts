/** Tests which host names may be configured, depending on their addresses. */
import { afterEach, describe, expect, test } from '@jest/globals';
import { resolvedFault, type TargetPolicy } from '../../../shared/outbound/target.ts';
import { setResolver } from '../../support/outbound.ts';

afterEach(() => setResolver());

const policy: TargetPolicy = { mode: 'live', allowedRanges: [], ownHosts: [] };
const url = 'https://hooks.example.com/in';
const local: TargetPolicy = { ...policy, mode: 'test', allowedRanges: ['127.0.0.0/8', '::1/128'] };
const resolveTo = (...addresses: string[]) => setResolver(async () => addresses);
const failWith = (code: string) =>
  setResolver(async () => Promise.reject(Object.assign(new Error(code), { code })));

test.each([[['1.1.1.1']], [['2606:4700::1111']], [['1.1.1.1', '8.8.8.8', '2606:4700::1111']]])(
  'a name with only public addresses is allowed: %p',
  async (addresses) => {
    resolveTo(...addresses);
    expect(await resolvedFault(url, policy)).toBeUndefined();
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
])('a name with one forbidden address is a fault: %p', async (addresses) => {
  resolveTo(...addresses);
  expect(await resolvedFault(url, policy)).toMatch(/^url must lead to a public address/);
});

test.each(['ENOTFOUND', 'ENODATA'])('a name that does not exist yet is not a fault: %s', async (code) => {
  failWith(code);
  expect(await resolvedFault(url, policy)).toBeUndefined();
});

test('a name without addresses is not a fault', async () => {
  resolveTo();
  expect(await resolvedFault(url, policy)).toBeUndefined();
});

test.each(['EAI_AGAIN', 'ESERVFAIL', 'ETIMEOUT', 'ECONNREFUSED'])(
  'a resolver that fails is not a fault: %s',
  async (code) => {
    failWith(code);
    expect(await resolvedFault(url, policy)).toBeUndefined();
  },
);

test('a resolver that throws or is too slow is not a fault', async () => {
  setResolver(() => {
    throw new Error('broken');
  });
  expect(await resolvedFault(url, policy)).toBeUndefined();
  setResolver(() => new Promise(() => {}));
  expect(await resolvedFault(url, policy, 20)).toBeUndefined();
});

test('a name of the service itself is detected by its address', async () => {
  resolveTo('127.0.0.1');
  const own = { ...local, ownHosts: ['127.0.0.1:4600'] };
  expect(await resolvedFault('http://hooks.example.com:4600/', own)).toMatch(/public address|itself/);
  expect(await resolvedFault('http://hooks.example.com:4601/', own)).toBeUndefined();
});

describe('the resolver', () => {
  const queries: string[] = [];
  const recordQueries = () => {
    queries.length = 0;
    setResolver(async (name) => {
      queries.push(name);
      return ['1.1.1.1'];
    });
  };

  test.each(['https://1.1.1.1/', 'https://[2606:4700::1111]/', 'https://0x01010101/'])(
    'gets no query for an address: %s',
    async (literal) => {
      recordQueries();
      expect(await resolvedFault(literal, policy)).toBeUndefined();
      expect(queries).toEqual([]);
    },
  );

  test('gets no query for a URL that is invalid as text', async () => {
    recordQueries();
    for (const refused of [
      'http://hooks.example.com/',
      'https://127.0.0.1/',
      'https://localhost/',
      'nonsense',
    ]) {
      expect(await resolvedFault(refused, policy)).toMatch(/^url must /);
    }
    expect(queries).toEqual([]);
  });

  test('gets the name as it is used for the connection', async () => {
    recordQueries();
    await resolvedFault('https://HOOKS.Ex%61mple.com/', policy);
    expect(queries).toEqual(['hooks.example.com']);
  });
});

test('localhost is loopback, without a name server', async () => {
  expect(await resolvedFault('http://localhost:1234/', local)).toBeUndefined();
  expect(await resolvedFault('http://a.localhost:1234/', local)).toBeUndefined();
  expect(await resolvedFault('http://localhost:1234/', { ...local, allowedRanges: ['::1/128'] })).toMatch(
    /public address/,
  );
});
