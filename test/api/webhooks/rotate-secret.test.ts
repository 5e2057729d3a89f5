/** POST /api/webhooks/:id/rotate-secret, as a receiver sees it that verifies with the published library. */
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
  pathOf,
  publishEvents,
  together,
  underKey,
  unknownId,
} from './new-webhook.ts';
import { type Mailbox, type Receiver, signaturesOf, startReceiver, verifies, verify } from './receiver.ts';

const hour = 3_600_000;
let stack: Stack;
let receiver: Receiver;
let clock: TestClock;
/** Of the last endpoint that was made. */
let api: Api;

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: hour });
  receiver = await startReceiver();
  clock = stopClock();
});
afterAll(async () => {
  await stack.close();
  await receiver.close();
});

interface Subject {
  readonly mailbox: Mailbox;
  readonly id: string;
  readonly secret: string;
}

async function newSubject(): Promise<Subject> {
  const mailbox = receiver.mailbox();
  api = (await newAccount(stack.baseUrl)).test;
  const { id, secret } = await newWebhook(api, { url: mailbox.url });
  return { mailbox, id, secret };
}

const rotate = (of: { id: string }, body?: unknown, options = {}) =>
  api.post(pathOf(of, '/rotate-secret'), body, options);
const rotated = async (of: { id: string }, body?: unknown): Promise<string> =>
  (await rotate(of, body)).json.secret;

/** What the receiver is sent now: how many signatures, and which of the secrets verify it. */
async function signedBy({ id, mailbox }: Subject, secrets: readonly string[]) {
  expect((await api.post(pathOf({ id }, '/test'))).json.succeeded).toBe(true);
  const received = mailbox.received.at(-1);
  if (!received) throw new Error('Nothing was received.');
  return {
    signatures: signaturesOf(received).length,
    verified: secrets.map((secret) => verifies(secret, received)),
  };
}

test('200 with the endpoint and a new secret, of the same form', async () => {
  const subject = await newSubject();
  const before = (await api.get(pathOf(subject))).json;
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
])('the old secret signs along for %s, then no more; the new one at once', async (_, body, hours) => {
  const subject = await newSubject();
  const secrets = [await rotated(subject, body), subject.secret];
  const both = { signatures: 2, verified: [true, true] };
  expect(await signedBy(subject, secrets)).toEqual(both);
  clock.advance(hours * hour - 1);
  expect(await signedBy(subject, secrets)).toEqual(both);
  clock.advance(1);
  expect(await signedBy(subject, secrets)).toEqual({ signatures: 1, verified: [true, false] });
});

test('overlapHours 0: the old secret signs nothing more, nor do those before it', async () => {
  const subject = await newSubject();
  const second = await rotated(subject);
  const third = await rotated(subject, { overlapHours: 0 });
  expect(await signedBy(subject, [third, second, subject.secret])).toEqual({
    ...{ signatures: 1, verified: [true, false, false] },
  });
});

