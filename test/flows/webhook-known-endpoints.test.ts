/** Tests that the relay remembers the endpoints of an account, and still sees each change of the events that an endpoint gets. */
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { interceptCalls } from '../support/intercept-calls.ts';
import {
  startWebhookTestStack,
  type WebhookOwner,
  type WebhookTestStack,
} from '../support/webhook-test-stack.ts';
import { handleMessages, toMessageBody } from '../support/webhook-workers.ts';

let testStack: WebhookTestStack;

beforeAll(async () => {
  testStack = await startWebhookTestStack();
});
afterEach(() => testStack.receiver.respondWith());
afterAll(() => testStack.close());

/** Relays a new event. Returns the statuses of its new deliveries, and how often the endpoints were read. */
async function announce(owner: WebhookOwner) {
  const before = (await owner.deliveries()).map(({ pk, sk }) => `${pk} ${sk}`);
  await owner.createInvoices(1);
  const interception = interceptCalls();
  await testStack.relay(owner);
  interception.remove();
  const reads = interception.calls.filter(
    ({ operation, body }) => operation === 'Query' && body.includes('WEBHOOKS#'),
  );
  const added = (await owner.deliveries()).filter(({ pk, sk }) => !before.includes(`${pk} ${sk}`));
  return { statuses: added.map(({ status }) => status).sort(), reads: reads.length };
}

test('endpoints are read once, and again only after a change of the events that one of them gets', async () => {
  const owner = await testStack.newOwner(1);
  const [endpoint] = owner.endpoints;
  const path = `/api/webhooks/${endpoint?.id}`;
  const patch = async (body: object) => expect((await owner.api.patch(path, body)).status).toBe(200);
  expect(await announce(owner)).toEqual({ statuses: ['pending'], reads: 1 });
  expect(await announce(owner)).toEqual({ statuses: ['pending'], reads: 0 });

  await patch({ description: 'Shop', url: testStack.receiver.urlOf('/moved'), events: ['*'] });
  expect((await owner.api.post(`${path}/rotate-secret`, {})).status).toBe(200);
  expect(await announce(owner)).toEqual({ statuses: ['pending'], reads: 0 });

  await patch({ events: ['refund.failed'] });
  expect(await announce(owner)).toEqual({ statuses: [], reads: 1 });
  await patch({ events: ['invoice.created'] });
  expect(await announce(owner)).toEqual({ statuses: ['pending'], reads: 1 });
  await patch({ status: 'disabled' });
  expect(await announce(owner)).toEqual({ statuses: ['skipped'], reads: 1 });
  await patch({ status: 'enabled' });
  expect(await announce(owner)).toEqual({ statuses: ['pending'], reads: 1 });

  const body = { url: testStack.receiver.urlOf('/second'), events: ['*'] };
  const { json: second } = await owner.api.post('/api/webhooks', body);
  expect(await announce(owner)).toEqual({ statuses: ['pending', 'pending'], reads: 1 });
  expect((await owner.api.delete(`/api/webhooks/${second.id}`)).status).toBe(200);
  expect(await announce(owner)).toEqual({ statuses: ['pending'], reads: 1 });
});

test('an endpoint that the dispatcher disables gets no pending delivery any more', async () => {
  const owner = await testStack.newOwner(1);
  expect(await announce(owner)).toEqual({ statuses: ['pending'], reads: 1 });
  testStack.receiver.respondWith(() => ({ status: 410 }));
  await handleMessages('webhook', (await owner.timers()).map(toMessageBody));
  expect(await owner.shown(0)).toMatchObject({ status: 'disabled', disabledReason: 'gone' });
  expect(await announce(owner)).toEqual({ statuses: ['skipped'], reads: 1 });
});

test('an account without endpoints is read once, and its first endpoint gets the next event', async () => {
  const owner = await testStack.newOwner(0);
  expect(await announce(owner)).toEqual({ statuses: [], reads: 1 });
  expect(await announce(owner)).toEqual({ statuses: [], reads: 0 });
  const body = { url: testStack.receiver.urlOf('/first'), events: ['*'] };
  expect((await owner.api.post('/api/webhooks', body)).status).toBe(201);
  expect(await announce(owner)).toEqual({ statuses: ['pending'], reads: 1 });
});
