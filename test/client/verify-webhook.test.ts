/** Tests that the client accepts webhook messages with a valid Standard Webhooks signature, and rejects all others. */
import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { RemitError, verifyWebhook, WebhookVerificationError } from '../../client/src/remit.ts';

const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`;
const secret = newSecret();
const event = {
  id: 'evt_1',
  type: 'invoice.paid',
  timestamp: '2026-03-01T10:00:00.000Z',
  mode: 'test',
  objectVersion: 2,
  data: { id: 'inv_1', description: 'Grüße, བརྡ་' },
  apiVersion: '2026-11-23',
};
const body = JSON.stringify(event);

/** Returns the headers of a message that was signed `ageMs` milliseconds ago, by the published library. */
function signedHeaders(
  text = body,
  { by = [secret], ageMs = 0 }: { by?: readonly string[]; ageMs?: number } = {},
) {
  const at = new Date(Date.now() - ageMs);
  return {
    'webhook-id': event.id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': by.map((each) => new Webhook(each).sign(event.id, at, text)).join(' '),
  };
}

/** Returns the code of the error with which the message is rejected. */
async function rejectionCode(...call: Parameters<typeof verifyWebhook>): Promise<string> {
  const error = await verifyWebhook(...call).then(
    () => undefined,
    (thrown) => thrown,
  );
  expect(error).toBeInstanceOf(WebhookVerificationError);
  expect(error).toBeInstanceOf(RemitError);
  expect(error.message).not.toContain(secret.slice('whsec_'.length));
  return error.code;
}

describe('an authentic message', () => {
  test.each([
    ['text', body],
    ['bytes', new TextEncoder().encode(body)],
    ['a Buffer that is part of a larger one', Buffer.from(`..${body}..`).subarray(2, -2)],
    ['an ArrayBuffer', new TextEncoder().encode(body).buffer],
  ])('is verified from %s, and its event returned', async (_, raw) => {
    expect(await verifyWebhook(raw, signedHeaders(), secret)).toEqual(event);
  });

  test.each([
    ['Headers', new Headers(signedHeaders())],
    ['an object with capitalized names', capitalized(signedHeaders())],
    [
      'an object of arrays',
      Object.fromEntries(Object.entries(signedHeaders()).map(([name, value]) => [name, [value]])),
    ],
  ])('is verified with %s', async (_, headers) => {
    expect(await verifyWebhook(body, headers, secret)).toEqual(event);
  });

  test('is verified with the test vector of the library', async () => {
    const headers = {
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    };
    const options = { receivedAt: new Date(1614265330_000), apiVersion: '2026-11-21' } as const;
    const raw = '{"test": 2432232314}';
    expect(await verifyWebhook(raw, headers, 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', options)).toEqual({
      test: 2432232314,
    });
  });

  test('is verified during a rotation, with two signatures or with two secrets', async () => {
    const next = newSecret();
    expect(await verifyWebhook(body, signedHeaders(body, { by: [next, secret] }), secret)).toEqual(event);
    expect(await verifyWebhook(body, signedHeaders(body, { by: [next] }), [secret, next])).toEqual(event);
  });

  test('is verified next to signatures of other schemes', async () => {
    const headers = signedHeaders();
    headers['webhook-signature'] = `v1a,AAAA v2 ${headers['webhook-signature']}`;
    expect(await verifyWebhook(body, headers, secret)).toEqual(event);
  });

  test.each([-299_000, 299_000])('is verified when the clocks are %i ms apart', async (ageMs) => {
    expect(await verifyWebhook(body, signedHeaders(body, { ageMs }), secret)).toEqual(event);
  });

  test('that waited in a queue is verified for the time at which it arrived', async () => {
    const headers = signedHeaders(body, { ageMs: 3_600_000 });
    const receivedAt = new Date(Date.now() - 3_600_000);
    expect(await verifyWebhook(body, headers, secret, { receivedAt })).toEqual(event);
    expect(await verifyWebhook(body, headers, secret, { toleranceMs: 3_700_000 })).toEqual(event);
  });
});

describe('the code tells why a message is rejected', () => {
  test('the body was parsed', async () => {
    expect(await rejectionCode(event as never, signedHeaders(), secret)).toBe('body_not_raw');
    expect(await rejectionCode(undefined as never, signedHeaders(), secret)).toBe('body_not_raw');
  });

  test('the body was parsed and serialized again, or changed in another way', async () => {
    expect(await rejectionCode(JSON.stringify(event, undefined, 2), signedHeaders(), secret)).toBe(
      'body_changed',
    );
    expect(await rejectionCode(String(event), signedHeaders(), secret)).toBe('body_changed');
    expect(await rejectionCode(body.slice(0, -5), signedHeaders(), secret)).toBe('body_changed');
  });

  test('the secret is a different one', async () => {
    expect(await rejectionCode(body, signedHeaders(), newSecret())).toBe('wrong_secret');
    expect(await rejectionCode(body, signedHeaders(), [newSecret(), newSecret()])).toBe('wrong_secret');
    expect(await rejectionCode(body, signedHeaders(), [])).toBe('wrong_secret');
  });

  test.each([undefined, '', 'whsec_', 'sk_test_abc', 'no base64!'])(
    'the secret %p is invalid',
    async (invalid) => {
      expect(await rejectionCode(body, signedHeaders(), invalid as never)).toBe('invalid_secret');
    },
  );

  test.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'])('%s is missing', async (name) => {
    expect(await rejectionCode(body, { ...signedHeaders(), [name]: undefined }, secret)).toBe(
      'missing_header',
    );
    const headers = new Headers(signedHeaders());
    headers.delete(name);
    expect(await rejectionCode(body, headers, secret)).toBe('missing_header');
  });

  test('the message is too old, or its timestamp is in the future', async () => {
    expect(await rejectionCode(body, signedHeaders(body, { ageMs: 302_000 }), secret)).toBe('too_old');
    expect(await rejectionCode(body, signedHeaders(body, { ageMs: -302_000 }), secret)).toBe('too_new');
  });
});

describe('a forged message is rejected', () => {
  const other = JSON.stringify({ ...event, type: 'payment.failed' });

  test('with a body, ID or timestamp that was not signed', async () => {
    expect(await rejectionCode(other, signedHeaders(), secret)).toBe('wrong_secret');
    expect(await rejectionCode(body, { ...signedHeaders(), 'webhook-id': 'evt_2' }, secret)).toBe(
      'wrong_secret',
    );
    const timestamp = String(Number(signedHeaders()['webhook-timestamp']) + 1);
    expect(await rejectionCode(body, { ...signedHeaders(), 'webhook-timestamp': timestamp }, secret)).toBe(
      'wrong_secret',
    );
  });

  test('with a signature that is incomplete, too long, without a version, or of another version', async () => {
    const signature = signedHeaders()['webhook-signature'];
    const forged = [
      signature.slice(0, -1),
      `${signature}=`,
      signature.slice(3),
      signature.replace('v1,', 'v2,'),
      signature.replace('v1,', 'v1, '),
      'v1,',
      'v1',
      ',',
    ];
    for (const each of forged) {
      expect(await rejectionCode(body, { ...signedHeaders(), 'webhook-signature': each }, secret)).toBe(
        'wrong_secret',
      );
    }
  });

  test('with a timestamp that is not a number, even if it is signed', async () => {
    const at = { getTime: () => Number.NaN } as Date;
    const headers = { ...signedHeaders(), 'webhook-timestamp': 'NaN' };
    headers['webhook-signature'] = new Webhook(secret).sign(event.id, at, body);
    expect(await rejectionCode(body, headers, secret)).toMatch(/^too_old$|^too_new$/);
  });

  test('with any single byte of the signature changed', async () => {
    const signature = signedHeaders()['webhook-signature'];
    for (let index = 3; index < signature.length - 1; index += 1) {
      const changed = signature[index] === 'A' ? 'B' : 'A';
      const forged = signature.slice(0, index) + changed + signature.slice(index + 1);
      expect(await rejectionCode(body, { ...signedHeaders(), 'webhook-signature': forged }, secret)).toBe(
        'wrong_secret',
      );
    }
  });
});

function capitalized(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name.replace(/\b\w/g, (letter) => letter.toUpperCase()),
      value,
    ]),
  );
}

describe('the version of the endpoint', () => {
  const { apiVersion: _, ...earlier } = event;
  const inFirst = JSON.stringify(earlier);

  test('is the newest by default, and an event of another version is refused with what to do', async () => {
    const error = await verifyWebhook(inFirst, signedHeaders(inFirst), secret).catch((thrown) => thrown);
    expect(error).toMatchObject({ code: 'wrong_version' });
    expect(error.message).toContain('2026-11-21');
    expect(error.message).toContain("apiVersion: '2026-11-21'");
    expect(await rejectionCode(body, signedHeaders(), secret, { apiVersion: '2026-11-21' })).toBe(
      'wrong_version',
    );
    const later = JSON.stringify({ ...event, apiVersion: '2027-01-01' });
    expect(await rejectionCode(later, signedHeaders(later), secret)).toBe('wrong_version');
  });

  test('can be the first one, or several while an endpoint moves', async () => {
    const first = await verifyWebhook(inFirst, signedHeaders(inFirst), secret, { apiVersion: '2026-11-21' });
    expect(first).toEqual(earlier);
    const both = { apiVersion: ['2026-11-21', '2026-11-23'] } as const;
    expect(await verifyWebhook(inFirst, signedHeaders(inFirst), secret, both)).toEqual(earlier);
    expect(await verifyWebhook(body, signedHeaders(), secret, both)).toEqual(event);
  });

  test('determines which fields compile', async () => {
    const newest = await verifyWebhook(body, signedHeaders(), secret);
    if (newest.type === 'invoice.paid') expect(newest.data.metadata?.orderId).toBeUndefined();
    const first = await verifyWebhook(inFirst, signedHeaders(inFirst), secret, { apiVersion: '2026-11-21' });
    // @ts-expect-error: events of the first version have no metadata.
    if (first.type === 'invoice.paid') expect(first.data.metadata).toBeUndefined();
    // @ts-expect-error: events of the first version have no former values.
    expect(first.previous).toBeUndefined();
    const both = { apiVersion: ['2026-11-21', '2026-11-23'] } as const;
    const either = await verifyWebhook(body, signedHeaders(), secret, both);
    if (either.type !== 'invoice.paid') throw new Error('The event has another type.');
    // @ts-expect-error: only one of the versions has metadata.
    expect(either.data.metadata).toBeUndefined();
    if (either.apiVersion === '2026-11-23') expect(either.data.metadata?.orderId).toBeUndefined();
  });
});
