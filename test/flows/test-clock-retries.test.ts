/** Tests that a move of the clock of test mode makes the attempts to deliver webhooks that become due meanwhile. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { type Api, invoiceBody, newAccount } from '../support/api.ts';
import { interceptCalls } from '../support/intercept-calls.ts';
import { startTestStack } from '../support/stack.ts';
import { waitUntil } from '../support/wait-until.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

const path = '/api/test/clock';
const hour = 3_600;
let stack: Stack;
let receiver: WebhookReceiver;

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
});
beforeEach(async () => {
  receiver = await startWebhookReceiver();
});
afterEach(() => receiver.close());
afterAll(() => stack.close());

interface Endpoint {
  readonly api: Api;
  readonly live: Api;
  /** Returns the endpoint's only delivery, as the API shows it. */
  readonly delivery: (
    count: number,
  ) => Promise<{ status: string; attempts: { status: number; at: string }[] }>;
}

/** Creates an endpoint in test mode whose receiver answers 500 to the first `failures` messages, and one delivery. */
async function failingEndpoint(failures: number): Promise<Endpoint> {
  const { test: api, live } = await newAccount(stack.baseUrl);
  const { json } = await api.post('/api/webhooks', {
    url: receiver.urlOf('/hook'),
    events: ['invoice.created'],
  });
  receiver.trust('/hook', json.secret);
  receiver.respondWith(() => ({ status: receiver.received.length <= failures ? 500 : 200 }));
  await api.post('/api/invoices', invoiceBody());
  const delivery = (count: number) =>
    waitUntil(`attempt ${count}`, async () => {
      const { json: list } = await api.get(`/api/webhooks/${json.id}/deliveries`);
      return list.data[0]?.attempts.length >= count && list.data[0];
    });
  await delivery(1);
  return { api, live, delivery };
}

const move = (api: Api, advanceSeconds: number) => api.post(path, { advanceSeconds });
/** Retrieves the clock until it has arrived. */
const arrival = (api: Api) =>
  waitUntil('the clock', async () => (await api.get(path)).json.status === 'ready');

test('one move delivers an event whose receiver answers 500 twice', async () => {
  const { api, delivery } = await failingEndpoint(2);
  const { status } = await move(api, hour);
  expect(status).toBe(200);
  await arrival(api);
  const { status: result, attempts } = await delivery(3);
  expect([result, attempts.map((attempt) => attempt.status)]).toEqual(['succeeded', [500, 500, 200]]);
  expect(receiver.received).toHaveLength(3);
  const first = Date.parse(attempts[0]?.at ?? '');
  expect(Date.parse(attempts[2]?.at ?? '') - first).toBeLessThan(hour * 1_000);
});

test('a move waits for the first attempt of an event that happened just before, and then makes the next one', async () => {
  const { test: api } = await newAccount(stack.baseUrl);
  const { json } = await api.post('/api/webhooks', { url: receiver.urlOf('/hook'), events: ['*'] });
  receiver.trust('/hook', json.secret);
  const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
  const { promise: released, resolve: release } = Promise.withResolvers<{ status: number }>();
  receiver.respondWith(() => {
    if (receiver.received.length > 1) return { status: 200 };
    arrive();
    return released;
  });
  await api.post('/api/invoices', invoiceBody());
  await arrived;
  const moving = move(api, hour);
  const reading = interceptCalls();
  await waitUntil('the move waits', () => reading.calls.some(({ body }) => body.includes('"OUTBOX#')));
  reading.remove();
  release({ status: 500 });
  await moving;
  await arrival(api);
  const { data } = (await api.get(`/api/webhooks/${json.id}/deliveries`)).json;
  expect(data).toMatchObject([{ status: 'succeeded', attempts: [{ status: 500 }, { status: 200 }] }]);
});

test('a move makes only the attempts that are due before it arrives, and a move by days makes all', async () => {
  const { api, delivery } = await failingEndpoint(100);
  await move(api, 60);
  await arrival(api);
  expect(await delivery(2)).toMatchObject({ status: 'pending', attempts: [{}, {}] });
  await move(api, 120);
  await arrival(api);
  expect((await delivery(2)).attempts).toHaveLength(2);
  await move(api, 7 * 24 * hour);
  await Promise.all([arrival(api), arrival(api), arrival(api)]);
  expect(await delivery(10)).toMatchObject({ status: 'failed' });
  expect(receiver.received).toHaveLength(10);
  expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(1);
});
