/** Tests PATCH /api/webhooks/:id: the fields that it changes, and the requests that it rejects. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Stack } from '../../../infra/local/stack.ts';
import { eventTypes } from '../../../shared/domain/events/event.ts';
import { tableKeys } from '../../../shared/store/keys.ts';
import { type Api, newAccount, type TestAccount } from '../../support/api.ts';
import { stopClock, type TestClock } from '../../support/clock.ts';
import { expectError } from '../../support/expectations.ts';
import { startTestStack } from '../../support/stack.ts';
import { type TestTable, tableOf } from '../../support/table.ts';
import type { Row } from '../invoices/fields.ts';
import {
  badEvents,
  badStatuses,
  badUrls,
  badWebhookDescriptions,
  goodEvents,
  goodWebhookDescriptions,
} from './fields.ts';
import {
  isReplay,
  newWebhook,
  ownerOf,
  underKey,
  unknownWebhookId,
  unreachableUrl,
  webhookPath,
} from './new-webhook.ts';
import { startMailboxReceiver } from './receiver.ts';

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
  await deleteOthers(shown.id);
  return shown;
};
/** Deletes all other endpoints, because 20 would be the limit. */
const deleteOthers = async (kept: string) => {
  const { data } = (await api.get('/api/webhooks')).json;
  for (const { id } of data) if (id !== kept) await api.delete(webhookPath({ id }));
};
const update = (of: { id: string }, body?: unknown, options = {}) =>
  api.patch(webhookPath(of), body, options);
const withField = (field: string, json: string) =>
  JSON.stringify({ [field]: '@' }).replace('"@"', () => json);

test.each<[string, unknown, object?]>([
  ['url', 'https://127.0.0.1/other'],
  ['events', ['invoice.overdue', 'invoice.paid'], { eventTypes: ['invoice.paid', 'invoice.overdue'] }],
  ['events', ['all'], { eventTypes }],
  ['description', 'Shop'],
])('%s is changed to %j, and only updatedAt changes with it', async (field, value, derived = {}) => {
  const shown = await newShown({ description: 'before' });
  clock.advance(1000);
  const { status, json } = await update(shown, { [field]: value });
  expect(status).toBe(200);
  const updatedAt = new Date(clock.now()).toISOString();
  expect(json).toEqual({ ...shown, [field]: value, ...derived, updatedAt });
  expect((await api.get(webhookPath(shown))).json).toEqual(json);
});

test('description: null removes the description', async () => {
  const shown = await newShown({ description: 'before' });
  expect((await update(shown, { description: null })).json.description).toBeNull();
  expect((await api.get(webhookPath(shown))).json.description).toBeNull();
});

test.each<[string, object | undefined]>([
  ['no body', undefined],
  ['an empty body', {}],
  ['the present values', { url: unreachableUrl, events: ['*'], description: null, status: 'enabled' }],
])('%s: nothing changes, not even updatedAt', async (_, body) => {
  const shown = await newShown();
  const before = await table.get(tableKeys.webhook(ownerOf(account), shown.id));
  clock.advance(1000);
  for (const options of [{}, underKey(`same ${shown.id}`), underKey(`same ${shown.id}`)]) {
    const response = await update(shown, body, options);
    expect([response.status, response.json]).toEqual([200, shown]);
  }
  expect(await table.get(tableKeys.webhook(ownerOf(account), shown.id))).toEqual(before);
});

test('updatedAt rises with each change, also within one millisecond', async () => {
  const shown = await newShown();
  let last = shown.updatedAt;
  for (const description of ['1', '2', '3']) {
    const { updatedAt } = (await update(shown, { description })).json;
    expect(updatedAt > last).toBe(true);
    last = updatedAt;
  }
});

test('an endpoint that its owner disables has the reason manual, and after enabling it has no reason', async () => {
  const shown = await newShown();
  const disabled = (await update(shown, { status: 'disabled' })).json;
  expect([disabled.status, disabled.disabledReason]).toEqual(['disabled', 'manual']);
  const again = (await update(shown, { status: 'disabled', description: 'x' })).json;
  expect([again.disabledReason, again.description]).toEqual(['manual', 'x']);
  const enabled = (await update(shown, { status: 'enabled' })).json;
  expect([enabled.status, enabled.disabledReason]).toEqual(['enabled', null]);
});

test('enabling an endpoint that failures disabled deletes its health', async () => {
  const { shouldDisable } = await import('../../../shared/domain/webhooks/health.ts');
  const { recordFailure } = await import('../../../shared/domain/webhooks/health-store.ts');
  const shown = await newShown();
  const owner = ownerOf(account);
  const day = 86_400_000;
  const began = clock.now() - 6 * day;
  for (let count = 0; count < 10; count++)
    await recordFailure(
      shown.id,
      { final: true, openUntil: began, openMs: 30_000 },
      began + count * (day / 2),
    );
  const item = await table.get(tableKeys.webhook(owner, shown.id));
  await table.put({ ...item, status: 'disabled', disabledReason: 'failing', version: item?.version + 1 });

  await update(shown, { description: 'still disabled' });
  expect(shouldDisable(await recordFailure(shown.id, { final: true }, clock.now()), clock.now())).toBe(true);
  expect((await update(shown, { status: 'enabled' })).json).toMatchObject({
    status: 'enabled',
    disabledReason: null,
  });
  const health = await recordFailure(shown.id, { final: true }, clock.now());
  expect(health).toMatchObject({ failingSince: clock.now(), failures: 1 });
  expect(health).not.toHaveProperty('openUntil');
});

