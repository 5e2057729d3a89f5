/** Tests POST /api/webhooks: the valid and invalid bodies, and the limit of 20 endpoints. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Stack } from '../../../infra/local/stack.ts';
import { commonEventTypes } from '../../../shared/domain/events/event.ts';
import { type Api, newAccount, type TestAccount } from '../../support/api.ts';
import { expectError, expectHeaders } from '../../support/expectations.ts';
import { startTestStack } from '../../support/stack.ts';
import type { Row } from '../invoices/fields.ts';
import {
  badEvents,
  badUrls,
  badWebhookDescriptions,
  goodEvents,
  goodUrls,
  goodWebhookDescriptions,
} from './fields.ts';
import {
  isReplay,
  newWebhook,
  timestamp,
  underKey,
  unreachableUrl,
  webhookBody,
  webhookPath,
} from './new-webhook.ts';

let stack: Stack;
/** The account for invalid requests. */
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
const totalOf = async (client: Api) => (await client.get('/api/webhooks')).json.pagination.total;
const withField = (field: string, json: string, body: object = webhookBody()) =>
  JSON.stringify({ ...body, [field]: '@' }).replace('"@"', () => json);

test('201 with the endpoint and its secret: exactly these fields', async () => {
  const response = await (await newApi()).post('/api/webhooks', { url: unreachableUrl, events: ['*'] });
  expect(response.status).toBe(201);
  expectHeaders(response);
  expect(response.json).toEqual({
    id: expect.stringMatching(/^wh_[0-9a-z]{26}$/),
    url: unreachableUrl,
    events: ['*'],
    eventTypes: commonEventTypes,
    description: null,
    status: 'enabled',
    disabledReason: null,
    createdAt: timestamp,
    updatedAt: response.json.createdAt,
    secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
  });
});

describe.each([
  ['url', goodUrls],
  ['events', goodEvents],
  ['description', goodWebhookDescriptions],
])('%s', (field, rows: Row[]) => {
  test('every valid value is accepted, and shown as it was sent', async () => {
    const own = await newApi();
    for (const [name, json] of rows) {
      const { status, json: shown } = await own.post('/api/webhooks', withField(field, json));
      expect({ name, status, value: shown[field] }).toEqual({ name, status: 201, value: JSON.parse(json) });
      const { secret: _, ...rest } = shown;
      expect((await own.get(webhookPath(shown))).json).toEqual(rest);
    }
  });
});

describe.each([
  ['url', 'invalid_url', badUrls],
  ['events', 'invalid_events', badEvents],
  ['description', 'invalid_description', badWebhookDescriptions],
])('%s', (field, code, rows: Row[]) => {
  test(`400 ${code} for every invalid value, with the field and a correction; nothing is created`, async () => {
    for (const [name, json] of rows) {
      const response = await post(withField(field, json));
      expect({ name, code: response.json.error?.code }).toEqual({ name, code });
      const { field: shown } = response.json.error;
      expect(shown.replace(/\.\d+$/, '')).toBe(field);
      expectError(response, 400, code, shown);
      expect(response.json.error.message).toContain(`${field} must`);
      expect(response.json.error.message).not.toContain('secret');
    }
    expect(await totalOf(api)).toBe(0);
  });
});

test('http is accepted only in test mode; a live endpoint must be https', async () => {
  const own = await newAccount(stack.baseUrl);
  expect((await own.test.post('/api/webhooks', webhookBody())).status).toBe(201);
  const rejected = await own.live.post('/api/webhooks', webhookBody());
  expectError(rejected, 400, 'invalid_url', 'url');
  expect(rejected.json.error.message).toContain('https://');
  const https = unreachableUrl.replace('http:', 'https:');
  expect((await own.live.post('/api/webhooks', webhookBody({ url: https }))).status).toBe(201);
});

test('an address of the service itself is rejected in every notation', async () => {
  const { port } = new URL(stack.baseUrl);
  for (const host of ['127.0.0.1', 'localhost', '127.1', '[::1]', '[::ffff:127.0.0.1]', '2130706433']) {
    const response = await post(webhookBody({ url: `http://${host}:${port}/pay/x` }));
    expectError(response, 400, 'invalid_url', 'url');
  }
});

