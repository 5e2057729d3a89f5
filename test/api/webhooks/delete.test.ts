/** DELETE /api/webhooks/:id: the endpoint is gone, with all that could be done with it. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../../infra/local/stack.ts';
import { newAccount, type TestAccount } from '../../support/api.ts';
import { expectError } from '../../support/expectations.ts';
import { startTestStack } from '../../support/stack.ts';
import {
  deliveriesOf,
  isReplay,
  newWebhook,
  nowhere,
  ownerOf,
  pathOf,
  publishEvents,
  timestamp,
  underKey,
  unknownId,
} from './new-webhook.ts';

let stack: Stack;
let account: TestAccount;
beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  await stack.queues.pause();
  account = await newAccount(stack.baseUrl);
});
afterAll(() => stack.close());

test('200 with id and deletedAt, and nothing is left: every route of it is 404', async () => {
  const { test: api } = account;
  const webhook = await newWebhook(api);
  await publishEvents(ownerOf(account), ['invoice.paid']);
  const [delivery] = await deliveriesOf(api, webhook);
  const { status, json } = await api.delete(pathOf(webhook));
  expect([status, json]).toEqual([200, { id: webhook.id, deletedAt: timestamp }]);
  const since = '2026-01-01T00:00:00Z';
  for (const response of [
    await api.get(pathOf(webhook)),
    await api.patch(pathOf(webhook), { description: 'x' }),
    await api.patch(pathOf(webhook), {}),
    await api.delete(pathOf(webhook)),
    await api.delete(pathOf(webhook), underKey('gone')),
    await api.post(pathOf(webhook, '/rotate-secret')),
    await api.post(pathOf(webhook, '/test')),
    await api.get(pathOf(webhook, '/deliveries')),
    await api.post(pathOf(webhook, `/deliveries/${delivery.id}/redeliver`)),
    await api.post(pathOf(webhook, '/recover'), { since }),
  ]) {
    expectError(response, 404, 'webhook_not_found');
  }
  expect((await api.get('/api/webhooks')).json.pagination.total).toBe(0);
});

test('repeated under its key it is answered alike, however often; under another key it is 404', async () => {
  const { test: api } = account;
  const webhook = await newWebhook(api);
  const first = await api.delete(pathOf(webhook), underKey('delete'));
  for (let time = 0; time < 3; time++) {
    const again = await api.delete(pathOf(webhook), underKey('delete'));
    expect([again.status, again.text, isReplay(again)]).toEqual([200, first.text, true]);
  }
  expectError(await api.delete(pathOf(webhook), underKey('another')), 404, 'webhook_not_found');
});

test('others cannot delete it, nor does what is no endpoint count', async () => {
  const { test: api, live } = account;
  const webhook = await newWebhook(api);
  for (const stranger of [live, (await newAccount(stack.baseUrl)).test])
    expectError(await stranger.delete(pathOf(webhook)), 404, 'webhook_not_found');
  for (const id of [unknownId, 'REGISTRY', 'nonsense'])
    expectError(await api.delete(pathOf({ id })), 404, 'webhook_not_found');
  expect((await api.get(pathOf(webhook))).status).toBe(200);
});

test('an endpoint of one mode makes no room in the other', async () => {
  const { test: api, live } = await newAccount(stack.baseUrl);
  const url = nowhere.replace('http:', 'https:');
  const made = [];
  for (let count = 0; count < 20; count++) made.push(await newWebhook(live, { url }));
  await api.delete(pathOf(await newWebhook(api)));
  expectError(await live.post('/api/webhooks', { url, events: ['*'] }), 400, 'webhook_limit_reached');
  await live.delete(pathOf(made[7]));
  await newWebhook(live, { url });
});
