/** Tests the ranges that a deployment allows for webhooks. A function does not start if a range is malformed. */
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';

const name = 'WEBHOOK_ALLOWED_RANGES';
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

const load = () => import('../../../shared/outbound/policy.ts');

test.each([
  ['', []],
  ['10.0.0.0/8', ['10.0.0.0/8']],
  ['127.0.0.0/8,::1/128,192.168.7.9/32', ['127.0.0.0/8', '::1/128', '192.168.7.9/32']],
])('a function accepts the ranges %j', async (text, allowedRanges) => {
  process.env[name] = text;
  expect((await load()).policyOf('live')).toMatchObject({ mode: 'live', allowedRanges });
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
  expect(policyOf('test').ownHosts).toEqual(['pay.example.com']);
  expect(policyOf('test', 'api.example.com:8443').ownHosts).toEqual([
    'pay.example.com',
    'api.example.com:8443',
  ]);
  expect(policyOf('test', 'no host').ownHosts).toEqual(['pay.example.com']);
});
