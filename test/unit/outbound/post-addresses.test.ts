/** Tests which address a POST goes to: it depends on the addresses of the name at that time, not at configuration. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { postTo } from '../../../shared/platform/outbound/post.ts';
import { type TargetPolicy, targetFault } from '../../../shared/platform/outbound/target.ts';
import {
  anyIpv4,
  anyIpv6,
  ipv4Text,
  ipv6Text,
  isPublicIpv4,
  isPublicIpv6,
} from '../../support/address-registry.ts';
import { countConnects } from '../../support/count-connects.ts';
import { setResolver } from '../../support/outbound.ts';
import {
  httpResponse,
  respondWithText,
  startTcpReceiver,
  type TcpReceiver,
} from '../../support/tcp-receivers.ts';

const strict: TargetPolicy = { mode: 'test', allowedRanges: [], ownHosts: [] };
const local: TargetPolicy = { ...strict, allowedRanges: ['127.0.0.0/8'] };
const request = { headers: {}, body: Buffer.from('{}') };
const rejection = { error: 'address_not_allowed', durationMs: expect.any(Number), body: '' };
/** The result for a name whose addresses are not allowed: the same as for a name that does not exist. */
const notFound = { ...rejection, error: 'host_not_found' };

let receiver: TcpReceiver;
let url = '';
let names = 0;
beforeAll(async () => {
  receiver = await startTcpReceiver(respondWithText(httpResponse()));
});
afterAll(() => receiver.close());
beforeEach(() => {
  // Each test has its own name, because there may be an open connection to the name of another test.
  url = `http://hooks-${++names}.example.com:${receiver.port}/`;
});
afterEach(() => setResolver());
const resolveTo = (...addresses: string[]) => setResolver(async () => addresses);
const failWith = (code: string) =>
  setResolver(async () => Promise.reject(Object.assign(new Error(code), { code })));

describe('by name', () => {
  test('a name that was public at configuration and is loopback at delivery gets no connection', async () => {
    resolveTo('1.1.1.1');
    expect(targetFault(url, strict)).toBeUndefined();
    resolveTo('127.0.0.1');
    expect(
      await countConnects(async () => expect(await postTo(url, request, strict)).toEqual(notFound)),
    ).toBe(0);
  });

  test.each(['127.0.0.1', '10.0.0.1'])(
    'a name that did not exist at configuration and is %s at delivery gets no connection',
    async (address) => {
      const live: TargetPolicy = { ...strict, mode: 'live' };
      const target = url.replace('http:', 'https:');
      failWith('ENOTFOUND');
      expect(targetFault(target, live)).toBeUndefined();
      const connects = await countConnects(async () => {
        expect(await postTo(target, request, live)).toMatchObject({ error: 'host_not_found' });
        resolveTo(address);
        expect(await postTo(target, request, live)).toEqual(notFound);
      });
      expect(connects).toBe(0);
    },
  );

  test.each([
    [['1.1.1.1', '127.0.0.1']],
    [['127.0.0.1', '1.1.1.1']],
    [['2606:4700::1111', '1.1.1.1', '::ffff:127.0.0.1']],
    [['::1']],
    [['1.1.1.1', '127.1']],
    [['localhost']],
  ])('a name with the addresses %p is rejected', async (addresses) => {
    resolveTo(...addresses);
    expect(
      await countConnects(async () => expect(await postTo(url, request, strict)).toEqual(notFound)),
    ).toBe(0);
  });

  test('a name of the service itself is rejected', async () => {
    resolveTo('127.0.0.1');
    const own = { ...local, ownHosts: [`127.0.0.1:${receiver.port}`] };
    expect(await countConnects(async () => expect(await postTo(url, request, own)).toEqual(notFound))).toBe(
      0,
    );
  });

  test('a name is resolved once, and the checked address is used', async () => {
    const addresses = ['127.0.0.1'];
    let queries = 0;
    setResolver(
      () =>
        ({
          // biome-ignore lint/suspicious/noThenProperty: a resolver that resolves twice
          then: (onResolved: (addresses: string[]) => void) => {
            queries++;
            onResolved(addresses);
            onResolved(['127.0.0.66']);
            setImmediate(() => addresses.fill('127.0.0.66'));
          },
        }) as unknown as Promise<string[]>,
    );
    expect(await postTo(url, request, local)).toMatchObject({ status: 200 });
    expect(queries).toBe(1);
  });

  test('after a name changes its address, the next POST goes to the new address', async () => {
    const closing = await startTcpReceiver(
      (socket) => void socket.end(httpResponse('200 OK', '', ['Connection: close'])),
    );
    const changing = `http://hooks.example.com:${closing.port}/`;
    resolveTo('127.0.0.1');
    expect(await postTo(changing, request, local)).toMatchObject({ status: 200 });
    resolveTo('127.0.0.66');
    expect(await postTo(changing, request, local)).toMatchObject({ error: 'connection_refused' });
    resolveTo('10.0.0.1');
    expect(await postTo(changing, request, local)).toEqual(notFound);
    await closing.close();
  });

  test('the second address is used if the first does not respond', async () => {
    resolveTo('127.0.0.66', '127.0.0.1');
    expect(await postTo(url, request, local)).toMatchObject({ status: 200 });
  });

  test('a name with IPv6 only is used', async () => {
    const six = await startTcpReceiver(respondWithText(httpResponse()), { host: '::1' });
    resolveTo('::1');
    const target = `http://six.example.com:${six.port}/`;
    expect(await postTo(target, request, { ...strict, allowedRanges: ['::1/128'] })).toMatchObject({
      status: 200,
    });
    expect(await postTo(target, request, local)).toEqual(notFound);
    await six.close();
  });

  test.each(['ENOTFOUND', 'ENODATA'])('a name that does not exist (%s) is host_not_found', async (code) => {
    failWith(code);
    expect(await postTo(url, request, local)).toMatchObject({ error: 'host_not_found' });
  });

  test('a name without addresses is host_not_found', async () => {
    resolveTo();
    expect(await postTo(url, request, local)).toMatchObject({ error: 'host_not_found' });
  });

  test.each(['EAI_AGAIN', 'ESERVFAIL', 'ETIMEOUT', 'ECONNREFUSED', 'address_not_allowed'])(
    'a resolver that fails (%s) is a dns_failure',
    async (code) => {
      failWith(code);
      expect(await postTo(url, request, local)).toMatchObject({ error: 'dns_failure' });
    },
  );

  test('a resolver that throws is a dns_failure', async () => {
    setResolver(() => {
      throw new Error('broken');
    });
    expect(await postTo(url, request, local)).toMatchObject({ error: 'dns_failure' });
  });

  test('localhost is loopback, if that is allowed', async () => {
    const both = { ...strict, allowedRanges: ['127.0.0.0/8', '::1/128'] };
    expect(await postTo(receiver.url.replace('127.0.0.1', 'localhost'), request, both)).toMatchObject({
      status: 200,
    });
  });
});

