/** POST /api/webhooks: which bodies it takes, what it says of all others, and that there are 20 endpoints at most. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Stack } from '../../../infra/local/stack.ts';
import { type Api, newAccount, type TestAccount } from '../../support/api.ts';
import { expectError, expectHeaders } from '../../support/expectations.ts';
import { startTestStack } from '../../support/stack.ts';
import type { Row } from '../invoices/fields.ts';
import { badDescriptions, badEvents, badUrls, goodDescriptions, goodEvents, goodUrls } from './fields.ts';
import { isReplay, newWebhook, nowhere, pathOf, timestamp, underKey, webhookBody } from './new-webhook.ts';

let stack: Stack;
/** For what is refused. */
let account: TestAccount;
let api: Api;

beforeAll(async () => {
  stack = await startTestStack();
  account = await newAccount(stack.baseUrl);
  api = account.test;
});
afterAll(() => stack.close());

const newApi = async () => (await newAccount(stack.baseUrl)).test;
const post = (body?: unknown) => api.post('/api/webhooks', body);
const totalOf = async (of: Api) => (await of.get('/api/webhooks')).json.pagination.total;
const withField = (field: string, json: string, body: object = webhookBody()) =>
  JSON.stringify({ ...body, [field]: '@' }).replace('"@"', () => json);

test('201 with the endpoint and its secret: exactly these fields', async () => {
  const response = await (await newApi()).post('/api/webhooks', { url: nowhere, events: ['*'] });
  expect(response.status).toBe(201);
  expectHeaders(response);
  expect(response.json).toEqual({
    id: expect.stringMatching(/^wh_[0-9a-z]{26}$/),
    ...{ url: nowhere, events: ['*'], description: null, status: 'enabled', disabledReason: null },
    ...{ createdAt: timestamp, updatedAt: response.json.createdAt },
    secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
  });
});

describe.each([
  ['url', goodUrls],
  ['events', goodEvents],
  ['description', goodDescriptions],
])('%s', (field, rows: Row[]) => {
  test('every good value is taken, and shown as it was sent', async () => {
    const own = await newApi();
    for (const [name, json] of rows) {
      const { status, json: shown } = await own.post('/api/webhooks', withField(field, json));
      expect({ name, status, value: shown[field] }).toEqual({ name, status: 201, value: JSON.parse(json) });
      const { secret: _, ...rest } = shown;
      expect((await own.get(pathOf(shown))).json).toEqual(rest);
    }
  });
});

describe.each([
  ['url', 'invalid_url', badUrls],
  ['events', 'invalid_events', badEvents],
  ['description', 'invalid_description', badDescriptions],
])('%s', (field, code, rows: Row[]) => {
  test(`400 ${code} for every bad value, naming the field and what would be right; nothing is created`, async () => {
    for (const [name, json] of rows) {
      const response = await post(withField(field, json));
      expect({ name, code: response.json.error?.code }).toEqual({ name, code });
      const { field: told } = response.json.error;
      expect(told.replace(/\.\d+$/, '')).toBe(field);
      expectError(response, 400, code, told);
      expect(response.json.error.message).toContain(`${field} must`);
      expect(response.json.error.message).not.toContain('secret');
    }
    expect(await totalOf(api)).toBe(0);
  });
});

test('http is taken in test mode only; a live endpoint is https', async () => {
  const own = await newAccount(stack.baseUrl);
  expect((await own.test.post('/api/webhooks', webhookBody())).status).toBe(201);
  const refused = await own.live.post('/api/webhooks', webhookBody());
  expectError(refused, 400, 'invalid_url', 'url');
  expect(refused.json.error.message).toContain('https://');
  const https = nowhere.replace('http:', 'https:');
  expect((await own.live.post('/api/webhooks', webhookBody({ url: https }))).status).toBe(201);
});

test('an address of the service itself is refused, however it is spelled', async () => {
  const { port } = new URL(stack.baseUrl);
  for (const host of ['127.0.0.1', 'localhost', '127.1', '[::1]', '[::ffff:127.0.0.1]', '2130706433']) {
    const response = await post(webhookBody({ url: `http://${host}:${port}/pay/x` }));
    expectError(response, 400, 'invalid_url', 'url');
  }
});