test('the host of the request is rejected, also if the payment page has another host', async () => {
  const own = await newApi();
  const { PAY_URL_BASE: payUrlBase } = process.env;
  process.env.PAY_URL_BASE = 'https://pay.example.com/pay';
  try {
    const url = `${stack.baseUrl}/api/events`;
    expectError(await own.post('/api/webhooks', webhookBody({ url })), 400, 'invalid_url', 'url');
    const { id } = await newWebhook(own);
    expectError(await own.patch(webhookPath({ id }), { url }), 400, 'invalid_url', 'url');
  } finally {
    process.env.PAY_URL_BASE = payUrlBase;
  }
});

test('a private name cannot be told from a name that does not exist, by its creation or by a test', async () => {
  const { setResolver } = await import('../../support/outbound.ts');
  const names: Record<string, readonly string[]> = {
    'private.example.com': ['10.0.0.1'],
    'mixed.example.com': ['93.184.215.14', '10.0.0.1'],
    'metadata.example.com': ['169.254.169.254'],
  };
  const resolved: string[] = [];
  setResolver(async (name) => {
    resolved.push(name);
    if (names[name]) return names[name];
    throw Object.assign(new Error('queryA ENOTFOUND'), { code: 'ENOTFOUND' });
  });
  try {
    const own = await newApi();
    for (const name of [...Object.keys(names), 'absent.example.com']) {
      resolved.length = 0;
      const created = await own.post('/api/webhooks', webhookBody({ url: `https://${name}/hooks` }));
      expect([created.status, resolved]).toEqual([201, []]);
      const { json } = await own.post(webhookPath(created.json, '/test'));
      expect(json).toEqual({
        eventId: expect.any(String),
        number: 1,
        at: timestamp,
        durationMs: expect.any(Number),
        succeeded: false,
        status: null,
        error: 'host_not_found',
        cause: null,
        answer: '',
      });
    }
  } finally {
    setResolver();
  }
});

const refusedPorts = [21, 22, 25, 81, 3000, 3306, 5432, 6379, 8081, 9200, 65_535];

test('a new URL must have a port of a web server, or one that the deployment allows', async () => {
  const own = await newAccount(stack.baseUrl);
  const create = (port: number, client = own.test, scheme = 'https') =>
    client.post('/api/webhooks', webhookBody({ url: `${scheme}://1.1.1.1:${port}/hooks` }));
  for (const port of refusedPorts) {
    const refused = await create(port);
    expectError(refused, 400, 'invalid_url', 'url');
    expect(refused.json.error.message).toContain('must have the port 443, 80, 8080 or 8443.');
  }
  for (const port of [443, 80, 8080, 8443]) expect((await create(port)).status).toBe(201);
  expect((await create(80, own.test, 'http')).status).toBe(201);
  for (const port of [443, 8080, 8443]) expect((await create(port, own.live)).status).toBe(201);
  const refused = await create(80, own.live);
  expectError(refused, 400, 'invalid_url', 'url');
  expect(refused.json.error.message).toContain('must have the port 443, 8080 or 8443.');
  const { WEBHOOK_ALLOWED_PORTS: allowedPorts } = process.env;
  process.env.WEBHOOK_ALLOWED_PORTS = '3000,9000';
  try {
    for (const port of [3000, 9000, 443]) expect((await create(port, own.live)).status).toBe(201);
    expectError(await create(3001, own.live), 400, 'invalid_url', 'url');
  } finally {
    if (allowedPorts === undefined) delete process.env.WEBHOOK_ALLOWED_PORTS;
    else process.env.WEBHOOK_ALLOWED_PORTS = allowedPorts;
  }
});

test('a loopback receiver may have any port', async () => {
  const own = await newApi();
  for (const url of ['http://127.0.0.1:9/', 'http://localhost:3000/', 'http://[::1]:65535/'])
    expect((await own.post('/api/webhooks', webhookBody({ url }))).status).toBe(201);
});