describe('by an address in the URL', () => {
  test.each(['127.0.0.1', '2130706433', '0x7f.1', '[::ffff:127.0.0.1]', 'localhost', '0.0.0.0'])(
    '%s gets no connection unless it is allowed',
    async (host) => {
      const target = `http://${host}:${receiver.port}/`;
      expect(
        await countConnects(async () => expect(await postTo(target, request, strict)).toEqual(rejection)),
      ).toBe(0);
    },
  );

  test('an address that connects to a forbidden address is rejected before a byte is sent', async () => {
    const before = receiver.requests.length;
    const target = `http://0.0.0.0:${receiver.port}/`;
    expect(await postTo(target, request, { ...strict, allowedRanges: ['0.0.0.0/32'] })).toEqual(rejection);
    expect(receiver.requests).toHaveLength(before);
  });

  test('a URL that is invalid at configuration is rejected again', async () => {
    for (const target of ['http://u:p@127.0.0.1/', 'nonsense', `${url}#a`]) {
      expect(await postTo(target, request, local)).toEqual(rejection);
    }
    expect(await postTo(url, request, { ...local, mode: 'live' })).toEqual(rejection);
  });
});

describe('property: an address that is not public never gets a connection', () => {
  const internal = fc.oneof(
    anyIpv4.filter((address) => !isPublicIpv4(address)).map(ipv4Text),
    anyIpv6.filter((address) => !isPublicIpv6(address)).map(ipv6Text),
  );
  const hostOf = (address: string) => (address.includes(':') ? `[${address}]` : address);

  test('a connection is counted', async () => {
    resolveTo('127.0.0.1');
    const fresh = await startTcpReceiver(respondWithText(httpResponse()));
    expect(await countConnects(() => postTo(`http://a.example.com:${fresh.port}/`, request, local))).toBe(1);
    await fresh.close();
  });

  test('a connection that other code began is not counted', async () => {
    const fresh = await startTcpReceiver(respondWithText(httpResponse()));
    const resolved = Promise.withResolvers<string[]>();
    setResolver(() => resolved.promise);
    const other = postTo(`http://a.example.com:${fresh.port}/`, request, local);
    const connects = await countConnects(async () => {
      resolved.resolve(['127.0.0.1']);
      await other;
    });
    expect([connects, fresh.connections()]).toEqual([0, 1]);
    await fresh.close();
  });

  test('as the address of a name, alone or with public ones', async () => {
    const property = fc.asyncProperty(internal, fc.nat(2), async (address, index) => {
      resolveTo(...['1.1.1.1', '2606:4700::1111'].toSpliced(index, 0, address));
      expect(await postTo(url, request, strict)).toEqual(notFound);
      resolveTo(address);
      expect(await postTo(url, request, strict)).toEqual(notFound);
    });
    expect(await countConnects(() => fc.assert(property, { numRuns: 400 }))).toBe(0);
  });

  test('as the host of the URL', async () => {
    const property = fc.asyncProperty(internal, async (address) => {
      expect(await postTo(`http://${hostOf(address)}:9/`, request, strict)).toEqual(rejection);
    });
    expect(await countConnects(() => fc.assert(property, { numRuns: 400 }))).toBe(0);
  });
});
