/** Which names may be configured, by the addresses that they resolve to. */
import { afterEach, describe, expect, test } from '@jest/globals';
import { resolvedFault, setResolver, type TargetPolicy } from '../../../shared/webhooks/target.ts';

afterEach(() => setResolver());

const policy: TargetPolicy = { mode: 'live', allowedRanges: [], ownHosts: [] };
const url = 'https://hooks.example.com/in';
const local: TargetPolicy = { ...policy, mode: 'test', allowedRanges: ['127.0.0.0/8', '::1/128'] };
const answers = (...addresses: string[]) => setResolver(async () => addresses);
const fails = (code: string) =>
  setResolver(async () => Promise.reject(Object.assign(new Error(code), { code })));

test.each([[['1.1.1.1']], [['2606:4700::1111']], [['1.1.1.1', '8.8.8.8', '2606:4700::1111']]])(
  'public addresses only: %p',
  async (addresses) => {
    answers(...addresses);
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
])('one address that may not be called is enough: %p', async (addresses) => {
  answers(...addresses);
  expect(await resolvedFault(url, policy)).toMatch(/^url must lead to a public address/);
});

test.each(['ENOTFOUND', 'ENODATA'])('a name that does not exist is a fault: %s', async (code) => {
  fails(code);
  expect(await resolvedFault(url, policy)).toMatch(/^url must name a host that exists: /);
});

test('so is a name without addresses', async () => {
  answers();
  expect(await resolvedFault(url, policy)).toMatch(/^url must name a host that exists: /);
});

test.each(['EAI_AGAIN', 'ESERVFAIL', 'ETIMEOUT', 'ECONNREFUSED'])(
  'a resolver that fails proves nothing: %s',
  async (code) => {
    fails(code);
    expect(await resolvedFault(url, policy)).toBeUndefined();
  },
);

test('neither does one that throws or gives no answer in time', async () => {
  setResolver(() => {
    throw new Error('broken');
  });
  expect(await resolvedFault(url, policy)).toBeUndefined();
  setResolver(() => new Promise(() => {}));
  expect(await resolvedFault(url, policy, 20)).toBeUndefined();
});

test('a name of the service itself is found by its address', async () => {
  answers('127.0.0.1');
  const own = { ...local, ownHosts: ['127.0.0.1:4600'] };
  expect(await resolvedFault('http://hooks.example.com:4600/', own)).toMatch(/public address|itself/);
  expect(await resolvedFault('http://hooks.example.com:4601/', own)).toBeUndefined();
});

describe('the resolver is not asked', () => {
  const asked: string[] = [];
  const counting = () => {
    asked.length = 0;
    setResolver(async (name) => {
      asked.push(name);
      return ['1.1.1.1'];
    });
  };

  test.each(['https://1.1.1.1/', 'https://[2606:4700::1111]/', 'https://0x01010101/'])(
    'about an address: %s',
    async (literal) => {
      counting();
      expect(await resolvedFault(literal, policy)).toBeUndefined();
      expect(asked).toEqual([]);
    },
  );

  test('about what its spelling forbids', async () => {
    counting();
    for (const refused of [
      'http://hooks.example.com/',
      'https://127.0.0.1/',
      'https://localhost/',
      'nonsense',
    ]) {
      expect(await resolvedFault(refused, policy)).toMatch(/^url must /);
    }
    expect(asked).toEqual([]);
  });

  test('in another spelling than the one that is connected to', async () => {
    counting();
    await resolvedFault('https://HOOKS.Ex%61mple.com/', policy);
    expect(asked).toEqual(['hooks.example.com']);
  });
});

test('localhost is loopback, by no name server', async () => {
  expect(await resolvedFault('http://localhost:1234/', local)).toBeUndefined();
  expect(await resolvedFault('http://a.localhost:1234/', local)).toBeUndefined();
  expect(await resolvedFault('http://localhost:1234/', { ...local, allowedRanges: ['::1/128'] })).toMatch(
    /public address/,
  );
});
