/** Tests DELETE /api/webhooks/:id: afterwards no operation on the endpoint works. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../../infra/local/stack.ts';
import { newAccount, type TestAccount } from '../../support/api.ts';
import { expectError } from '../../support/expectations.ts';
import { startTestStack } from '../../support/stack.ts';
import {
  isReplay,
  newWebhook,
  ownerOf,
  readDeliveries,
  relaySampleEvents,
  timestamp,
  underKey,
  unknownWebhookId,
  unreachableUrl,
  webhookPath,
} from './new-webhook.ts';

let stack: Stack;
let account: TestAccount;
beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  await stack.queues.pause();
  account = await newAccount(stack.baseUrl);
});
afterAll(() => stack.close());

test('200 with id and deletedAt, and then every route of the endpoint is 404', async () => {
  const { test: api } = account;
  const webhook = await newWebhook(api);
  // With a second endpoint, deliveries are stored before their first attempts.
  const other = await newWebhook(api);
  await relaySampleEvents(ownerOf(account), ['invoice.paid']);
  const [delivery] = await readDeliveries(api, webhook);
  const { status, json } = await api.delete(webhookPath(webhook));
  expect([status, json]).toEqual([200, { id: webhook.id, deletedAt: timestamp }]);
  const since = '2026-01-01T00:00:00Z';
  for (const response of [
    await api.get(webhookPath(webhook)),
    await api.patch(webhookPath(webhook), { description: 'x' }),
    await api.patch(webhookPath(webhook), {}),
    await api.delete(webhookPath(webhook)),
    await api.delete(webhookPath(webhook), underKey('gone')),
    await api.post(webhookPath(webhook, '/rotate-secret')),
    await api.post(webhookPath(webhook, '/test')),
    await api.get(webhookPath(webhook, '/deliveries')),
    await api.post(webhookPath(webhook, `/deliveries/${delivery.id}/redeliver`)),
    await api.post(webhookPath(webhook, '/recover'), { since }),
  ]) {
    expectError(response, 404, 'webhook_not_found');
  }
  const { data } = (await api.get('/api/webhooks')).json;
  expect(data.map(({ id }: { id: string }) => id)).toEqual([other.id]);
});

test('a repetition under the same key gets the same response; under another key it is 404', async () => {
  const { test: api } = account;
  const webhook = await newWebhook(api);
  const first = await api.delete(webhookPath(webhook), underKey('delete'));
  for (let time = 0; time < 3; time++) {
    const again = await api.delete(webhookPath(webhook), underKey('delete'));
    expect([again.status, again.text, isReplay(again)]).toEqual([200, first.text, true]);
  }
  expectError(await api.delete(webhookPath(webhook), underKey('another')), 404, 'webhook_not_found');
});

test('other accounts and modes cannot delete it, and other ids are 404', async () => {
  const { test: api, live } = account;
  const webhook = await newWebhook(api);
  for (const stranger of [live, (await newAccount(stack.baseUrl)).test])
    expectError(await stranger.delete(webhookPath(webhook)), 404, 'webhook_not_found');
  for (const id of [unknownWebhookId, 'REGISTRY', 'nonsense'])
    expectError(await api.delete(webhookPath({ id })), 404, 'webhook_not_found');
  expect((await api.get(webhookPath(webhook))).status).toBe(200);
});

test('deleting an endpoint of one mode does not change the limit of the other', async () => {
  const { test: api, live } = await newAccount(stack.baseUrl);
  const url = unreachableUrl.replace('http:', 'https:');
  const created = [];
  for (let count = 0; count < 20; count++) created.push(await newWebhook(live, { url }));
  await api.delete(webhookPath(await newWebhook(api)));
  expectError(await live.post('/api/webhooks', { url, events: ['*'] }), 400, 'webhook_limit_reached');
  await live.delete(webhookPath(created[7]));
  await newWebhook(live, { url });
});
