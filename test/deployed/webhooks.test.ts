/** Tests webhooks end to end: an account from the command line, signed deliveries, retries, and the event log. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { cardBody, newInvoice } from '../api/payments/new-payment.ts';
import {
  isVerifiedBy,
  type Mailbox,
  type MailboxReceiver,
  startMailboxReceiver,
} from '../api/webhooks/receiver.ts';
import { type Api, apiOf } from '../support/api.ts';
import { runJson } from '../support/command-line.ts';
import { startTestStack } from '../support/stack.ts';
import { waitUntil } from '../support/wait-until.ts';
import { testIfLocal } from './reach.ts';

let stack: Stack;
let receiver: MailboxReceiver;
let api: Api;
beforeAll(async () => {
  [stack, receiver] = await Promise.all([startTestStack(), startMailboxReceiver()]);
  const { keys } = await runJson('accounts', ['create', '--name', 'Druk Shop', '--plan', 'standard']);
  api = apiOf(stack.baseUrl, keys.test);
});
afterAll(() => Promise.all([stack.close(), receiver.close()]));

const register = async (mailbox: Mailbox, events: readonly string[]) =>
  (await api.post('/api/webhooks', { url: mailbox.url, events })).json;
const typesAt = (mailbox: Mailbox) => mailbox.received.map(({ json }) => json.type).sort();
const paidTypes = ['invoice.created', 'invoice.paid', 'payment.completed'];

test('the event log lists the events of a payment, newest first or from the start', async () => {
  const { id } = await newInvoice(api);
  await api.post('/api/payments', cardBody(id));
  const typesOf = async (query: string) => {
    const { json } = await api.get(`/api/events${query}`);
    const own = json.data.filter((event: { data: { id: string; invoiceId?: string } }) =>
      [event.data.id, event.data.invoiceId].includes(id),
    );
    return own.map(({ type }: { type: string }) => type);
  };
  await waitUntil('all events are listed', async () => (await typesOf('')).length === 3);
  const fromTheStart = await typesOf('?after=start');
  expect([...fromTheStart].sort()).toEqual(paidTypes);
  expect(await typesOf('')).toEqual(fromTheStart.reverse());
});

testIfLocal('each event arrives with a valid signature at the endpoints that subscribe to it', async () => {
  const [all, paid] = [receiver.mailbox(), receiver.mailbox()];
  const [first, second] = [await register(all, ['*']), await register(paid, ['invoice.paid'])];
  const { id } = await newInvoice(api);
  await api.post('/api/payments', cardBody(id));
  await waitUntil('all deliveries arrived', () => all.received.length >= 3 && paid.received.length >= 1);
  expect([...new Set(typesAt(all))]).toEqual(paidTypes);
  expect([...new Set(typesAt(paid))]).toEqual(['invoice.paid']);
  for (const message of all.received) {
    expect(isVerifiedBy(first.secret, message)).toBe(true);
    expect(isVerifiedBy(second.secret, message)).toBe(false);
    const { json } = await api.get(`/api/events/${message.headers['webhook-id']}`);
    expect(message.json).toEqual(json);
  }
  await waitUntil('the deliveries are recorded', async () => {
    const { json } = await api.get(`/api/webhooks/${first.id}/deliveries?status=succeeded`);
    return json.data.length === 3;
  });
});

testIfLocal('a failed delivery is retried after some seconds with the same id', async () => {
  const mailbox = receiver.mailbox();
  mailbox.respondWith((_, nth) => ({ status: nth === 1 ? 500 : 204 }));
  await register(mailbox, ['invoice.cancelled']);
  const { id } = await newInvoice(api);
  await api.delete(`/api/invoices/${id}`);
  await waitUntil('the second attempt', () => mailbox.received.length === 2, { deadlineMs: 90_000 });
  const [before, after] = mailbox.received.map(({ headers, body }) => [headers['webhook-id'], String(body)]);
  expect(after).toEqual(before);
});

testIfLocal(
  'a test event returns the result of the receiver, and is signed with the old and the rotated secret',
  async () => {
    const mailbox = receiver.mailbox();
    mailbox.respondWith(() => ({ status: 202, body: 'noted' }));
    const { id, secret: old } = await register(mailbox, ['*']);
    const { json: rotated } = await api.post(`/api/webhooks/${id}/rotate-secret`, {});
    const { json } = await api.post(`/api/webhooks/${id}/test`);
    expect(json).toMatchObject({ succeeded: true });
    const [message] = mailbox.received;
    expect([old, rotated.secret].map((secret) => message && isVerifiedBy(secret, message))).toEqual([
      true,
      true,
    ]);
  },
);
