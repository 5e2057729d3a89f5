/** Tests the header `Location`: every answer that creates a resource has the path of the resource. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import {
  changes,
  type Endpoint,
  exampleOf,
  newAccountWithAllPermissions,
  rowsOf,
} from '../contract/examples.ts';
import { type Api, invoiceBody, newAccount } from '../support/api.ts';
import { startTestStack } from '../support/stack.ts';

let stack: Stack;
let api: Api;
beforeAll(async () => {
  stack = await startTestStack();
  ({ test: api } = await newAccountWithAllPermissions(stack.baseUrl));
});
afterAll(() => stack.close());

const creating = (endpoint: Endpoint) => changes(endpoint) && endpoint.route.status === 201;

test.each(rowsOf(creating))(
  '%s: leads to the new resource, also in a repeated answer',
  async (_, endpoint) => {
    const { path, body } = await exampleOf(endpoint, api);
    const send = () =>
      api.send(endpoint.method, path, { body, headers: { 'Idempotency-Key': `location ${endpoint.name}` } });
    const [first, second] = [await send(), await send()];
    expect(first.status).toBe(201);
    const list = endpoint.route.createdIn ?? path;
    expect(first.headers.location).toBe(`${list}/${first.json.id}`);
    expect([second.headers['idempotent-replayed'], second.headers.location]).toEqual([
      'true',
      first.headers.location,
    ]);
    const { status, json } = await api.get(String(first.headers.location));
    expect({ status, id: json.id }).toEqual({ status: 200, id: first.json.id });
  },
);

test.each(['//api/invoices', '/api/invoices/'])('%s: the path has single slashes', async (path) => {
  const { headers, json } = await api.post(path, invoiceBody());
  expect(headers.location).toBe(`/api/invoices/${json.id}`);
});

test('answers that create nothing have no such header', async () => {
  const { test: other } = await newAccount(stack.baseUrl);
  const { id } = (await other.post('/api/invoices', invoiceBody())).json;
  const answers = [
    await other.get(`/api/invoices/${id}`),
    await other.patch(`/api/invoices/${id}`, { amount: 7 }),
    await other.post('/api/invoices', invoiceBody({ amount: -1 })),
    await other.send('DELETE', `/api/invoices/${id}`),
  ];
  expect(answers.map(({ headers }) => headers.location)).toEqual(Array(4).fill(undefined));
});
