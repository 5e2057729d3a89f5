/** Tests GET /api/webhooks and GET /api/webhooks/:id: the shown fields, the order, and the isolation of accounts. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../../infra/local/stack.ts';
import { type Api, newAccount } from '../../support/api.ts';
import { stopClock } from '../../support/clock.ts';
import { expectError } from '../../support/expectations.ts';
import type { HttpResponse } from '../../support/http.ts';
import { startTestStack } from '../../support/stack.ts';
import { newWebhook, unknownWebhookId, unreachableUrl, webhookPath } from './new-webhook.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startTestStack();
  // Endpoints that are created in the same millisecond also have an order.
  stopClock();
});
afterAll(() => stack.close());

const newApi = async () => (await newAccount(stack.baseUrl)).test;
const list = (api: Api, query = '') => api.get(`/api/webhooks${query}`);
const idsOf = ({ json }: HttpResponse) => json.data.map(({ id }: { id: string }) => id);

test('without endpoints the page is empty', async () => {
  expect((await list(await newApi())).json).toEqual({
    data: [],
    pagination: { total: 0, limit: 20, offset: 0, hasMore: false },
  });
});

test('endpoints are listed newest first, with every limit and offset, and with the exact total', async () => {
  const api = await newApi();
  const created: string[] = [];
  for (let count = 0; count < 12; count++) created.unshift((await newWebhook(api)).id);
  await api.delete(webhookPath({ id: created.splice(4, 1)[0] ?? '' }));
  await api.patch(webhookPath({ id: created[7] ?? '' }), { description: 'changed' });
  created.unshift((await newWebhook(api)).id);
  for (const limit of [1, 5, 11, 12, 13, 20, 100]) {
    for (const offset of [0, 1, 7, 11, 12, 13, Number.MAX_SAFE_INTEGER]) {
      const page = await list(api, `?limit=${limit}&offset=${offset}`);
      expect(idsOf(page)).toEqual(created.slice(offset, offset + limit));
      const hasMore = offset + limit < 12;
      expect(page.json.pagination).toEqual({ total: 12, limit, offset, hasMore });
    }
  }
});

test('the list shows an endpoint like GET by its id, without its secret', async () => {
  const api = await newApi();
  const { secret: _, ...shown } = await newWebhook(api, { description: 'Shop', events: ['invoice.paid'] });
  expect((await list(api)).json.data).toEqual([shown]);
  expect((await api.get(webhookPath(shown))).json).toEqual(shown);
});

test('each account and mode has its own endpoints', async () => {
  const [one, other] = [await newAccount(stack.baseUrl), await newAccount(stack.baseUrl)];
  const live = { url: unreachableUrl.replace('http:', 'https:') };
  const ids = new Map<Api, string>();
  for (const api of [one.test, one.live, other.test, other.live])
    ids.set(api, (await newWebhook(api, live)).id);
  for (const [api, own] of ids) {
    expect(idsOf(await list(api))).toEqual([own]);
    for (const id of ids.values()) {
      const response = await api.get(webhookPath({ id }));
      if (id === own) expect(response.json.id).toBe(own);
      else expectError(response, 404, 'webhook_not_found');
    }
  }
});

test('ids that are unknown, malformed or keys of other items are 404', async () => {
  const api = await newApi();
  const { id } = await newWebhook(api);
  const others = [unknownWebhookId, 'REGISTRY', 'wh_', 'wh_~', `${id}0`, id.slice(0, -1), id.toUpperCase()];
  for (const other of [...others, id.replace('wh_', 'dlv_'), 'x'.repeat(3000), '%00', '%23'])
    expectError(await api.get(webhookPath({ id: other })), 404, 'webhook_not_found');
});

test.each([
  ['limit=0', 'invalid_limit', 'limit'],
  ['limit=101', 'invalid_limit', 'limit'],
  ['limit=', 'invalid_limit', 'limit'],
  ['limit=1&limit=2', 'invalid_limit', 'limit'],
  ['offset=-1', 'invalid_offset', 'offset'],
  ['offset=1.0', 'invalid_offset', 'offset'],
  ['status=enabled', 'unknown_parameter', 'status'],
])('400 for ?%s', async (query, code, field) => {
  expectError(await list(await newApi(), `?${query}`), 400, code, field);
});
