/** From an account made on the command line to webhooks that arrive and verify, and the events behind them. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { cardBody, newInvoice } from '../api/payments/new-payment.ts';
import { type Mailbox, type Receiver, startReceiver, verifies } from '../api/webhooks/receiver.ts';
import { type Api, apiOf } from '../support/api.ts';
import { runJson } from '../support/command-line.ts';
import { startTestStack } from '../support/stack.ts';
import { waitUntil } from '../support/wait-until.ts';
import { testHere } from './reach.ts';

let stack: Stack;
let receiver: Receiver;
let api: Api;
beforeAll(async () => {
  [stack, receiver] = await Promise.all([startTestStack(), startReceiver()]);
  const { keys } = await runJson('accounts', ['create', '--name', 'Druk Shop', '--plan', 'standard']);
  api = apiOf(stack.baseUrl, keys.test);
});
afterAll(() => Promise.all([stack.close(), receiver.close()]));

const register = async (mailbox: Mailbox, events: readonly string[]) =>
  (await api.post('/api/webhooks', { url: mailbox.url, events })).json;
const typesAt = (mailbox: Mailbox) => mailbox.received.map(({ json }) => json.type).sort();
const paidTypes = ['invoice.created', 'invoice.paid', 'payment.completed'];

test('events tell what happened, newest first or from the start', async () => {
  const { id } = await newInvoice(api);
  await api.post('/api/payments', cardBody(id));
  const typesOf = async (query: string) => {
    const { json } = await api.get(`/api/events${query}`);
    const own = json.data.filter((event: { data: { id: string; invoiceId?: string } }) =>
      [event.data.id, event.data.invoiceId].includes(id),
    );
    return own.map(({ type }: { type: string }) => type);
  };
  await waitUntil('the events are there', async () => (await typesOf('')).length === 3);
  const fromTheStart = await typesOf('?after=start');
  expect([...fromTheStart].sort()).toEqual(paidTypes);
  expect(await typesOf('')).toEqual(fromTheStart.reverse());
});

testHere('each event arrives, signed over its bytes, at the endpoints that want it', async () => {
  const [all, paid] = [receiver.mailbox(), receiver.mailbox()];
  const [first, second] = [await register(all, ['*']), await register(paid, ['invoice.paid'])];
  const { id } = await newInvoice(api);
  await api.post('/api/payments', cardBody(id));
  await waitUntil('all have come', () => all.received.length >= 3 && paid.received.length >= 1);
  expect([...new Set(typesAt(all))]).toEqual(paidTypes);
  expect([...new Set(typesAt(paid))]).toEqual(['invoice.paid']);
  for (const message of all.received) {
    expect(verifies(first.secret, message)).toBe(true);
    expect(verifies(second.secret, message)).toBe(false);
    const { json } = await api.get(`/api/events/${message.headers['webhook-id']}`);
    expect(message.json).toEqual(json);
  }
  await waitUntil('the deliveries are recorded', async () => {
    const { json } = await api.get(`/api/webhooks/${first.id}/deliveries?status=succeeded`);
    return json.data.length === 3;
  });
});

testHere('what was refused comes again some seconds later, under the same id', async () => {
  const mailbox = receiver.mailbox();
  mailbox.answer((_, nth) => ({ status: nth === 1 ? 500 : 204 }));
  await register(mailbox, ['invoice.cancelled']);
  const { id } = await newInvoice(api);
  await api.delete(`/api/invoices/${id}`);
  await waitUntil('it has come twice', () => mailbox.received.length === 2, { deadlineMs: 90_000 });
  const [before, after] = mailbox.received.map(({ headers, body }) => [headers['webhook-id'], String(body)]);
  expect(after).toEqual(before);
});

testHere(
  'a test event tells what the receiver answers, and a rotated secret signs with the old one',
  async () => {
    const mailbox = receiver.mailbox();
    mailbox.answer(() => ({ status: 202, body: 'noted' }));
    const { id, secret: old } = await register(mailbox, ['*']);
    const { json: rotated } = await api.post(`/api/webhooks/${id}/rotate-secret`, {});
    const { json } = await api.post(`/api/webhooks/${id}/test`);
    expect(json).toMatchObject({ succeeded: true });
    const [message] = mailbox.received;
    expect([old, rotated.secret].map((secret) => message && verifies(secret, message))).toEqual([true, true]);
  },
);