describe.each([
  ['events', goodEvents],
  ['description', goodWebhookDescriptions],
])('%s', (field, rows: Row[]) => {
  test('every valid value is accepted', async () => {
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
  ['description', 'invalid_description', badWebhookDescriptions],
  ['status', 'invalid_status', badStatuses],
])('%s', (field, code, rows: Row[]) => {
  test(`400 ${code} for every invalid value, and nothing changes`, async () => {
    const shown = await newShown();
    for (const [name, json] of rows) {
      const response = await update(shown, withField(field, json));
      expect({ name, code: response.json.error?.code }).toEqual({ name, code });
      expectError(response, 400, code, response.json.error.field);
      expect(response.json.error.field.replace(/\.\d+$/, '')).toBe(field);
      expect(response.json.error.message).toContain(`${field} must`);
    }
    expect((await api.get(webhookPath(shown))).json).toEqual(shown);
  });
});

test('a forbidden address is rejected before the endpoint is read; unknown endpoints are 404', async () => {
  const url = 'https://10.0.0.1/';
  expectError(await update({ id: unknownWebhookId }, { url }), 400, 'invalid_url', 'url');
  expectError(await update({ id: unknownWebhookId }, { url: unreachableUrl }), 404, 'webhook_not_found');
  expectError(await update({ id: unknownWebhookId }, {}), 404, 'webhook_not_found');
  const { id } = await newShown();
  for (const stranger of [account.live, (await newAccount(stack.baseUrl)).test])
    expectError(await stranger.patch(webhookPath({ id }), { description: 'x' }), 404, 'webhook_not_found');
});

test('a new URL must have a port of a web server', async () => {
  const shown = await newShown();
  expectError(await update(shown, { url: 'https://1.1.1.1:22/' }), 400, 'invalid_url', 'url');
  expect((await update(shown, { url: 'https://1.1.1.1:8443/' })).status).toBe(200);
});

test('an endpoint whose port the deployment no longer allows keeps it, and still receives events', async () => {
  const { setResolver } = await import('../../support/outbound.ts');
  const receiver = await startMailboxReceiver();
  const mailbox = receiver.mailbox();
  const { port, pathname } = new URL(mailbox.url);
  // No loopback name, so the rule for ports applies.
  const url = `http://old.example.com:${port}${pathname}`;
  const shown = await newShown();
  expectError(await update(shown, { url }), 400, 'invalid_url', 'url');
  const key = tableKeys.webhook({ account: account.accountId, mode: 'test' }, shown.id);
  await table.put({ ...(await table.get(key)), ...key, url });
  setResolver(async () => ['127.0.0.1']);
  try {
    expect((await update(shown, { url, description: 'Old' })).json).toMatchObject({
      url,
      description: 'Old',
    });
    const { json } = await api.post(webhookPath(shown, '/test'));
    expect(json).toMatchObject({ succeeded: true, status: 200 });
    expect(mailbox.received).toHaveLength(1);
  } finally {
    setResolver();
    await receiver.close();
  }
});

test('fields are checked in order, unknown ones last', async () => {
  const shown = await newShown();
  let body: Record<string, unknown> = { url: 7, events: [], description: ' ', status: 'on', secret: 'x' };
  const right = { url: unreachableUrl, events: ['*'], description: 'x', status: 'disabled' };
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
  for (const field of ['version', 'number'])
    expectError(await update(shown, { [field]: 'x' }), 400, 'unknown_parameter', field);
  expect((await api.get(webhookPath(shown))).json).toEqual(shown);
});

test('an endpoint can be sent back as it was received, and read-only fields only with their current value', async () => {
  const shown = await newShown();
  const same = await update(shown, shown);
  expect([same.status, same.json]).toEqual([200, shown]);
  const { json } = await update(shown, { ...shown, status: 'disabled' });
  expect(json).toEqual({ ...shown, status: 'disabled', disabledReason: 'manual', updatedAt: json.updatedAt });
  const enabled = await update(shown, { ...json, status: 'enabled' });
  expect(enabled.json).toEqual({ ...shown, updatedAt: enabled.json.updatedAt });
  for (const field of ['id', 'eventTypes', 'disabledReason', 'createdAt', 'updatedAt'])
    for (const value of ['x', '', 7, {}, [...shown.eventTypes, 'x']]) {
      const refused = await update(shown, { [field]: value, description: 'New' });
      expectError(refused, 400, 'immutable_field', field);
      expect(refused.json.error.message).toMatch(
        /^\w+ is read-only\. Leave it out or send its current value\./,
      );
    }
  expect((await api.get(webhookPath(shown))).json).toEqual(enabled.json);
});

test('under a key an update takes effect once, and a later repetition gets the first response', async () => {
  const shown = await newShown();
  const key = underKey(`once ${shown.id}`);
  const first = await update(shown, { description: 'one' }, key);
  await update(shown, { description: 'two' });
  const again = await update(shown, { description: 'one' }, key);
  expect([again.text, isReplay(again)]).toEqual([first.text, true]);
  expect((await api.get(webhookPath(shown))).json.description).toBe('two');
});
