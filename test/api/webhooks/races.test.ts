/** Webhook endpoints created, changed and deleted at the same time: 20 at most, counted exactly. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../../infra/local/stack.ts';
import { keys } from '../../../shared/store/keys.ts';
import { type Api, newAccount, type TestAccount } from '../../support/api.ts';
import { intercept } from '../../support/faults.ts';
import { startTestStack } from '../../support/stack.ts';
import { type TestTable, tableOf } from '../../support/table.ts';
import { waitUntil } from '../../support/wait-until.ts';
import {
  codesOf,
  isReplay,
  newWebhook,
  ownerOf,
  pathOf,
  publishEvents,
  together,
  underKey,
  waitForDeliveries,
  webhookBody,
} from './new-webhook.ts';

let stack: Stack;
let table: TestTable;
beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  table = tableOf(stack);
});
afterAll(() => stack.close());

const create = (api: Api, options = {}) => api.post('/api/webhooks', webhookBody(), options);
const remove = (api: Api, id: string, options = {}) => api.delete(pathOf({ id }), options);

/** The ids of all endpoints, after the list, its total and the count that is kept were found to agree. */
async function allOf(account: TestAccount): Promise<string[]> {
  const { data, pagination } = (await account.test.get('/api/webhooks?limit=100')).json;
  const registry = await table.get(keys.webhook(ownerOf(account), 'REGISTRY'));
  expect([pagination.total, registry?.count ?? 0]).toEqual([data.length, data.length]);
  return data.map(({ id }: { id: string }) => id);
}

test('of 30 creations at once 20 take effect, the others are told why not', async () => {
  const account = await newAccount(stack.baseUrl);
  const responses = await together(30, (index) =>
    create(account.test, index % 3 === 0 ? underKey(`key ${index}`) : {}),
  );
  expect(codesOf(responses)).toEqual([...Array(20).fill(201), ...Array(10).fill('webhook_limit_reached')]);
  const made = responses.filter(({ status }) => status === 201).map(({ json }) => json);
  expect(new Set(made.map(({ secret }) => secret)).size).toBe(20);
  expect((await allOf(account)).sort()).toEqual(made.map(({ id }) => id).sort());
});

test.each([
  ['none', 0],
  ['19', 19],
])(
  '30 creations under one key, where there are %s: one endpoint, one answer with one secret',
  async (_, before) => {
    const account = await newAccount(stack.baseUrl);
    for (let count = 0; count < before; count++) await newWebhook(account.test);
    const responses = await together(30, () => create(account.test, underKey('one')));
    const [text] = responses.map((response) => response.text);
    for (const response of responses) expect([response.status, response.text]).toEqual([201, text]);
    expect(responses.filter((response) => !isReplay(response))).toHaveLength(1);
    const again = await create(account.test, underKey('one'));
    expect([again.status, again.text, isReplay(again)]).toEqual([201, text, true]);
    const ids = await allOf(account);
    expect(ids).toHaveLength(before + 1);
    expect(ids[0]).toBe(JSON.parse(text ?? '').id);
  },
);

test('whatever creations and deletions come at once, the count is what is there, and never above 20', async () => {
  const account = await newAccount(stack.baseUrl);
  const { test: api } = account;
  const expected = new Set<string>();
  for (let round = 0; round < 4; round++) {
    const there = [...expected];
    const work = await together(24, async (index) => {
      const id = there[index >> 1];
      // Every second one deletes; each endpoint twice, once under a key.
      if (id && index % 2 === 0) return { id, response: await remove(api, id, underKey(`delete ${id}`)) };
      if (id && index % 4 === 1) return { id, response: await remove(api, id) };
      return { id: undefined, response: await create(api) };
    });
    for (const { id, response } of work) {
      if (id === undefined && response.status === 201) expected.add(response.json.id);
      else if (id === undefined) expect(codesOf([response])).toEqual(['webhook_limit_reached']);
      else expect([200, 'webhook_not_found']).toContain(codesOf([response])[0]);
    }
    for (const id of new Set(work.flatMap(({ id: deleted }) => deleted ?? []))) {
      const wins = work.filter(({ id: of, response }) => of === id && response.status === 200);
      expect(wins).toHaveLength(1);
      expected.delete(id);
    }
    const ids = await allOf(account);
    expect(ids.sort()).toEqual([...expected].sort());
    expect(ids.length).toBeLessThanOrEqual(20);
  }
  expect(expected.size).toBeGreaterThan(0);
});

