/** Tests that the relay remembers the endpoints of an account, and still sees each change of the events that an endpoint gets. */
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { type DynamodbAttempt, interceptCalls, respondWith } from '../support/intercept-calls.ts';
import { inNewestVersion } from '../support/newest-version.ts';
import {
  startWebhookTestStack,
  type WebhookOwner,
  type WebhookTestStack,
} from '../support/webhook-test-stack.ts';
import { handleMessages, toMessageBody } from '../support/webhook-workers.ts';
import { readWireBody, type WireResponse, withBody } from '../support/wire-call.ts';

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
  return { statuses: added.map(({ status }) => status), reads: reads.length };
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

  const filter = async (filters: object[] | null) =>
    expect((await inNewestVersion(owner.api).patch(path, { filters })).status).toBe(200);
  await filter([{ path: 'data.currency', in: ['INR'] }]);
  expect(await announce(owner)).toEqual({ statuses: [], reads: 1 });
  await filter([{ path: 'data.currency', in: ['INR', 'USD'] }]);
  expect(await announce(owner)).toEqual({ statuses: ['pending'], reads: 1 });
  await filter([{ path: 'data.status', equals: 'paid' }]);
  expect(await announce(owner)).toEqual({ statuses: [], reads: 1 });
  await filter(null);
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

/** Announces an event while a plain read of the endpoints shows what it has shown before `change`. */
async function announceWithStaleRead(owner: WebhookOwner, change: () => Promise<unknown>) {
  const { readWebhooks } = await import('../../shared/domain/webhooks/webhook-store.ts');
  let stale: object = {};
  const isRead = ({ operation, body }: DynamodbAttempt) => operation === 'Query' && body.includes('"wh_"');
  const recording = interceptCalls(async (call, send) => {
    const response = await send();
    if (!isRead(call)) return response;
    const text = await readWireBody(response as unknown as WireResponse);
    stale = JSON.parse(text);
    return withBody(response as unknown as WireResponse, text) as unknown as typeof response;
  });
  await readWebhooks({ account: owner.owner.split('#')[0] ?? '', mode: 'test' });
  recording.remove();
  await change();
  const replacing = interceptCalls(async (call, send) => (isRead(call) ? respondWith(stale) : send()));
  await announce(owner);
  replacing.remove();
}

test('a read that sees only a part of a change is not remembered', async () => {
  const owner = await testStack.newOwner(1);
  const path = `/api/webhooks/${owner.endpoints[0]?.id}`;
  const body = { url: testStack.receiver.urlOf('/part'), events: ['*'] };
  let second = '';
  await announceWithStaleRead(owner, async () => {
    second = (await owner.api.post('/api/webhooks', body)).json.id;
  });
  expect(await announce(owner)).toEqual({ statuses: ['pending', 'pending'], reads: 1 });
  await announceWithStaleRead(owner, () => owner.api.patch(path, { events: ['refund.failed'] }));
  expect(await announce(owner)).toEqual({ statuses: ['pending'], reads: 0 });
  await announceWithStaleRead(owner, () => owner.api.delete(`/api/webhooks/${second}`));
  expect(await announce(owner)).toEqual({ statuses: [], reads: 0 });
});

test('an account without endpoints is read once, and its first endpoint gets the next event', async () => {
  const owner = await testStack.newOwner(0);
  expect(await announce(owner)).toEqual({ statuses: [], reads: 1 });
  expect(await announce(owner)).toEqual({ statuses: [], reads: 0 });
  const body = { url: testStack.receiver.urlOf('/first'), events: ['*'] };
  expect((await owner.api.post('/api/webhooks', body)).status).toBe(201);
  expect(await announce(owner)).toEqual({ statuses: ['pending'], reads: 1 });
});
