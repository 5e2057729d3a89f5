/** Where a POST really goes: judged by the addresses that the name has when it is sent, not when it was configured. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { postTo } from '../../../shared/webhooks/post.ts';
import { resolvedFault, setResolver, type TargetPolicy } from '../../../shared/webhooks/target.ts';
import {
  anyIpv4,
  anyIpv6,
  ipv4Text,
  ipv6Text,
  isPublicIpv4,
  isPublicIpv6,
} from '../../support/address-registry.ts';
import { countConnects } from '../../support/connects.ts';
import { answer, type Receiver, says, startReceiver } from '../../support/receivers.ts';

const strict: TargetPolicy = { mode: 'test', allowedRanges: [], ownHosts: [] };
const local: TargetPolicy = { ...strict, allowedRanges: ['127.0.0.0/8'] };
const request = { headers: {}, body: Buffer.from('{}') };
const refused = { error: 'address_not_allowed', durationMs: expect.any(Number), body: '' };

let receiver: Receiver;
let url = '';
let names = 0;
beforeAll(async () => {
  receiver = await startReceiver(says(answer()));
});
afterAll(() => receiver.close());
beforeEach(() => {
  // A name of its own for each test: to another one's there may be a connection yet.
  url = `http://hooks-${++names}.example.com:${receiver.port}/`;
});
afterEach(() => setResolver());
const answers = (...addresses: string[]) => setResolver(async () => addresses);

describe('the name', () => {
  test('was public when configured and is loopback at delivery: nothing is connected', async () => {
    answers('1.1.1.1');
    expect(await resolvedFault(url, strict)).toBeUndefined();
    answers('127.0.0.1');
    expect(await countConnects(async () => expect(await postTo(url, request, strict)).toEqual(refused))).toBe(
      0,
    );
  });

  test.each([
    [['1.1.1.1', '127.0.0.1']],
    [['127.0.0.1', '1.1.1.1']],
    [['2606:4700::1111', '1.1.1.1', '::ffff:127.0.0.1']],
    [['::1']],
    [['1.1.1.1', '127.1']],
    [['localhost']],
  ])('has %p: it is refused as a whole', async (addresses) => {
    answers(...addresses);
    expect(await countConnects(async () => expect(await postTo(url, request, strict)).toEqual(refused))).toBe(
      0,
    );
  });

  test('is that of the service itself', async () => {
    answers('127.0.0.1');
    const own = { ...local, ownHosts: [`127.0.0.1:${receiver.port}`] };
    expect(await countConnects(async () => expect(await postTo(url, request, own)).toEqual(refused))).toBe(0);
  });

  test('is asked for once, and what was judged is what is connected to', async () => {
    const addresses = ['127.0.0.1'];
    let asked = 0;
    setResolver(
      () =>
        ({
          // biome-ignore lint/suspicious/noThenProperty: a resolver that answers twice
          then: (answered: (addresses: string[]) => void) => {
            asked++;
            answered(addresses);
            answered(['127.0.0.66']);
            setImmediate(() => addresses.fill('127.0.0.66'));
          },
        }) as unknown as Promise<string[]>,
    );
    expect(await postTo(url, request, local)).toMatchObject({ status: 200 });
    expect(asked).toBe(1);
  });

  test('changes its address between two posts: the second goes there', async () => {
    const closing = await startReceiver(
      (socket) => void socket.end(answer('200 OK', '', ['Connection: close'])),
    );
    const changing = `http://hooks.example.com:${closing.port}/`;
    answers('127.0.0.1');
    expect(await postTo(changing, request, local)).toMatchObject({ status: 200 });
    answers('127.0.0.66');
    expect(await postTo(changing, request, local)).toMatchObject({ error: 'connection_refused' });
    answers('10.0.0.1');
    expect(await postTo(changing, request, local)).toEqual(refused);
    await closing.close();
  });

  test('has a second address that answers', async () => {
    answers('127.0.0.66', '127.0.0.1');
    expect(await postTo(url, request, local)).toMatchObject({ status: 200 });
  });

  test('has IPv6 only', async () => {
    const six = await startReceiver(says(answer()), { host: '::1' });
    answers('::1');
    const target = `http://six.example.com:${six.port}/`;
    expect(await postTo(target, request, { ...strict, allowedRanges: ['::1/128'] })).toMatchObject({
      status: 200,
    });
    expect(await postTo(target, request, local)).toEqual(refused);
    await six.close();
  });

  test.each(['ENOTFOUND', 'EAI_AGAIN', 'ESERVFAIL', 'ETIMEOUT', 'ECONNREFUSED', 'address_not_allowed'])(
    'cannot be resolved (%s): dns_failure',
    async (code) => {
      setResolver(async () => Promise.reject(Object.assign(new Error(code), { code })));
      expect(await postTo(url, request, local)).toMatchObject({ error: 'dns_failure' });
    },
  );

  test('has no address, or its resolver throws: dns_failure', async () => {
    answers();
    expect(await postTo(url, request, local)).toMatchObject({ error: 'dns_failure' });
    setResolver(() => {
      throw new Error('broken');
    });
    expect(await postTo(url, request, local)).toMatchObject({ error: 'dns_failure' });
  });

  test('is localhost: loopback, where it is allowed', async () => {
    const both = { ...strict, allowedRanges: ['127.0.0.0/8', '::1/128'] };
    expect(await postTo(receiver.url.replace('127.0.0.1', 'localhost'), request, both)).toMatchObject({
      status: 200,
    });
  });
});

describe('an address in the URL', () => {
  test.each(['127.0.0.1', '2130706433', '0x7f.1', '[::ffff:127.0.0.1]', 'localhost', '0.0.0.0'])(
    '%s is not connected to unless allowed',
    async (host) => {
      const target = `http://${host}:${receiver.port}/`;
      expect(
        await countConnects(async () => expect(await postTo(target, request, strict)).toEqual(refused)),
      ).toBe(0);
    },
  );

  test('that leads elsewhere is refused by where it has led, before a byte is sent', async () => {
    const before = receiver.requests.length;
    const target = `http://0.0.0.0:${receiver.port}/`;
    expect(await postTo(target, request, { ...strict, allowedRanges: ['0.0.0.0/32'] })).toEqual(refused);
    expect(receiver.requests).toHaveLength(before);
  });

  test('and whatever else was refused at configuration is refused again', async () => {
    for (const target of ['http://u:p@127.0.0.1/', 'nonsense', `${url}#a`]) {
      expect(await postTo(target, request, local)).toEqual(refused);
    }
    expect(await postTo(url, request, { ...local, mode: 'live' })).toEqual(refused);
  });
});

describe('property: no address outside global unicast is ever connected to', () => {
  const internal = fc.oneof(
    anyIpv4.filter((address) => !isPublicIpv4(address)).map(ipv4Text),
    anyIpv6.filter((address) => !isPublicIpv6(address)).map(ipv6Text),
  );
  const hostOf = (address: string) => (address.includes(':') ? `[${address}]` : address);

  test('a connection that is made is counted', async () => {
    answers('127.0.0.1');
    const fresh = await startReceiver(says(answer()));
    expect(await countConnects(() => postTo(`http://a.example.com:${fresh.port}/`, request, local))).toBe(1);
    await fresh.close();
  });

  test('by a name, alone or among public ones', async () => {
    const property = fc.asyncProperty(internal, fc.nat(2), async (address, place) => {
      answers(...['1.1.1.1', '2606:4700::1111'].toSpliced(place, 0, address));
      expect(await postTo(url, request, strict)).toEqual(refused);
      answers(address);
      expect(await postTo(url, request, strict)).toEqual(refused);
    });
    expect(await countConnects(() => fc.assert(property, { numRuns: 400 }))).toBe(0);
  });

  test('by itself', async () => {
    const property = fc.asyncProperty(internal, async (address) => {
      expect(await postTo(`http://${hostOf(address)}:9/`, request, strict)).toEqual(refused);
    });
    expect(await countConnects(() => fc.assert(property, { numRuns: 400 }))).toBe(0);
  });
});
