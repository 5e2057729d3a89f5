/** Tests the query parameters of GET /api/invoices, and the errors for invalid and unknown ones. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../../infra/local/stack.ts';
import { type Api, newAccount } from '../../support/api.ts';
import { expectError } from '../../support/expectations.ts';
import { startTestStack } from '../../support/stack.ts';

let stack: Stack;
/** An account without invoices. */
let empty: Api;
beforeAll(async () => {
  stack = await startTestStack();
  ({ test: empty } = await newAccount(stack.baseUrl));
});
afterAll(() => stack.close());

const list = (api: Api, query: string) => api.get(`/api/invoices?${query}`);
const page = (total: number, limit: number, offset: number, hasMore: boolean) => ({
  total,
  limit,
  offset,
  hasMore,
});
const lastOffset = Number.MAX_SAFE_INTEGER;

test.each([
  ...[
    '0',
    '101',
    '1000',
    '-1',
    '%2B5',
    '+5',
    '0x1',
    '%205',
    '5%20',
    '1.0',
    '1e1',
    '1_0',
    'ten',
    'NaN',
    'null',
    '%D9%A3',
  ].map((text) => [`limit=${text}`, 'limit'] as const),
  ...['limit=', 'limit', 'limit=1&limit=1', 'limit=5&limit=', 'limit=18446744073709551617'].map(
    (query) => [query, 'limit'] as const,
  ),
  ...[
    '-1',
    '%2B5',
    '0x1',
    '%205',
    '1.0',
    '1e3',
    'x',
    'Infinity',
    `${2 ** 53}`,
    '9007199254740993',
    '1'.repeat(40),
    '%00',
  ].map((text) => [`offset=${text}`, 'offset'] as const),
  ...['offset=', 'offset', 'offset=0&offset=0'].map((query) => [query, 'offset'] as const),
  ...['Pending', 'open', '', 'pending%20', 'pending,paid', '__proto__', 'constructor', '0'].map(
    (text) => [`status=${text}`, 'status'] as const,
  ),
  ...['status', 'status=paid&status=paid', 'status=pending&status='].map(
    (query) => [query, 'status'] as const,
  ),
  ...['customerId=', 'customerId', 'customerId=a&customerId=a', 'customerId=a&customerId='].map(
    (query) => [query, 'customerId'] as const,
  ),
])('%s is 400, field %s', async (query, field) => {
  const code = field === 'customerId' ? 'invalid_customer' : `invalid_${field}`;
  const response = await list(empty, query);
  expectError(response, 400, code, field);
  expect(response.json.error.message).toContain(field);
});

test.each([
  ['color=red', 'color'],
  ['Limit=5', 'Limit'],
  ['page=2', 'page'],
  ['limit%20=5', 'limit '],
  ['customer_id=a', 'customer_id'],
  ['status[]=paid', 'status[]'],
  ['x=1&x=2', 'x'],
  ['x', 'x'],
  ['__proto__=1', '__proto__'],
  ['constructor=1', 'constructor'],
  ['toString=1', 'toString'],
  ['length=1', 'length'],
  ['limit=5&%F0%9F%98%80=1', '😀'],
  ['limit=5;offset=1', undefined],
])('%s: an unknown parameter is 400 and named', async (query, field) => {
  const response = await list(empty, query);
  if (field === undefined) expectError(response, 400, 'invalid_limit', 'limit');
  else expectError(response, 400, 'unknown_parameter', field);
});

test('only the first error is reported: known parameters in their order, unknown ones last', async () => {
  const bad = ['limit=0', 'offset=x', 'status=x', 'customerId='];
  const codes = ['invalid_limit', 'invalid_offset', 'invalid_status', 'invalid_customer'];
  for (const [index, code] of codes.entries()) {
    const response = await list(empty, ['color=1', ...bad.slice(index).reverse()].join('&'));
    expect(response.json.error.code).toBe(code);
  }
});

test.each([
  ['limit=1', 1, 0],
  ['limit=100', 100, 0],
  ['limit=007', 7, 0],
  ['offset=0', 20, 0],
  ['limit=100&offset=1', 100, 1],
  [`offset=${lastOffset}`, 20, lastOffset],
  [`limit=100&offset=${lastOffset}`, 100, lastOffset],
])('%s is accepted', async (query, limit, offset) => {
  expect((await list(empty, query)).json).toEqual({ data: [], pagination: page(0, limit, offset, false) });
});
