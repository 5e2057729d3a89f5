/** Tests POST /api/webhooks/:id/rotate-secret, with a receiver that verifies by the published library. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../../infra/local/stack.ts';
import { type Api, newAccount } from '../../support/api.ts';
import { stopClock, type TestClock } from '../../support/clock.ts';
import { expectError, expectHeaders } from '../../support/expectations.ts';
import { startTestStack } from '../../support/stack.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { badOverlaps } from './fields.ts';
import {
  isReplay,
  newWebhook,
  ownerOf,
  relaySampleEvents,
  repeatInParallel,
  underKey,
  unknownWebhookId,
  webhookPath,
} from './new-webhook.ts';
import {
  isVerifiedBy,
  type Mailbox,
  type MailboxReceiver,
  signaturesOf,
  startMailboxReceiver,
  verify,
} from './receiver.ts';

const hour = 3_600_000;
let stack: Stack;
let receiver: MailboxReceiver;
let clock: TestClock;
/** The client of the latest endpoint. */
let api: Api;

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: hour });
  receiver = await startMailboxReceiver();
  clock = stopClock();
});
afterAll(async () => {
  await stack.close();
  await receiver.close();
});

interface TestWebhook {
  readonly mailbox: Mailbox;
  readonly id: string;
  readonly secret: string;
}

async function newTestWebhook(): Promise<TestWebhook> {
  const mailbox = receiver.mailbox();
  api = (await newAccount(stack.baseUrl)).test;
  const { id, secret } = await newWebhook(api, { url: mailbox.url });
  return { mailbox, id, secret };
}

const rotate = (of: { id: string }, body?: unknown, options = {}) =>
  api.post(webhookPath(of, '/rotate-secret'), body, options);
const rotated = async (of: { id: string }, body?: unknown): Promise<string> =>
  (await rotate(of, body)).json.secret;

/** Sends a test event. Returns the number of its signatures, and which of the secrets verify it. */
async function signedBy({ id, mailbox }: TestWebhook, secrets: readonly string[]) {
  expect((await api.post(webhookPath({ id }, '/test'))).json.succeeded).toBe(true);
  const received = mailbox.received.at(-1);
  if (!received) throw new Error('Nothing was received.');
  return {
    signatures: signaturesOf(received).length,
    verified: secrets.map((secret) => isVerifiedBy(secret, received)),
  };
}

test('200 with the endpoint and a new secret', async () => {
  const subject = await newTestWebhook();
  const before = (await api.get(webhookPath(subject))).json;
  clock.advance(1000);
  const response = await rotate(subject);
  expect(response.status).toBe(200);
  expectHeaders(response);
  const updatedAt = new Date(clock.now()).toISOString();
  const secret = expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(response.json).toEqual({ ...before, updatedAt, secret });
  expect(response.json.secret).not.toBe(subject.secret);
});

test.each<[string, unknown, number]>([
  ['24 hours by default', undefined, 24],
  ['24 hours for null', { overlapHours: null }, 24],
  ['1 hour', { overlapHours: 1 }, 1],
  ['168 hours', { overlapHours: 168 }, 168],
])('the old secret also signs for %s, and the new one signs immediately', async (_, body, hours) => {
  const subject = await newTestWebhook();
  const secrets = [await rotated(subject, body), subject.secret];
  const both = { signatures: 2, verified: [true, true] };
  expect(await signedBy(subject, secrets)).toEqual(both);
  clock.advance(hours * hour - 1);
  expect(await signedBy(subject, secrets)).toEqual(both);
  clock.advance(1);
  expect(await signedBy(subject, secrets)).toEqual({ signatures: 1, verified: [true, false] });
});

test('with overlapHours 0 all old secrets stop signing', async () => {
  const subject = await newTestWebhook();
  const second = await rotated(subject);
  const third = await rotated(subject, { overlapHours: 0 });
  expect(await signedBy(subject, [third, second, subject.secret])).toEqual({
    signatures: 1,
    verified: [true, false, false],
  });
});

test('a second rotation does not shorten the overlap of the first', async () => {
  const subject = await newTestWebhook();
  const second = await rotated(subject, { overlapHours: 48 });
  const secrets = [await rotated(subject, { overlapHours: 1 }), second, subject.secret];
  for (const [wait, signatures, verified] of [
    [hour - 1, 3, [true, true, true]],
    [1, 2, [true, false, true]],
    [47 * hour - 1, 2, [true, false, true]],
    [1, 1, [true, false, false]],
  ] as const) {
    clock.advance(wait);
    expect(await signedBy(subject, secrets)).toEqual({ signatures, verified });
  }
});