test.each(['127.0.0.1', '10.0.0.1'])(
  'a name that does not exist at creation is accepted in live mode, and is not called once it is %s',
  async (address) => {
    const { setResolver } = await import('../../support/outbound.ts');
    const { live } = await newAccount(stack.baseUrl);
    const sendTest = async (webhook: { id: string }) => (await live.post(webhookPath(webhook, '/test'))).json;
    const { WEBHOOK_ALLOWED_RANGES: allowedRanges } = process.env;
    process.env.WEBHOOK_ALLOWED_RANGES = '';
    try {
      setResolver(async () => Promise.reject(Object.assign(new Error('ENOTFOUND'), { code: 'ENOTFOUND' })));
      const webhook = await newWebhook(live, { url: 'https://hooks.example.com/' });
      expect(await sendTest(webhook)).toMatchObject({ succeeded: false, error: 'host_not_found' });
      setResolver(async () => [address]);
      expect(await sendTest(webhook)).toMatchObject({ succeeded: false, error: 'host_not_found' });
    } finally {
      setResolver();
      process.env.WEBHOOK_ALLOWED_RANGES = allowedRanges;
    }
  },
);

test('fields are checked in order, unknown ones last', async () => {
  const right = webhookBody({ description: 'x' }) as Record<string, unknown>;
  let body: Record<string, unknown> = { url: 7, events: [], description: ' ', color: 1 };
  for (const [field, code] of [
    ['url', 'invalid_url'],
    ['events', 'invalid_events'],
    ['description', 'invalid_description'],
    ['color', 'unknown_parameter'],
  ] as const) {
    expectError(await post(Object.fromEntries(Object.entries(body).reverse())), 400, code, field);
    body = { ...body, [field]: right[field] };
  }
  // A URL can be missing, because newer versions have targets. So this is found after what is wrong with a field alone.
  for (const nothing of [undefined, '', {}])
    expectError(await post(nothing), 400, 'invalid_events', 'events');
  expectError(await post({ events: ['*'] }), 400, 'invalid_url', 'url');
  expectError(await post({ url: unreachableUrl }), 400, 'invalid_events', 'events');
  for (const field of ['id', 'secret', 'status', 'disabledReason', 'createdAt', 'overlapHours'])
    expectError(await post({ ...webhookBody(), [field]: 'x' }), 400, 'unknown_parameter', field);
});

test('each mode can have 20 endpoints, and a deletion allows another one', async () => {
  const own = await newAccount(stack.baseUrl);
  const first = await newWebhook(own.test);
  for (let count = 2; count <= 20; count++) await newWebhook(own.test);
  const rejected = await own.test.post('/api/webhooks', webhookBody());
  expectError(rejected, 400, 'webhook_limit_reached');
  expect(rejected.json.error.message).toContain('delete');
  expectError(
    await own.test.post('/api/webhooks', webhookBody({ events: [] })),
    400,
    'invalid_events',
    'events',
  );
  expect(await totalOf(own.test)).toBe(20);
  await newWebhook(own.live, { url: unreachableUrl.replace('http:', 'https:') });
  expect((await own.test.delete(webhookPath(first))).status).toBe(200);
  await newWebhook(own.test);
  expectError(await own.test.post('/api/webhooks', webhookBody()), 400, 'webhook_limit_reached');
  expect([await totalOf(own.test), await totalOf(own.live)]).toEqual([20, 1]);
});

test('a request that the limit rejected can be repeated under its key, and a completed one is replayed at the limit', async () => {
  const own = await newApi();
  const created = [];
  for (let count = 1; count <= 20; count++) created.push(await newWebhook(own, {}, underKey(`key ${count}`)));
  const send = (key: string) => own.post('/api/webhooks', webhookBody(), underKey(key));
  expectError(await send('another'), 400, 'webhook_limit_reached');
  const again = await send('key 20');
  expect([again.status, isReplay(again), again.json]).toEqual([201, true, created[19]]);
  await own.delete(webhookPath(created[0]));
  expect((await send('another')).status).toBe(201);
});
