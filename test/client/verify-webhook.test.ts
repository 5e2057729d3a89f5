/** Signatures of webhooks, verified by the client: what the published library signs is believed, and nothing else. */
import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { RemitError, verifyWebhook, WebhookVerificationError } from '../../client/src/remit.ts';

const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`;
const secret = newSecret();
const event = {
  ...{
    id: 'evt_1',
    type: 'invoice.paid',
    timestamp: '2026-03-01T10:00:00.000Z',
    mode: 'test',
    objectVersion: 2,
  },
  data: { id: 'inv_1', description: 'Grüße, བརྡ་' },
};
const body = JSON.stringify(event);

/** What a sender that uses the published library sends `ageMs` ago. */
function sent(text = body, { by = [secret], ageMs = 0 }: { by?: readonly string[]; ageMs?: number } = {}) {
  const at = new Date(Date.now() - ageMs);
  return {
    'webhook-id': event.id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': by.map((each) => new Webhook(each).sign(event.id, at, text)).join(' '),
  };
}

/** The reason for which it is refused. */
async function refusal(...call: Parameters<typeof verifyWebhook>): Promise<string> {
  const error = await verifyWebhook(...call).then(
    () => undefined,
    (thrown) => thrown,
  );
  expect(error).toBeInstanceOf(WebhookVerificationError);
  expect(error).toBeInstanceOf(RemitError);
  expect(error.message).not.toContain(secret.slice('whsec_'.length));
  return error.code;
}

describe('a genuine message', () => {
  test.each([
    ['text', body],
    ['bytes', new TextEncoder().encode(body)],
    ['a Buffer of a larger one', Buffer.from(`..${body}..`).subarray(2, -2)],
    ['an ArrayBuffer', new TextEncoder().encode(body).buffer],
  ])('is verified from %s, and its event returned', async (_, raw) => {
    expect(await verifyWebhook(raw, sent(), secret)).toEqual(event);
  });

  test.each([
    ['Headers', new Headers(sent())],
    ['a record with capitals, as gateways give it', capitalised(sent())],
    ['a record of lists', Object.fromEntries(Object.entries(sent()).map(([name, value]) => [name, [value]]))],
  ])('is verified with %s', async (_, headers) => {
    expect(await verifyWebhook(body, headers, secret)).toEqual(event);
  });

  test('is verified by the vector that the library publishes', async () => {
    const headers = {
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    };
    const options = { receivedAt: new Date(1614265330_000) };
    const raw = '{"test": 2432232314}';
    expect(await verifyWebhook(raw, headers, 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', options)).toEqual({
      test: 2432232314,
    });
  });

  test('is verified during a rotation, on either side', async () => {
    const next = newSecret();
    expect(await verifyWebhook(body, sent(body, { by: [next, secret] }), secret)).toEqual(event);
    expect(await verifyWebhook(body, sent(body, { by: [next] }), [secret, next])).toEqual(event);
  });

  test('is verified next to signatures of other schemes', async () => {
    const headers = sent();
    headers['webhook-signature'] = `v1a,AAAA v2 ${headers['webhook-signature']}`;
    expect(await verifyWebhook(body, headers, secret)).toEqual(event);
  });

  test.each([-299_000, 299_000])('is verified when the clocks are %i ms apart', async (ageMs) => {
    expect(await verifyWebhook(body, sent(body, { ageMs }), secret)).toEqual(event);
  });

  test('that waited in a queue is judged by the time that it came', async () => {
    const headers = sent(body, { ageMs: 3_600_000 });
    const receivedAt = new Date(Date.now() - 3_600_000);
    expect(await verifyWebhook(body, headers, secret, { receivedAt })).toEqual(event);
    expect(await verifyWebhook(body, headers, secret, { toleranceMs: 3_700_000 })).toEqual(event);
  });
});

describe('it says why a message is refused', () => {
  test('the body was parsed', async () => {
    expect(await refusal(event as never, sent(), secret)).toBe('body_not_raw');
    expect(await refusal(undefined as never, sent(), secret)).toBe('body_not_raw');
  });

  test('the body was parsed and written again, or made a text of', async () => {
    expect(await refusal(JSON.stringify(event, undefined, 2), sent(), secret)).toBe('body_changed');
    expect(await refusal(String(event), sent(), secret)).toBe('body_changed');
    expect(await refusal(body.slice(0, -5), sent(), secret)).toBe('body_changed');
  });

  test('the secret is another one', async () => {
    expect(await refusal(body, sent(), newSecret())).toBe('wrong_secret');
    expect(await refusal(body, sent(), [newSecret(), newSecret()])).toBe('wrong_secret');
    expect(await refusal(body, sent(), [])).toBe('wrong_secret');
  });

  test.each([undefined, '', 'whsec_', 'sk_test_abc', 'no base64!'])('the secret %p is none', async (none) => {
    expect(await refusal(body, sent(), none as never)).toBe('invalid_secret');
  });

  test.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'])('%s is missing', async (name) => {
    expect(await refusal(body, { ...sent(), [name]: undefined }, secret)).toBe('missing_header');
    const headers = new Headers(sent());
    headers.delete(name);
    expect(await refusal(body, headers, secret)).toBe('missing_header');
  });

  test('it is too old, or from a clock that is ahead', async () => {
    expect(await refusal(body, sent(body, { ageMs: 302_000 }), secret)).toBe('too_old');
    expect(await refusal(body, sent(body, { ageMs: -302_000 }), secret)).toBe('too_new');
  });
});

describe('a forgery is refused', () => {
  const other = JSON.stringify({ ...event, type: 'payment.failed' });

  test('with another body, id or time than was signed', async () => {
    expect(await refusal(other, sent(), secret)).toBe('wrong_secret');
    expect(await refusal(body, { ...sent(), 'webhook-id': 'evt_2' }, secret)).toBe('wrong_secret');
    const timestamp = String(Number(sent()['webhook-timestamp']) + 1);
    expect(await refusal(body, { ...sent(), 'webhook-timestamp': timestamp }, secret)).toBe('wrong_secret');
  });

  test('with a part of the signature, one too long, one without its version, or one of another version', async () => {
    const signature = sent()['webhook-signature'];
    const forged = [
      ...[signature.slice(0, -1), `${signature}=`, signature.slice(3), signature.replace('v1,', 'v2,')],
      ...[signature.replace('v1,', 'v1, '), 'v1,', 'v1', ','],
    ];
    for (const each of forged) {
      expect(await refusal(body, { ...sent(), 'webhook-signature': each }, secret)).toBe('wrong_secret');
    }
  });

  test('with a time that is no number, even when signed', async () => {
    const at = { getTime: () => Number.NaN } as Date;
    const headers = { ...sent(), 'webhook-timestamp': 'NaN' };
    headers['webhook-signature'] = new Webhook(secret).sign(event.id, at, body);
    expect(await refusal(body, headers, secret)).toMatch(/^too_old$|^too_new$/);
  });

  test('at every single changed byte of the signature', async () => {
    const signature = sent()['webhook-signature'];
    for (let place = 3; place < signature.length - 1; place += 1) {
      const changed = signature[place] === 'A' ? 'B' : 'A';
      const forged = signature.slice(0, place) + changed + signature.slice(place + 1);
      expect(await refusal(body, { ...sent(), 'webhook-signature': forged }, secret)).toBe('wrong_secret');
    }
  });
});

function capitalised(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name.replace(/\b\w/g, (letter) => letter.toUpperCase()),
      value,
    ]),
  );
}