test('at most five secrets sign: a fifth rotation is rejected until a secret ends or the request ends them', async () => {
  const subject = await newTestWebhook();
  const secrets = [subject.secret];
  for (let count = 0; count < 4; count++) {
    secrets.unshift(await rotated(subject, { overlapHours: 168 }));
    clock.advance(1000);
  }
  for (const options of [{}, underKey('one too many')]) {
    const rejected = await rotate(subject, { overlapHours: 168 }, options);
    expectError(rejected, 400, 'secret_limit_reached');
    expect(rejected.json.error.message).toContain('overlapHours 0');
  }
  expect(new Set(secrets).size).toBe(5);
  expect(await signedBy(subject, secrets)).toEqual({ signatures: 5, verified: Array(5).fill(true) });
  // The overlap of the first secret has ended.
  clock.advance(168 * hour - 4_000);
  secrets.unshift((await rotate(subject, { overlapHours: 168 }, underKey('one too many'))).json.secret);
  expect(await signedBy(subject, secrets)).toEqual({
    signatures: 5,
    verified: [true, true, true, true, true, false],
  });
  expectError(await rotate(subject), 400, 'secret_limit_reached');
  secrets.unshift(await rotated(subject, { overlapHours: 0 }));
  expect(await signedBy(subject, secrets)).toEqual({
    signatures: 1,
    verified: [true, ...Array(6).fill(false)],
  });
});

test('a delivery is signed by the secrets at the time of its attempt, over the exact bytes', async () => {
  const subject = await newTestWebhook();
  const { mailbox } = subject;
  const other = await newAccount(stack.baseUrl);
  const { id, secret } = await newWebhook(other.test, { url: mailbox.url });
  const { json } = await other.test.post(webhookPath({ id }, '/rotate-secret'));
  const [eventId = ''] = await relaySampleEvents(ownerOf(other), ['invoice.paid']);
  await waitUntil('the event has arrived', () => mailbox.received.length === 1);
  const [received] = mailbox.received;
  if (!received) throw new Error('Nothing was received.');
  expect(received.headers).toMatchObject({
    'webhook-id': eventId,
    'webhook-timestamp': String(Math.floor(clock.now() / 1000)),
    'content-type': 'application/json; charset=utf-8',
  });
  const event = (await other.test.get(`/api/events/${eventId}`)).json;
  expect(JSON.parse(received.body.toString('utf8')).data.description).toBe('Grüße, བརྡ་');
  for (const each of [secret, json.secret]) expect(verify(each, received)).toEqual(event);
  expect(isVerifiedBy(subject.secret, received)).toBe(false);
});

test('400 invalid_overlap_hours for every invalid value, and nothing is rotated', async () => {
  const subject = await newTestWebhook();
  for (const [name, json] of badOverlaps) {
    const response = await rotate(subject, `{"overlapHours":${json}}`);
    expect({ name, code: response.json.error?.code }).toEqual({ name, code: 'invalid_overlap_hours' });
    expectError(response, 400, 'invalid_overlap_hours', 'overlapHours');
    expect(response.json.error.message).toContain('0 to 168');
  }
  expectError(await rotate(subject, { hours: 1 }), 400, 'unknown_parameter', 'hours');
  expect(await signedBy(subject, [subject.secret])).toEqual({ signatures: 1, verified: [true] });
});

test('under a key the secret is rotated once, and repetitions get the same response', async () => {
  const subject = await newTestWebhook();
  const responses = await repeatInParallel(8, () => rotate(subject, {}, underKey('rotate')));
  const [text] = responses.map((response) => response.text);
  for (const response of responses) expect([response.status, response.text]).toEqual([200, text]);
  expect(responses.filter((response) => !isReplay(response))).toHaveLength(1);
  const secret = JSON.parse(text ?? '').secret;
  expect(await signedBy(subject, [secret, subject.secret])).toEqual({
    signatures: 2,
    verified: [true, true],
  });
});

test('concurrent rotations all take effect, and all of their secrets sign', async () => {
  const subject = await newTestWebhook();
  const newSecrets = await repeatInParallel(4, () => rotated(subject));
  const secrets = [subject.secret, ...newSecrets];
  expect(new Set(secrets).size).toBe(5);
  expect(await signedBy(subject, secrets)).toEqual({ signatures: 5, verified: Array(5).fill(true) });
});

test('404 for other owners and unknown endpoints', async () => {
  const subject = await newTestWebhook();
  const stranger = await newAccount(stack.baseUrl);
  for (const theirs of [stranger.test, stranger.live])
    expectError(await theirs.post(webhookPath(subject, '/rotate-secret')), 404, 'webhook_not_found');
  expectError(await rotate({ id: unknownWebhookId }), 404, 'webhook_not_found');
  expectError(
    await rotate({ id: unknownWebhookId }, { overlapHours: -1 }),
    400,
    'invalid_overlap_hours',
    'overlapHours',
  );
  expect(await signedBy(subject, [subject.secret])).toEqual({ signatures: 1, verified: [true] });
});
