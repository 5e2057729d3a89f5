/** Tests the ranges that a deployment allows for webhooks. A function does not start if a range is malformed. */
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';

const name = 'WEBHOOK_ALLOWED_RANGES';
const live = { account: 'acct_0000000000000000', mode: 'live' } as const;
const testOwner = { ...live, mode: 'test' } as const;
const before = process.env[name];

beforeEach(() => {
  jest.resetModules();
  process.env.PAY_URL_BASE = 'https://pay.example.com/pay';
});
afterEach(() => {
  delete process.env.PAY_URL_BASE;
  if (before === undefined) delete process.env[name];
  else process.env[name] = before;
});

const load = () => import('../../../shared/platform/outbound/policy.ts');

test.each([
  ['', []],
  ['10.0.0.0/8', ['10.0.0.0/8']],
  ['127.0.0.0/8,::1/128,192.168.7.9/32', ['127.0.0.0/8', '::1/128', '192.168.7.9/32']],
])('a function accepts the ranges %j', async (text, allowedRanges) => {
  process.env[name] = text;
  expect((await load()).policyOf(live)).toMatchObject({ mode: 'live', allowedRanges });
});

test.each([
  '10.0.0.0/33',
  '::1/129',
  '10.0.0.0',
  '10/8',
  '010.0.0.0/8',
  '10.0.0.0/8/8',
  '10.0.0.0/',
  ' 10.0.0.0/8',
  'internal',
  '10.0.0.0-10.0.0.9',
])('a function with the range %j does not start, and its error names the range', async (range) => {
  process.env[name] = `127.0.0.0/8,${range}`;
  await expect(load()).rejects.toThrow(`"${range}"`);
});

test('the own hosts are the host of the payment page and the host of the request, if that is valid', async () => {
  const { policyOf } = await load();
  expect(policyOf(testOwner).ownHosts).toEqual(['pay.example.com']);
  expect(policyOf(testOwner, 'api.example.com:8443').ownHosts).toEqual([
    'pay.example.com',
    'api.example.com:8443',
  ]);
  expect(policyOf(testOwner, 'no host').ownHosts).toEqual(['pay.example.com']);
});

test('the own hosts include the other hosts of the API and the dashboard, and for other accounts the canary', async () => {
  const { policyOf } = await load();
  const [api, dashboard, canary] = ['a1.execute-api.test', 'b2.execute-api.test', 'c3.lambda-url.test'];
  Object.assign(process.env, {
    OWN_HOSTS: `${api},${dashboard}`,
    DASHBOARD_URL: 'https://dashboard.example.com/prod',
    CANARY_HOST: canary,
  });
  try {
    const others = ['pay.example.com', 'dashboard.example.com', api, dashboard];
    expect(policyOf(live).ownHosts).toEqual([...others, canary]);
    expect(policyOf({ ...testOwner, account: 'acct_canary0000000000' }).ownHosts).toEqual(others);
  } finally {
    for (const variable of ['OWN_HOSTS', 'DASHBOARD_URL', 'CANARY_HOST']) delete process.env[variable];
  }
});