test('nor may it be where the request itself has come to, whatever the address of the payment page', async () => {
  const own = await newApi();
  const { PAY_URL_BASE: payUrlBase } = process.env;
  process.env.PAY_URL_BASE = 'https://pay.example.com/pay';
  try {
    const url = `${stack.baseUrl}/api/events`;
    expectError(await own.post('/api/webhooks', webhookBody({ url })), 400, 'invalid_url', 'url');
    const { id } = await newWebhook(own);
    expectError(await own.patch(pathOf({ id }), { url }), 400, 'invalid_url', 'url');
  } finally {
    process.env.PAY_URL_BASE = payUrlBase;
  }
});

test('a name is judged by all of its addresses; one that has none is refused, one that cannot be looked up is not', async () => {
  const { setResolver } = await import('../../../shared/webhooks/target.ts');
  const absent = Object.assign(new Error('queryA ENOTFOUND'), { code: 'ENOTFOUND' });
  const failing = Object.assign(new Error('queryA ESERVFAIL'), { code: 'ESERVFAIL' });
  const names: Record<string, readonly string[] | Error> = {
    'public.example.com': ['93.184.215.14', '2606:2800:21f:cb07:6820:80da:af6b:8b2c'],
    'private.example.com': ['10.0.0.1'],
    'mixed.example.com': ['93.184.215.14', '10.0.0.1'],
    'metadata.example.com': ['169.254.169.254'],
    'absent.example.com': absent,
    'failing.example.com': failing,
  };
  setResolver(async (name) => {
    const found = names[name] ?? absent;
    if (found instanceof Error) throw found;
    return found;
  });
  try {
    const own = await newApi();
    for (const name of Object.keys(names)) {
      const response = await own.post('/api/webhooks', webhookBody({ url: `https://${name}/hooks` }));
      if (['public', 'failing'].includes(name.split('.')[0] ?? '')) expect(response.status).toBe(201);
      else expectError(response, 400, 'invalid_url', 'url');
    }
    expect(await totalOf(own)).toBe(2);
  } finally {
    setResolver();
  }
});

test('fields are judged in their order, unknown ones last', async () => {
  const right = webhookBody({ description: 'x' }) as Record<string, unknown>;
  let body: Record<string, unknown> = { url: 7, events: [], description: ' ', colour: 1 };
  for (const [field, code] of [
    ['url', 'invalid_url'],
    ['events', 'invalid_events'],
    ['description', 'invalid_description'],
    ['colour', 'unknown_parameter'],
  ] as const) {
    expectError(await post(Object.fromEntries(Object.entries(body).reverse())), 400, code, field);
    body = { ...body, [field]: right[field] };
  }
  for (const nothing of [undefined, '', {}]) expectError(await post(nothing), 400, 'invalid_url', 'url');
  expectError(await post({ url: nowhere }), 400, 'invalid_events', 'events');
  for (const field of ['id', 'secret', 'status', 'disabledReason', 'createdAt', 'overlapHours'])
    expectError(await post({ ...webhookBody(), [field]: 'x' }), 400, 'unknown_parameter', field);
});

test('the twentieth is the last, in each mode by itself; a deleted one makes room', async () => {
  const own = await newAccount(stack.baseUrl);
  const first = await newWebhook(own.test);
  for (let count = 2; count <= 20; count++) await newWebhook(own.test);
  const refused = await own.test.post('/api/webhooks', webhookBody());
  expectError(refused, 400, 'webhook_limit_reached');
  expect(refused.json.error.message).toContain('delete');
  expectError(
    await own.test.post('/api/webhooks', webhookBody({ events: [] })),
    400,
    'invalid_events',
    'events',
  );
  expect(await totalOf(own.test)).toBe(20);
  await newWebhook(own.live, { url: nowhere.replace('http:', 'https:') });
  expect((await own.test.delete(pathOf(first))).status).toBe(200);
  await newWebhook(own.test);
  expectError(await own.test.post('/api/webhooks', webhookBody()), 400, 'webhook_limit_reached');
  expect([await totalOf(own.test), await totalOf(own.live)]).toEqual([20, 1]);
});

test('refused for want of room it may be sent again under its key; done, it is shown again at the limit, too', async () => {
  const own = await newApi();
  const made = [];
  for (let count = 1; count <= 20; count++) made.push(await newWebhook(own, {}, underKey(`key ${count}`)));
  const send = (key: string) => own.post('/api/webhooks', webhookBody(), underKey(key));
  expectError(await send('another'), 400, 'webhook_limit_reached');
  const again = await send('key 20');
  expect([again.status, isReplay(again), again.json]).toEqual([201, true, made[19]]);
  await own.delete(pathOf(made[0]));
  expect((await send('another')).status).toBe(201);
});