test('of 10 deletions of one endpoint at once one takes effect; under one key all have its answer', async () => {
  const account = await newAccount(stack.baseUrl);
  const { test: api } = account;
  const [one, other] = [await newWebhook(api), await newWebhook(api)];
  const responses = await together(10, () => remove(api, one.id));
  expect(codesOf(responses)).toEqual([200, ...Array(9).fill('webhook_not_found')]);
  expect(await allOf(account)).toEqual([other.id]);
  const alike = await together(10, () => remove(api, other.id, underKey('delete')));
  expect(new Set(alike.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  expect([alike[0]?.status, alike.filter((response) => !isReplay(response)).length]).toEqual([200, 1]);
  expect(await allOf(account)).toEqual([]);
});

test('changes of one endpoint at once all take effect, one after another', async () => {
  const { test: api } = await newAccount(stack.baseUrl);
  const webhook = await newWebhook(api);
  const fields = [
    { description: 'x' },
    { events: ['invoice.paid'] },
    { status: 'disabled' },
    { url: 'http://127.0.0.1:10/' },
  ];
  const changed = together(4, (index) => api.patch(pathOf(webhook), fields[index]));
  const rotated = together(3, () => api.post(pathOf(webhook, '/rotate-secret')));
  const responses = [...(await changed), ...(await rotated)];
  for (const { status } of responses) expect(status).toBe(200);
  expect(new Set(responses.map(({ json }) => json.updatedAt)).size).toBe(7);
  const { secret: _, ...before } = webhook;
  expect((await api.get(pathOf(webhook))).json).toEqual({
    ...Object.assign({}, before, ...fields),
    ...{ disabledReason: 'manual', updatedAt: expect.any(String) },
  });
});

test('a change against a deletion: it takes effect before, or finds nothing', async () => {
  const account = await newAccount(stack.baseUrl);
  const { test: api } = account;
  for (let round = 0; round < 10; round++) {
    const webhook = await newWebhook(api);
    const [changed, deleted] = await Promise.all([
      round % 2
        ? api.patch(pathOf(webhook), { description: 'x' }, round % 4 === 1 ? underKey(`patch ${round}`) : {})
        : api.post(pathOf(webhook, '/rotate-secret'), {}, round % 4 === 0 ? underKey(`rotate ${round}`) : {}),
      remove(api, webhook.id),
    ]);
    expect(deleted.status).toBe(200);
    expect([200, 'webhook_not_found']).toContain(codesOf([changed])[0]);
    expect((await api.get(pathOf(webhook))).status).toBe(404);
  }
  expect(await allOf(account)).toEqual([]);
});

test.each(['test', 'redelivery', 'recovery'] as const)(
  'a %s repeated under its key at the same time has its answer, also if the endpoint is deleted before the repetition looks at it',
  async (what) => {
    const account = await newAccount(stack.baseUrl);
    const { test: api } = account;
    const webhook = await newWebhook(api);
    await publishEvents(ownerOf(account), ['invoice.paid']);
    const [delivery] = await waitForDeliveries(api, webhook, 'it was attempted', ([one]) => one?.attempts[0]);
    const rest = { test: '/test', redelivery: `/deliveries/${delivery.id}/redeliver`, recovery: '/recover' };
    const body = what === 'recovery' ? { since: '2026-01-01T00:00:00Z' } : undefined;
    const send = () => api.post(pathOf(webhook, rest[what]), body, underKey('one'));

    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    let [isHeld, hasLooked] = [false, false];
    const interception = intercept(async ({ operation, body: sent }, pass) => {
      if (operation !== 'GetItem') return pass();
      if (!isHeld && sent.includes('WEBHOOKS#')) {
        isHeld = true;
        await released;
      }
      const answer = await pass();
      hasLooked ||= sent.includes('IDEMPOTENCY#');
      return answer;
    });
    try {
      const repetition = send();
      await waitUntil('it has found no answer', () => isHeld && hasLooked);
      const first = await send();
      expect([first.status, isReplay(first)]).toEqual([200, false]);
      expect((await remove(api, webhook.id)).status).toBe(200);
      release();
      const { status, text, headers } = await repetition;
      expect([status, text]).toEqual([200, first.text]);
      expect(headers['idempotent-replayed']).toBe('true');
    } finally {
      interception.remove();
    }
  },
);
