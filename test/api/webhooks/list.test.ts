/** GET /api/webhooks and GET /api/webhooks/:id: what is shown, in which order, and to whom. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../../infra/local/stack.ts';
import { type Api, newAccount } from '../../support/api.ts';
import { stopClock } from '../../support/clock.ts';
import { expectError } from '../../support/expectations.ts';
import type { HttpResponse } from '../../support/http.ts';
import { startTestStack } from '../../support/stack.ts';
import { newWebhook, nowhere, pathOf, unknownId } from './new-webhook.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startTestStack();
  // Endpoints of the same millisecond have an order, too.
  stopClock();
});
afterAll(() => stack.close());

const newApi = async () => (await newAccount(stack.baseUrl)).test;
const list = (api: Api, query = '') => api.get(`/api/webhooks${query}`);
const idsOf = ({ json }: HttpResponse) => json.data.map(({ id }: { id: string }) => id);

test('nothing there: an empty page', async () => {
  expect((await list(await newApi())).json).toEqual({
    data: [],
    pagination: { total: 0, limit: 20, offset: 0, hasMore: false },
  });
});

test('newest first, in the order of creation, at every limit and offset, with the exact total', async () => {
  const api = await newApi();
  const made: string[] = [];
  for (let count = 0; count < 12; count++) made.unshift((await newWebhook(api)).id);
  await api.delete(pathOf({ id: made.splice(4, 1)[0] ?? '' }));
  await api.patch(pathOf({ id: made[7] ?? '' }), { description: 'changed' });
  made.unshift((await newWebhook(api)).id);
  for (const limit of [1, 5, 11, 12, 13, 20, 100]) {
    for (const offset of [0, 1, 7, 11, 12, 13, Number.MAX_SAFE_INTEGER]) {
      const page = await list(api, `?limit=${limit}&offset=${offset}`);
      expect(idsOf(page)).toEqual(made.slice(offset, offset + limit));
      const hasMore = offset + limit < 12;
      expect(page.json.pagination).toEqual({ total: 12, limit, offset, hasMore });
    }
  }
});

test('a row is the endpoint as it is shown by its id, without its secret', async () => {
  const api = await newApi();
  const { secret: _, ...shown } = await newWebhook(api, { description: 'Shop', events: ['invoice.paid'] });
  expect((await list(api)).json.data).toEqual([shown]);
  expect((await api.get(pathOf(shown))).json).toEqual(shown);
});

test('each account and mode has its own', async () => {
  const [one, other] = [await newAccount(stack.baseUrl), await newAccount(stack.baseUrl)];
  const live = { url: nowhere.replace('http:', 'https:') };
  const ids = new Map<Api, string>();
  for (const api of [one.test, one.live, other.test, other.live])
    ids.set(api, (await newWebhook(api, live)).id);
  for (const [api, own] of ids) {
    expect(idsOf(await list(api))).toEqual([own]);
    for (const id of ids.values()) {
      const response = await api.get(pathOf({ id }));
      if (id === own) expect(response.json.id).toBe(own);
      else expectError(response, 404, 'webhook_not_found');
    }
  }
});

test('ids that are unknown, malformed or names of other items are 404', async () => {
  const api = await newApi();
  const { id } = await newWebhook(api);
  const others = [unknownId, 'REGISTRY', 'wh_', 'wh_~', `${id}0`, id.slice(0, -1), id.toUpperCase()];
  for (const other of [...others, id.replace('wh_', 'dlv_'), 'x'.repeat(3000), '%00', '%23'])
    expectError(await api.get(pathOf({ id: other })), 404, 'webhook_not_found');
});

test.each([
  ['limit=0', 'invalid_limit', 'limit'],
  ['limit=101', 'invalid_limit', 'limit'],
  ['limit=', 'invalid_limit', 'limit'],
  ['limit=1&limit=2', 'invalid_limit', 'limit'],
  ['offset=-1', 'invalid_offset', 'offset'],
  ['offset=1.0', 'invalid_offset', 'offset'],
  ['status=enabled', 'unknown_parameter', 'status'],
])('400: ?%s', async (query, code, field) => {
  expectError(await list(await newApi(), `?${query}`), 400, code, field);
});
