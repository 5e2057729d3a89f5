import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { startWebhookStand, type WebhookOwner, type WebhookStand } from '../support/webhook-stand.ts';

const hourMs = 60 * 60_000;

let stand: WebhookStand;

beforeAll(async () => {
  stand = await startWebhookStand();
});
afterEach(() => stand.receiver.answer());
afterAll(() => stand.close());

const fails = { status: 500, body: 'not today' };
const patch = ({ api, endpoints }: WebhookOwner, body: object, place = 0) =>
  api.patch(`/api/webhooks/${endpoints[place]?.id}`, body);

test('410 comes from an address that is the endpoint\u2019s no more: the endpoint stays enabled, at its new one', async () => {
  const owner = await stand.newOwner(2);
  const [old, other] = owner.endpoints;
  stand.receiver.answer(async ({ path }) => {
    if (path !== old?.path) return { status: 200 };
    await patch(owner, { url: stand.receiver.urlOf('/moved') });
    return { status: 410 };
  });
  stand.receiver.trust('/moved', old?.secret ?? '');
  await owner.createInvoices(1);
  await stand.publish(owner);
  await stand.handleDue(owner);
  expect(await owner.shown(0)).toMatchObject({ status: 'enabled', url: stand.receiver.urlOf('/moved') });
  await owner.createInvoices(1);
  const deliveries = await stand.rest({ ...owner, endpoints: other ? [other] : [] });
  expect(deliveries.map(({ status }) => status).sort()).toEqual(['failed', ...Array(3).fill('succeeded')]);
  expect(stand.receiver.receivedAt('/moved')).toHaveLength(1);
});

test('an endpoint is disabled while a retry waits: it is skipped, and delivered when asked for after it is enabled again', async () => {
  const owner = await stand.afterFirstAttempt(1, () => fails);
  await patch(owner, { status: 'disabled' });
  stand.receiver.answer();
  expect(await stand.rest(owner)).toMatchObject([{ status: 'skipped', tries: 1 }]);
  await patch(owner, { status: 'enabled' });
  const since = new Date(stand.clock.now() - hourMs).toISOString();
  await owner.api.post(`/api/webhooks/${owner.endpoints[0]?.id}/recover`, { since });
  expect(await stand.rest(owner)).toMatchObject([{ status: 'succeeded' }]);
  expect(owner.messagesTo(0)).toHaveLength(2);
});

test('an endpoint is disabled and enabled again while a retry waits: the retry comes as it would have', async () => {
  const owner = await stand.afterFirstAttempt(1, () => fails);
  const { nextAttemptAt } = await owner.deliveryTo(0);
  await patch(owner, { status: 'disabled' });
  await patch(owner, { status: 'enabled' });
  stand.receiver.answer();
  expect(await stand.rest(owner)).toMatchObject([{ status: 'succeeded' }]);
  expect(owner.messagesTo(0).map(({ at }) => at)[1]).toBe(nextAttemptAt);
});

test('an endpoint is deleted while a retry waits: nothing is sent to it any more, and its delivery ends', async () => {
  const owner = await stand.afterFirstAttempt(2, () => fails);
  await owner.api.delete(`/api/webhooks/${owner.endpoints[0]?.id}`);
  stand.receiver.answer();
  const deliveries = await stand.rest(owner);
  expect(deliveries.map(({ status }) => status).sort()).toEqual(['skipped', 'succeeded']);
  expect(owner.messagesTo(0)).toHaveLength(1);
});

test('an endpoint\u2019s address is changed while a retry waits: the retry goes to the new one', async () => {
  const owner = await stand.afterFirstAttempt(1, () => fails);
  const [endpoint] = owner.endpoints;
  await patch(owner, { url: stand.receiver.urlOf('/elsewhere') });
  stand.receiver.trust('/elsewhere', endpoint?.secret ?? '');
  stand.receiver.answer();
  await stand.rest({ ...owner, endpoints: [] });
  const [first] = owner.messagesTo(0);
  expect(owner.messagesTo(0)).toHaveLength(1);
  expect(stand.receiver.receivedAt('/elsewhere')).toMatchObject([
    { id: first?.id, body: first?.body, verifiedBy: [0] },
  ]);
});

test('an endpoint\u2019s secret is replaced while retries wait: both sign until the old one ends, then the new one alone', async () => {
  const owner = await stand.afterFirstAttempt(1, () => fails);
  const [endpoint] = owner.endpoints as [(typeof owner.endpoints)[0]];
  const rotate = `/api/webhooks/${endpoint.id}/rotate-secret`;
  stand.receiver.trust(endpoint.path, (await owner.api.post(rotate, { overlapHours: 1 })).json.secret);
  const attempts = [0, 1, 2, 3];
  for (const _ of attempts) {
    stand.clock.to((await owner.deliveryTo(0)).nextAttemptAt);
    await stand.handleDue(owner);
  }
  stand.receiver.answer();
  await stand.rest(owner);
  // At once; 5 s, 5 min, 30 min later; 2 h, and 5 h later.
  expect(owner.messagesTo(0).map(({ verifiedBy }) => verifiedBy)).toEqual([
    [0],
    [0, 1],
    [0, 1],
    [0, 1],
    [1],
    [1],
  ]);
});