test('a second rotation takes nothing from the time that the first one has promised', async () => {
  const subject = await newSubject();
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

test('five secrets sign at most: a fifth rotation is refused and takes none away, until one has ended or the request ends them', async () => {
  const subject = await newSubject();
  const secrets = [subject.secret];
  for (let count = 0; count < 4; count++) {
    secrets.unshift(await rotated(subject, { overlapHours: 168 }));
    clock.advance(1000);
  }
  for (const options of [{}, underKey('one too many')]) {
    const refused = await rotate(subject, { overlapHours: 168 }, options);
    expectError(refused, 400, 'secret_limit_reached');
    expect(refused.json.error.message).toContain('overlapHours 0');
  }
  expect(new Set(secrets).size).toBe(5);
  expect(await signedBy(subject, secrets)).toEqual({ signatures: 5, verified: Array(5).fill(true) });
  // Of the first one the time is over, of the others not yet.
  clock.advance(168 * hour - 4_000);
  secrets.unshift((await rotate(subject, { overlapHours: 168 }, underKey('one too many'))).json.secret);
  expect(await signedBy(subject, secrets)).toEqual({
    ...{ signatures: 5, verified: [true, true, true, true, true, false] },
  });
  expectError(await rotate(subject), 400, 'secret_limit_reached');
  secrets.unshift(await rotated(subject, { overlapHours: 0 }));
  expect(await signedBy(subject, secrets)).toEqual({
    ...{ signatures: 1, verified: [true, ...Array(6).fill(false)] },
  });
});

test('a delivery is signed by the secrets of the time of its attempt, over the bytes that are sent', async () => {
  const subject = await newSubject();
  const { mailbox } = subject;
  const accountOf = await newAccount(stack.baseUrl);
  const { id, secret } = await newWebhook(accountOf.test, { url: mailbox.url });
  const { json } = await accountOf.test.post(pathOf({ id }, '/rotate-secret'));
  const [eventId = ''] = await publishEvents(ownerOf(accountOf), ['invoice.paid']);
  await waitUntil('it is received', () => mailbox.received.length === 1);
  const [received] = mailbox.received;
  if (!received) throw new Error('Nothing was received.');
  expect(received.headers).toMatchObject({
    'webhook-id': eventId,
    'webhook-timestamp': String(Math.floor(clock.now() / 1000)),
    'content-type': 'application/json; charset=utf-8',
  });
  const event = (await accountOf.test.get(`/api/events/${eventId}`)).json;
  expect(JSON.parse(received.body.toString('utf8')).data.description).toBe('Grüße, བརྡ་');
  for (const each of [secret, json.secret]) expect(verify(each, received)).toEqual(event);
  expect(verifies(subject.secret, received)).toBe(false);
});

test('400 invalid_overlap_hours for every bad value, and nothing is rotated', async () => {
  const subject = await newSubject();
  for (const [name, json] of badOverlaps) {
    const response = await rotate(subject, `{"overlapHours":${json}}`);
    expect({ name, code: response.json.error?.code }).toEqual({ name, code: 'invalid_overlap_hours' });
    expectError(response, 400, 'invalid_overlap_hours', 'overlapHours');
    expect(response.json.error.message).toContain('0 to 168');
  }
  expectError(await rotate(subject, { hours: 1 }), 400, 'unknown_parameter', 'hours');
  expect(await signedBy(subject, [subject.secret])).toEqual({ signatures: 1, verified: [true] });
});

test('under a key it is rotated once, and the same secret is shown again, byte for byte', async () => {
  const subject = await newSubject();
  const responses = await together(8, () => rotate(subject, {}, underKey('rotate')));
  const [text] = responses.map((response) => response.text);
  for (const response of responses) expect([response.status, response.text]).toEqual([200, text]);
  expect(responses.filter((response) => !isReplay(response))).toHaveLength(1);
  const secret = JSON.parse(text ?? '').secret;
  expect(await signedBy(subject, [secret, subject.secret])).toEqual({
    ...{ signatures: 2, verified: [true, true] },
  });
});

test('rotated many times at once, each answer is a rotation of its own, and the last one signs', async () => {
  const subject = await newSubject();
  const answers = await together(4, () => rotated(subject));
  const secrets = [subject.secret, ...answers];
  expect(new Set(secrets).size).toBe(5);
  expect(await signedBy(subject, secrets)).toEqual({ signatures: 5, verified: Array(5).fill(true) });
});

test('404 for others and for what is not there', async () => {
  const subject = await newSubject();
  const stranger = await newAccount(stack.baseUrl);
  for (const theirs of [stranger.test, stranger.live])
    expectError(await theirs.post(pathOf(subject, '/rotate-secret')), 404, 'webhook_not_found');
  expectError(await rotate({ id: unknownId }), 404, 'webhook_not_found');
  expectError(
    await rotate({ id: unknownId }, { overlapHours: -1 }),
    400,
    'invalid_overlap_hours',
    'overlapHours',
  );
  expect(await signedBy(subject, [subject.secret])).toEqual({ signatures: 1, verified: [true] });
});
