/** PATCH /api/webhooks/:id: what it sets, what it leaves alone, and what it refuses. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Stack } from '../../../infra/local/stack.ts';
import { keys } from '../../../shared/store/keys.ts';
import { type Api, newAccount, type TestAccount } from '../../support/api.ts';
import { stopClock, type TestClock } from '../../support/clock.ts';
import { expectError } from '../../support/expectations.ts';
import { startTestStack } from '../../support/stack.ts';
import { type TestTable, tableOf } from '../../support/table.ts';
import type { Row } from '../invoices/fields.ts';
import { badDescriptions, badEvents, badStatuses, badUrls, goodDescriptions, goodEvents } from './fields.ts';
import { isReplay, newWebhook, nowhere, ownerOf, pathOf, underKey, unknownId } from './new-webhook.ts';

let stack: Stack;
let table: TestTable;
let clock: TestClock;
let account: TestAccount;
let api: Api;

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  table = tableOf(stack);
  clock = stopClock();
  account = await newAccount(stack.baseUrl);
  api = account.test;
});
afterAll(() => stack.close());

const newShown = async (fields = {}) => {
  const { secret: _, ...shown } = await newWebhook(api, fields);
  await makeRoom(shown.id);
  return shown;
};
/** Deletes all others, of which 20 would be too many. */
const makeRoom = async (but: string) => {
  const { data } = (await api.get('/api/webhooks')).json;
  for (const { id } of data) if (id !== but) await api.delete(pathOf({ id }));
};
const update = (of: { id: string }, body?: unknown, options = {}) => api.patch(pathOf(of), body, options);
const withField = (field: string, json: string) =>
  JSON.stringify({ [field]: '@' }).replace('"@"', () => json);

test.each<[string, unknown]>([
  ['url', 'https://127.0.0.1/other'],
  ['events', ['invoice.overdue', 'invoice.paid']],
  ['description', 'Shop'],
])('%s is set, and nothing else but updatedAt', async (field, value) => {
  const shown = await newShown({ description: 'before' });
  clock.advance(1000);
  const { status, json } = await update(shown, { [field]: value });
  expect(status).toBe(200);
  const updatedAt = new Date(clock.now()).toISOString();
  expect(json).toEqual({ ...shown, [field]: value, updatedAt });
  expect((await api.get(pathOf(shown))).json).toEqual(json);
});

test('description: null takes it away', async () => {
  const shown = await newShown({ description: 'before' });
  expect((await update(shown, { description: null })).json.description).toBeNull();
  expect((await api.get(pathOf(shown))).json.description).toBeNull();
});

test.each<[string, object | undefined]>([
  ['no body', undefined],
  ['an empty body', {}],
  ['the same', { url: nowhere, events: ['*'], description: null, status: 'enabled' }],
])('nothing new: %s; nothing changes, not even updatedAt', async (_, body) => {
  const shown = await newShown();
  const before = await table.get(keys.webhook(ownerOf(account), shown.id));
  clock.advance(1000);
  for (const options of [{}, underKey(`same ${shown.id}`), underKey(`same ${shown.id}`)]) {
    const response = await update(shown, body, options);
    expect([response.status, response.json]).toEqual([200, shown]);
  }
  expect(await table.get(keys.webhook(ownerOf(account), shown.id))).toEqual(before);
});

test('updatedAt becomes later with each change, also within a millisecond', async () => {
  const shown = await newShown();
  let last = shown.updatedAt;
  for (const description of ['1', '2', '3']) {
    const { updatedAt } = (await update(shown, { description })).json;
    expect(updatedAt > last).toBe(true);
    last = updatedAt;
  }
});

test('disabled by hand the reason is manual; enabled again there is none', async () => {
  const shown = await newShown();
  const off = (await update(shown, { status: 'disabled' })).json;
  expect([off.status, off.disabledReason]).toEqual(['disabled', 'manual']);
  const again = (await update(shown, { status: 'disabled', description: 'x' })).json;
  expect([again.disabledReason, again.description]).toEqual(['manual', 'x']);
  const on = (await update(shown, { status: 'enabled' })).json;
  expect([on.status, on.disabledReason]).toEqual(['enabled', null]);
});

