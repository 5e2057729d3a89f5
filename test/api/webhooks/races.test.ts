/** Tests webhook endpoints that are created, changed and deleted concurrently: at most 20, with an exact count. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../../infra/local/stack.ts';
import { tableKeys } from '../../../shared/store/keys.ts';
import { type Api, newAccount, type TestAccount } from '../../support/api.ts';
import { interceptCalls } from '../../support/intercept-calls.ts';
import { startTestStack } from '../../support/stack.ts';
import { type TestTable, tableOf } from '../../support/table.ts';
import { waitUntil } from '../../support/wait-until.ts';
import {
  codesOf,
  isReplay,
  newWebhook,
  ownerOf,
  relaySampleEvents,
  repeatInParallel,
  underKey,
  waitForDeliveries,
  webhookBody,
  webhookPath,
} from './new-webhook.ts';

let stack: Stack;
let table: TestTable;
beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  table = tableOf(stack);
});
afterAll(() => stack.close());

const create = (api: Api, options = {}) => api.post('/api/webhooks', webhookBody(), options);
const remove = (api: Api, id: string, options = {}) => api.delete(webhookPath({ id }), options);

/** Expects that the list, its total and the stored count agree. Returns the ids of all endpoints. */
async function allOf(account: TestAccount): Promise<string[]> {
  const { data, pagination } = (await account.test.get('/api/webhooks?limit=100')).json;
  const registry = await table.get(tableKeys.webhook(ownerOf(account), 'REGISTRY'));
  expect([pagination.total, registry?.count ?? 0]).toEqual([data.length, data.length]);
  return data.map(({ id }: { id: string }) => id);
}

test('20 of 30 concurrent creations succeed, and the others get an error', async () => {
  const account = await newAccount(stack.baseUrl);
  const responses = await repeatInParallel(30, (index) =>
    create(account.test, index % 3 === 0 ? underKey(`key ${index}`) : {}),
  );
  expect(codesOf(responses)).toEqual([...Array(20).fill(201), ...Array(10).fill('webhook_limit_reached')]);
  const created = responses.filter(({ status }) => status === 201).map(({ json }) => json);
  expect(new Set(created.map(({ secret }) => secret)).size).toBe(20);
  expect((await allOf(account)).sort()).toEqual(created.map(({ id }) => id).sort());
});

test.each([
  ['none', 0],
  ['19', 19],
])(
  '30 concurrent creations under one key, with %s existing endpoints: one endpoint, one response, one secret',
  async (_, before) => {
    const account = await newAccount(stack.baseUrl);
    for (let count = 0; count < before; count++) await newWebhook(account.test);
    const responses = await repeatInParallel(30, () => create(account.test, underKey('one')));
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

test('concurrent creations and deletions leave the correct count, which is never above 20', async () => {
  const account = await newAccount(stack.baseUrl);
  const { test: api } = account;
  const expected = new Set<string>();
  for (let round = 0; round < 4; round++) {
    const existing = [...expected];
    const work = await repeatInParallel(24, async (index) => {
      const id = existing[index >> 1];
      // Every second request deletes. Each endpoint is deleted twice, once under a key.
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
      const successes = work.filter((done) => done.id === id && done.response.status === 200);
      expect(successes).toHaveLength(1);
      expected.delete(id);
    }
    const ids = await allOf(account);
    expect(ids.sort()).toEqual([...expected].sort());
    expect(ids.length).toBeLessThanOrEqual(20);
  }
  expect(expected.size).toBeGreaterThan(0);
});

test('one of 10 concurrent deletions of an endpoint succeeds; under one key all get its response', async () => {
  const account = await newAccount(stack.baseUrl);
  const { test: api } = account;
  const [one, other] = [await newWebhook(api), await newWebhook(api)];
  const responses = await repeatInParallel(10, () => remove(api, one.id));
  expect(codesOf(responses)).toEqual([200, ...Array(9).fill('webhook_not_found')]);
  expect(await allOf(account)).toEqual([other.id]);
  const repeated = await repeatInParallel(10, () => remove(api, other.id, underKey('delete')));
  expect(new Set(repeated.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  expect([repeated[0]?.status, repeated.filter((response) => !isReplay(response)).length]).toEqual([200, 1]);
  expect(await allOf(account)).toEqual([]);
});

test('concurrent changes of one endpoint all take effect, one after another', async () => {
  const { test: api } = await newAccount(stack.baseUrl);
  const webhook = await newWebhook(api);
  const fields = [
    { description: 'x' },
    { events: ['invoice.paid'] },
    { status: 'disabled' },
    { url: 'http://127.0.0.1:10/' },
  ];
  const changed = repeatInParallel(4, (index) => api.patch(webhookPath(webhook), fields[index]));
  const rotated = repeatInParallel(3, () => api.post(webhookPath(webhook, '/rotate-secret')));
  const responses = [...(await changed), ...(await rotated)];
  for (const { status } of responses) expect(status).toBe(200);
  expect(new Set(responses.map(({ json }) => json.updatedAt)).size).toBe(7);
  const { secret: _, ...before } = webhook;
  expect((await api.get(webhookPath(webhook))).json).toEqual({
    ...Object.assign({}, before, ...fields),
    eventTypes: ['invoice.paid'],
    disabledReason: 'manual',
    updatedAt: expect.any(String),
  });
});

test('a change that runs concurrently with a deletion either takes effect first or is 404', async () => {
  const account = await newAccount(stack.baseUrl);
  const { test: api } = account;
  for (let round = 0; round < 10; round++) {
    const webhook = await newWebhook(api);
    const [changed, deleted] = await Promise.all([
      round % 2
        ? api.patch(
            webhookPath(webhook),
            { description: 'x' },
            round % 4 === 1 ? underKey(`patch ${round}`) : {},
          )
        : api.post(
            webhookPath(webhook, '/rotate-secret'),
            {},
            round % 4 === 0 ? underKey(`rotate ${round}`) : {},
          ),
      remove(api, webhook.id),
    ]);
    expect(deleted.status).toBe(200);
    expect([200, 'webhook_not_found']).toContain(codesOf([changed])[0]);
    expect((await api.get(webhookPath(webhook))).status).toBe(404);
  }
  expect(await allOf(account)).toEqual([]);
});

test.each(['test', 'redelivery', 'recovery'] as const)(
  'a concurrent repetition of a %s gets the same response, even if the endpoint is deleted before it is read',
  async (operationName) => {
    const account = await newAccount(stack.baseUrl);
    const { test: api } = account;
    const webhook = await newWebhook(api);
    await relaySampleEvents(ownerOf(account), ['invoice.paid']);
    const [delivery] = await waitForDeliveries(
      api,
      webhook,
      'an attempt was made',
      ([one]) => one?.attempts[0],
    );
    const paths = { test: '/test', redelivery: `/deliveries/${delivery.id}/redeliver`, recovery: '/recover' };
    const body = operationName === 'recovery' ? { since: '2026-01-01T00:00:00Z' } : undefined;
    const send = () => api.post(webhookPath(webhook, paths[operationName]), body, underKey('one'));

    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    let [isDelayed, hasReadKey] = [false, false];
    const interception = interceptCalls(async ({ operation, body: sent }, pass) => {
      if (operation !== 'GetItem') return pass();
      if (!isDelayed && sent.includes('WEBHOOKS#')) {
        isDelayed = true;
        await released;
      }
      const response = await pass();
      hasReadKey ||= sent.includes('IDEMPOTENCY#');
      return response;
    });
    try {
      const repetition = send();
      await waitUntil('the repetition has found no stored response', () => isDelayed && hasReadKey);
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
