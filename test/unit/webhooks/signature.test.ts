/**
 * Tests signatures with the published library and the published example of Standard Webhooks, not with our own code.
 */
import { afterAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { newSecret, signedHeaders } from '../../../shared/domain/webhooks/signature.ts';

const realNow = Date.now;
afterAll(() => {
  Date.now = realNow;
});

/** Verifies a message. The library reads the system clock, which is set to the time of signing. */
function verify(secret: string, body: Buffer, headers: Record<string, string>, at = realNow()): unknown {
  Date.now = () => at;
  try {
    return new Webhook(secret).verify(body, headers);
  } finally {
    Date.now = realNow;
  }
}

const published = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  at: 1_614_265_330_000,
  body: '{"test": 2432232314}',
  signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
};

test('the published example has its published signature', () => {
  const { secret, id, at, body, signature } = published;
  expect(signedHeaders(id, Buffer.from(body), [secret], at)).toEqual({
    'webhook-id': id,
    'webhook-timestamp': '1614265330',
    'webhook-signature': signature,
  });
});

test('the timestamp is in whole seconds, rounded down', () => {
  const { secret, id, at, body, signature } = published;
  const headers = signedHeaders(id, Buffer.from(body), [secret], at + 999);
  expect(headers['webhook-timestamp']).toBe('1614265330');
  expect(headers['webhook-signature']).toBe(signature);
});

test('a new secret is whsec_ and 32 random bytes in base64, and all secrets differ', () => {
  const secrets = Array.from({ length: 1000 }, newSecret);
  for (const secret of secrets) {
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(Buffer.from(secret.slice('whsec_'.length), 'base64')).toHaveLength(32);
  }
  expect(new Set(secrets).size).toBe(secrets.length);
});

test('the published library verifies every message with each of its secrets, and with no other secret', () => {
  const anyText = fc.string({ unit: 'binary', maxLength: 200 }).filter((text) => text.isWellFormed());
  const id = fc.stringMatching(/^evt_[0-9a-z]{26}$/);
  const at = fc.integer({ min: 0, max: Date.UTC(2999, 0, 1) });
  fc.assert(
    fc.property(anyText, id, at, fc.integer({ min: 1, max: 5 }), (text, event, time, count) => {
      const body = Buffer.from(JSON.stringify({ text }));
      const secrets = Array.from({ length: count }, newSecret);
      const headers = signedHeaders(event, body, secrets, time);
      expect(headers['webhook-signature'].split(' ')).toHaveLength(count);
      for (const secret of secrets) expect(verify(secret, body, headers, time)).toEqual({ text });
      expect(() => verify(newSecret(), body, headers, time)).toThrow('No matching signature found');
    }),
  );
});

describe('the library rejects', () => {
  const secret = newSecret();
  const id = `evt_${'7'.repeat(26)}`;
  const body = Buffer.from('{"amount":2500}');
  const at = Date.UTC(2026, 10, 21);
  const headers = signedHeaders(id, body, [secret], at);
  test.each([
    ['another body', Buffer.from('{"amount":2501}'), headers],
    ['the same JSON in other bytes', Buffer.from('{"amount": 2500}'), headers],
    ['another id', body, { ...headers, 'webhook-id': `evt_${'8'.repeat(26)}` }],
    ['another time', body, { ...headers, 'webhook-timestamp': String(at / 1000 + 1) }],
  ])('%s', (_, bytes, changed) => {
    expect(() => verify(secret, bytes, changed, at)).toThrow('No matching signature found');
    expect(verify(secret, body, headers, at)).toEqual({ amount: 2500 });
  });
});

test('the first secret makes the first signature', () => {
  const [first, second] = [newSecret(), newSecret()];
  const body = Buffer.from('{}');
  const sign = (...secrets: string[]) =>
    signedHeaders('evt_1', body, secrets, 0)['webhook-signature'].split(' ');
  expect(sign(first, second)).toEqual([...sign(first), ...sign(second)]);
});