test('one that was given up begins anew when it is enabled: its failures are forgotten', async () => {
  const { isGivenUp } = await import('../../../shared/webhooks/health.ts');
  const { noteFailure } = await import('../../../shared/webhooks/health-store.ts');
  const shown = await newShown();
  const owner = ownerOf(account);
  const day = 86_400_000;
  const began = clock.now() - 6 * day;
  for (let count = 0; count < 10; count++)
    await noteFailure(shown.id, { final: true, openUntil: began, openMs: 30_000 }, began + count * (day / 2));
  const item = await table.get(keys.webhook(owner, shown.id));
  await table.put({ ...item, status: 'disabled', disabledReason: 'failing', version: item?.version + 1 });

  await update(shown, { description: 'still disabled' });
  expect(isGivenUp(await noteFailure(shown.id, { final: true }, clock.now()), clock.now())).toBe(true);
  expect((await update(shown, { status: 'enabled' })).json).toMatchObject({
    ...{ status: 'enabled', disabledReason: null },
  });
  const health = await noteFailure(shown.id, { final: true }, clock.now());
  expect(health).toMatchObject({ failingSince: clock.now(), failures: 1 });
  expect(health).not.toHaveProperty('openUntil');
});

describe.each([
  ['events', goodEvents],
  ['description', goodDescriptions],
])('%s', (field, rows: Row[]) => {
  test('every good value is taken', async () => {
    const shown = await newShown();
    for (const [name, json] of rows) {
      const response = await update(shown, withField(field, json));
      expect({ name, value: response.json[field] }).toEqual({ name, value: JSON.parse(json) });
    }
  });
});

describe.each([
  ['url', 'invalid_url', badUrls],
  ['events', 'invalid_events', badEvents],
  ['description', 'invalid_description', badDescriptions],
  ['status', 'invalid_status', badStatuses],
])('%s', (field, code, rows: Row[]) => {
  test(`400 ${code} for every bad value, and nothing changes`, async () => {
    const shown = await newShown();
    for (const [name, json] of rows) {
      const response = await update(shown, withField(field, json));
      expect({ name, code: response.json.error?.code }).toEqual({ name, code });
      expectError(response, 400, code, response.json.error.field);
      expect(response.json.error.field.replace(/\.\d+$/, '')).toBe(field);
      expect(response.json.error.message).toContain(`${field} must`);
    }
    expect((await api.get(pathOf(shown))).json).toEqual(shown);
  });
});

test('an address that may not be called is refused before the endpoint is looked for; others are 404', async () => {
  const url = 'https://10.0.0.1/';
  expectError(await update({ id: unknownId }, { url }), 400, 'invalid_url', 'url');
  expectError(await update({ id: unknownId }, { url: nowhere }), 404, 'webhook_not_found');
  expectError(await update({ id: unknownId }, {}), 404, 'webhook_not_found');
  const { id } = await newShown();
  for (const stranger of [account.live, (await newAccount(stack.baseUrl)).test])
    expectError(await stranger.patch(pathOf({ id }), { description: 'x' }), 404, 'webhook_not_found');
});

test('fields are judged in their order, unknown ones last', async () => {
  const shown = await newShown();
  let body: Record<string, unknown> = { url: 7, events: [], description: ' ', status: 'on', secret: 'x' };
  const right = { url: nowhere, events: ['*'], description: 'x', status: 'disabled' };
  for (const [field, code] of [
    ['url', 'invalid_url'],
    ['events', 'invalid_events'],
    ['description', 'invalid_description'],
    ['status', 'invalid_status'],
    ['secret', 'unknown_parameter'],
  ] as const) {
    expectError(await update(shown, Object.fromEntries(Object.entries(body).reverse())), 400, code, field);
    body = { ...body, [field]: (right as Record<string, unknown>)[field] };
  }
  for (const field of ['id', 'disabledReason', 'createdAt', 'updatedAt', 'version', 'number'])
    expectError(await update(shown, { [field]: 'x' }), 400, 'unknown_parameter', field);
  expect((await api.get(pathOf(shown))).json).toEqual(shown);
});

test('under a key it takes effect once: the repetition is the first answer, whatever came between', async () => {
  const shown = await newShown();
  const key = underKey(`once ${shown.id}`);
  const first = await update(shown, { description: 'one' }, key);
  await update(shown, { description: 'two' });
  const again = await update(shown, { description: 'one' }, key);
  expect([again.text, isReplay(again)]).toEqual([first.text, true]);
  expect((await api.get(pathOf(shown))).json.description).toBe('two');
});
