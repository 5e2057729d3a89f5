/** Tests the versions that API keys and webhook endpoints store. */
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { readKeyItem } from '../../shared/domain/auth/key-item-store.ts';
import { permissions } from '../../shared/domain/auth/permissions.ts';
import { newKey } from '../contract/examples.ts';
import { type Api, apiOf, newAccount, type TestAccount } from '../support/api.ts';
import { expectError } from '../support/expectations.ts';
import { startTestStack } from '../support/stack.ts';
import { tableOf } from '../support/table.ts';
import { untilRelayed } from '../support/until-relayed.ts';
import { newWebhook, webhookPath } from './webhooks/new-webhook.ts';
import { type MailboxReceiver, startMailboxReceiver, verify } from './webhooks/receiver.ts';

const [first, second] = ['2026-11-21', '2026-11-23'];
const inSecond = { headers: { 'X-API-Version': second } };
let stack: Stack;
let receiver: MailboxReceiver;
let account: TestAccount;
let api: Api;
let manager: Api;
beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  receiver = await startMailboxReceiver();
});
beforeEach(async () => {
  account = await newAccount(stack.baseUrl);
  api = account.test;
  manager = apiOf(stack.baseUrl, await newKey(account, { permissions }));
});
afterAll(async () => {
  await stack?.close();
  await receiver?.close();
});

const versionFor = async (apiKey: string, path = '/api/invoices') =>
  (await apiOf(stack.baseUrl, apiKey).get(path)).headers['x-api-version'];

test('a key keeps the version that it was created for, also when it is rolled over', async () => {
  const created = await manager.post('/api/keys', { name: 'New', apiVersion: second }, inSecond);
  expect([created.status, created.json.apiVersion]).toEqual([201, second]);
  expect(await versionFor(created.json.value)).toBe(second);
  expect(await versionFor(created.json.value, '/api/none')).toBe(second);
  const asked = await apiOf(stack.baseUrl, created.json.value).get('/api/invoices', {
    headers: { 'X-API-Version': first },
  });
  expect(asked.headers['x-api-version']).toBe(first);
  const path = `/api/keys/${created.json.id}`;
  const rolled = await manager.post(`${path}/roll-over`, {}, inSecond);
  expect([rolled.json.apiVersion, await versionFor(rolled.json.value)]).toEqual([second, second]);
  expect((await manager.get(path)).json).not.toHaveProperty('apiVersion');
});

test('a key that names no version has that of the calling key, in whatever version it was created', async () => {
  const { json } = await manager.post('/api/keys', { name: 'New' }, inSecond);
  expect([json.apiVersion, await versionFor(json.value)]).toEqual([first, first]);
  const newer = { name: 'Newer', apiVersion: second, permissions };
  const moved = apiOf(stack.baseUrl, (await manager.post('/api/keys', newer, inSecond)).json.value);
  const { json: child } = await moved.post('/api/keys', { name: 'Child' });
  expect([child.apiVersion, await versionFor(child.value)]).toEqual([second, second]);
  const inFirst = { headers: { 'X-API-Version': first } };
  expect(await versionFor((await moved.post('/api/keys', { name: 'Other' }, inFirst)).json.value)).toBe(
    second,
  );
});

test('a key is moved to another version from the next request on, and only if it is asked for', async () => {
  const { json } = await manager.post('/api/keys', { name: 'New' });
  const path = `/api/keys/${json.id}`;
  await manager.patch(path, { note: 'Not moved' }, inSecond);
  expect(await versionFor(json.value)).toBe(first);
  const moved = await manager.patch(path, { apiVersion: second }, inSecond);
  expect([moved.status, moved.json.apiVersion, moved.json.note]).toEqual([200, second, 'Not moved']);
  expect(await versionFor(json.value)).toBe(second);
  await untilRelayed(tableOf(stack), `${account.accountId}#test`);
  const { data } = (await manager.get('/api/audit-log')).json;
  expect(data[0]).toMatchObject({ action: 'key.update', resource: json.id });
  expect(data[0].changes).toEqual([{ field: 'apiVersion', before: first, after: second }]);
  await manager.patch(path, { apiVersion: first }, inSecond);
  expect(await versionFor(json.value)).toBe(first);
});

test('the version survives a change of the other keys of the account', async () => {
  const { json } = await manager.post('/api/keys', { name: 'New', apiVersion: second }, inSecond);
  await manager.post('/api/keys', { name: 'Other' });
  await manager.patch(`/api/keys/${json.id}`, { allowedAddresses: ['127.0.0.1'] });
  expect(await versionFor(json.value)).toBe(second);
  const { hashApiKey } = await import('../../shared/domain/auth/api-key.ts');
  expect(
    await readKeyItem({
      owner: { account: account.accountId, mode: 'test' },
      keyHash: hashApiKey(json.value),
    }),
  ).toMatchObject({ apiVersion: second });
});

test('in the first version, apiVersion is an unknown field, and the message says since when it exists', async () => {
  const { id } = await newWebhook(api);
  for (const response of [
    await manager.post('/api/keys', { name: 'New', apiVersion: second }),
    await manager.post('/api/keys', { name: 'New', apiVersion: 7 }),
    await api.patch(webhookPath({ id }), { apiVersion: second }),
    await manager.patch(`/api/keys/${(await manager.post('/api/keys', { name: 'X' })).json.id}`, {
      apiVersion: second,
    }),
  ]) {
    expectError(response, 400, 'unknown_parameter', 'apiVersion');
    expect(response.json.error.message).toContain(`send the header X-API-Version: ${second}.`);
  }
  const both = await manager.post('/api/keys', { name: '', apiVersion: second, color: 1 });
  expect(both.json.error.details.map(({ field }: { field: string }) => field)).toEqual([
    'name',
    'color',
    'apiVersion',
  ]);
});

test.each([null, '', '2020-01-01', 7, [second], '__proto__', '\0'])(
  'apiVersion %j is refused in the second version',
  async (apiVersion) => {
    const { id } = await newWebhook(api);
    const key = await manager.post('/api/keys', { name: 'New', apiVersion }, inSecond);
    const webhook = await api.patch(webhookPath({ id }), { apiVersion }, inSecond);
    for (const response of [key, webhook]) expectError(response, 400, 'invalid_api_version', 'apiVersion');
  },
);

test('an endpoint gets events in the version in which it was created, until it is changed', async () => {
  const mailbox = receiver.mailbox();
  const created = await newWebhook(api, { url: mailbox.url }, inSecond);
  expect(created.apiVersion).toBe(second);
  const path = webhookPath(created);
  const receive = async () => {
    await api.post(`${path}/test`);
    const message = mailbox.received.at(-1);
    if (!message) throw new Error('There is no message.');
    return (verify(created.secret, message) as { data: unknown }).data;
  };
  expect(await receive()).toMatchObject({ id: created.id, apiVersion: second });
  expect((await api.get(path)).json).not.toHaveProperty('apiVersion');
  const changed = await api.patch(path, { apiVersion: first }, inSecond);
  expect([changed.status, changed.json.apiVersion]).toEqual([200, first]);
  expect(await receive()).not.toHaveProperty('apiVersion');
  expect((await api.get(path, inSecond)).json.apiVersion).toBe(first);
});
