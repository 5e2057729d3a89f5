/** Tests changes of an endpoint while its deliveries wait: other URL, other secret, disabled, enabled, deleted. */
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import {
  startWebhookTestStack,
  type WebhookOwner,
  type WebhookTestStack,
} from '../support/webhook-test-stack.ts';

const hourMs = 60 * 60_000;

let testStack: WebhookTestStack;

beforeAll(async () => {
  testStack = await startWebhookTestStack();
});
afterEach(() => testStack.receiver.respondWith());
afterAll(() => testStack.close());

const failure = { status: 500, body: 'not today' };
const patch = ({ api, endpoints }: WebhookOwner, body: object, index = 0) =>
  api.patch(`/api/webhooks/${endpoints[index]?.id}`, body);

test('410 from the old URL does not disable an endpoint whose URL was changed', async () => {
  const owner = await testStack.newOwner(2);
  const [old, other] = owner.endpoints;
  testStack.receiver.respondWith(async ({ path }) => {
    if (path !== old?.path) return { status: 200 };
    await patch(owner, { url: testStack.receiver.urlOf('/moved') });
    return { status: 410 };
  });
  testStack.receiver.trust('/moved', old?.secret ?? '');
  await owner.createInvoices(1);
  await testStack.relay(owner);
  await testStack.handleDue(owner);
  expect(await owner.shown(0)).toMatchObject({ status: 'enabled', url: testStack.receiver.urlOf('/moved') });
  await owner.createInvoices(1);
  const deliveries = await testStack.runToEnd({ ...owner, endpoints: other ? [other] : [] });
  expect(deliveries.map(({ status }) => status).sort()).toEqual(['failed', ...Array(3).fill('succeeded')]);
  expect(testStack.receiver.receivedAt('/moved')).toHaveLength(1);
});

test('a retry to an endpoint that was disabled is skipped, and a recovery delivers it after enabling', async () => {
  const owner = await testStack.afterFirstAttempt(1, () => failure);
  await patch(owner, { status: 'disabled' });
  testStack.receiver.respondWith();
  expect(await testStack.runToEnd(owner)).toMatchObject([{ status: 'skipped', tries: 1 }]);
  await patch(owner, { status: 'enabled' });
  const since = new Date(testStack.clock.now() - hourMs).toISOString();
  await owner.api.post(`/api/webhooks/${owner.endpoints[0]?.id}/recover`, { since });
  expect(await testStack.runToEnd(owner)).toMatchObject([{ status: 'succeeded' }]);
  expect(owner.messagesTo(0)).toHaveLength(2);
});

test('a retry stays on time if its endpoint is disabled and enabled while it waits', async () => {
  const owner = await testStack.afterFirstAttempt(1, () => failure);
  const { nextAttemptAt } = await owner.deliveryTo(0);
  await patch(owner, { status: 'disabled' });
  await patch(owner, { status: 'enabled' });
  testStack.receiver.respondWith();
  expect(await testStack.runToEnd(owner)).toMatchObject([{ status: 'succeeded' }]);
  expect(owner.messagesTo(0).map(({ at }) => at)[1]).toBe(nextAttemptAt);
});

test('a retry to a deleted endpoint is not sent, and its delivery ends', async () => {
  const owner = await testStack.afterFirstAttempt(2, () => failure);
  await owner.api.delete(`/api/webhooks/${owner.endpoints[0]?.id}`);
  testStack.receiver.respondWith();
  const deliveries = await testStack.runToEnd(owner);
  expect(deliveries.map(({ status }) => status).sort()).toEqual(['skipped', 'succeeded']);
  expect(owner.messagesTo(0)).toHaveLength(1);
});

test('a retry goes to the new URL if the URL changes while it waits', async () => {
  const owner = await testStack.afterFirstAttempt(1, () => failure);
  const [endpoint] = owner.endpoints;
  await patch(owner, { url: testStack.receiver.urlOf('/elsewhere') });
  testStack.receiver.trust('/elsewhere', endpoint?.secret ?? '');
  testStack.receiver.respondWith();
  await testStack.runToEnd({ ...owner, endpoints: [] });
  const [first] = owner.messagesTo(0);
  expect(owner.messagesTo(0)).toHaveLength(1);
  expect(testStack.receiver.receivedAt('/elsewhere')).toMatchObject([
    { id: first?.id, body: first?.body, verifiedBy: [0] },
  ]);
});

test('retries after a rotation are signed by both secrets until the old one ends, and then by the new one', async () => {
  const owner = await testStack.afterFirstAttempt(1, () => failure);
  const [endpoint] = owner.endpoints as [(typeof owner.endpoints)[0]];
  const rotate = `/api/webhooks/${endpoint.id}/rotate-secret`;
  testStack.receiver.trust(endpoint.path, (await owner.api.post(rotate, { overlapHours: 1 })).json.secret);
  const attempts = [0, 1, 2, 3];
  for (const _ of attempts) {
    testStack.clock.to((await owner.deliveryTo(0)).nextAttemptAt);
    await testStack.handleDue(owner);
  }
  testStack.receiver.respondWith();
  await testStack.runToEnd(owner);
  // The first attempt, and then those after 5 s, 5 min, 30 min, 2 h and 5 h.
  expect(owner.messagesTo(0).map(({ verifiedBy }) => verifiedBy)).toEqual([
    [0],
    [0, 1],
    [0, 1],
    [0, 1],
    [1],
    [1],
  ]);
});
