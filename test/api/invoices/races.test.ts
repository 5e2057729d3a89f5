import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../../infra/local/stack.ts';
import { type Api, invoiceBody, listenToRequestLog, newAccount } from '../../support/api.ts';
import { intercept, listenToAttempts } from '../../support/faults.ts';
import type { HttpResponse } from '../../support/http.ts';
import { startTestStack } from '../../support/stack.ts';

let stack: Stack;
let log: Awaited<ReturnType<typeof listenToRequestLog>>;

beforeAll(async () => {
  stack = await startTestStack();
  log = await listenToRequestLog();
});
afterAll(() => stack.close());

const together = <T>(count: number, work: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)));
const underKey = (key: string) => ({ headers: { 'Idempotency-Key': key } });
const statusesOf = (responses: readonly HttpResponse[]) => responses.map(({ status }) => status);
const codesOf = (responses: readonly HttpResponse[]) =>
  responses.map(({ status, json }) => (status < 400 ? status : json.error.code)).sort();
const firstsOf = (responses: readonly HttpResponse[]) =>
  responses.filter(({ headers }) => headers['idempotent-replayed'] === undefined);
const distinct = (values: Iterable<unknown>) => [...new Set(values)];
const newInvoice = async (api: Api, fields = {}) =>
  (await api.post('/api/invoices', invoiceBody(fields))).json;

test('30 creates under one key make one invoice, and all get the same bytes, one of them first-hand', async () => {
  const { test: api } = await newAccount(stack.baseUrl);
  const body = invoiceBody();
  const responses = await together(30, () => api.post('/api/invoices', body, underKey('one')));
  expect(distinct(statusesOf(responses))).toEqual([201]);
  expect(distinct(responses.map(({ text }) => text))).toHaveLength(1);
  expect(firstsOf(responses)).toHaveLength(1);
  const list = (await api.get('/api/invoices')).json;
  expect(list.pagination.total).toBe(1);
  expect(list.data).toEqual([responses[0]?.json]);
});

test('20 cancels under one key are all 200 with the same bytes, one of them first-hand', async () => {
  const { test: api } = await newAccount(stack.baseUrl);
  const { id } = await newInvoice(api);
  const responses = await together(20, () => api.delete(`/api/invoices/${id}`, underKey('cancel')));
  expect(distinct(statusesOf(responses))).toEqual([200]);
  expect(distinct(responses.map(({ text }) => text))).toHaveLength(1);
  expect(firstsOf(responses)).toHaveLength(1);
  const invoice = (await api.get(`/api/invoices/${id}`)).json;
  expect(invoice).toMatchObject({ status: 'cancelled', updatedAt: responses[0]?.json.deletedAt });
});

test('of 20 cancels without a key one takes effect, the others find the invoice cancelled', async () => {
  const { test: api } = await newAccount(stack.baseUrl);
  const { id } = await newInvoice(api);
  const responses = await together(20, () => api.delete(`/api/invoices/${id}`));
  expect(codesOf(responses)).toEqual([200, ...Array(19).fill('invoice_already_cancelled')]);
});

test('20 cancels, each under a key of its own, have one winner', async () => {
  const { test: api } = await newAccount(stack.baseUrl);
  const { id } = await newInvoice(api);
  const responses = await together(20, (index) =>
    api.delete(`/api/invoices/${id}`, underKey(`key ${index}`)),
  );
  expect(codesOf(responses)).toEqual([200, ...Array(19).fill('invoice_already_cancelled')]);
  expect(firstsOf(responses)).toHaveLength(20);
});

test('an update against a cancellation: either order, never a cancelled invoice that changed afterwards', async () => {
  const { test: api } = await newAccount(stack.baseUrl);
  const rounds = await together(25, async (round) => {
    const { id, createdAt } = await newInvoice(api);
    const path = `/api/invoices/${id}`;
    const update = () => api.patch(path, { amount: 7000 });
    const cancel = () => api.delete(path);
    const [first, second] = round % 2 === 0 ? [update, cancel] : [cancel, update];
    const answers = await Promise.all([first(), second()]);
    const [updated, cancelled] = round % 2 === 0 ? answers : [answers[1], answers[0]];
    const invoice = (await api.get(path)).json;

    expect(cancelled.status).toBe(200);
    expect(invoice).toMatchObject({ status: 'cancelled', updatedAt: cancelled.json.deletedAt });
    if (updated.status === 200) {
      expect(updated.json).toMatchObject({ status: 'pending', amount: 7000 });
      expect(invoice.amount).toBe(7000);
      expect(createdAt < updated.json.updatedAt).toBe(true);
      expect(updated.json.updatedAt < invoice.updatedAt).toBe(true);
    } else {
      expect(updated.json.error.code).toBe('invoice_not_pending');
      expect(invoice.amount).toBe(2500);
    }
    return updated.status;
  });
  expect(rounds).toHaveLength(25);
});

test('30 parallel updates of different fields all take effect, one after the other, and lose nothing', async () => {
  const { test: api } = await newAccount(stack.baseUrl);
  const { id } = await newInvoice(api);
  const path = `/api/invoices/${id}`;
  const bodies = Array.from({ length: 30 }, (_, index) => {
    if (index % 3 === 0) return { amount: 10_000 + index };
    if (index % 3 === 1) return { description: `Version ${index}` };
    return { dueDate: `2031-01-${String(index + 1).padStart(2, '0')}T00:00:00Z` };
  });
  const responses = await together(30, (index) => api.patch(path, bodies[index]));
  expect(codesOf(responses)).toEqual(Array(30).fill(200));

  const inOrder = responses.map((response, index) => ({ sent: bodies[index] ?? {}, got: response.json }));
  inOrder.sort((a, b) => (a.got.updatedAt < b.got.updatedAt ? -1 : 1));
  expect(distinct(inOrder.map(({ got }) => got.updatedAt))).toHaveLength(30);
  let state: object = invoiceBody();
  for (const { sent, got } of inOrder) {
    state = { ...state, ...sent };
    expect(got).toMatchObject(state);
  }
  expect((await api.get(path)).json).toEqual(inOrder.at(-1)?.got);
});

test('of parallel updates to one amount the last one that was answered stands', async () => {
  const { test: api } = await newAccount(stack.baseUrl);
  const { id } = await newInvoice(api);
  const responses = await together(5, (index) => api.patch(`/api/invoices/${id}`, { amount: 100 + index }));
  expect(distinct(statusesOf(responses))).toEqual([200]);
  const last = responses.map(({ json }) => json).sort((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1))[0];
  expect((await api.get(`/api/invoices/${id}`)).json).toEqual(last);
});

test('50 simultaneous creates on one account do not conflict: 4 calls each, 3 in sequence, none tried twice', async () => {
  const { test: api } = await newAccount(stack.baseUrl);
  await stack.stream.pause();
  await stack.schedule.pause();
  const wire = intercept();
  const sdk = listenToAttempts();
  const responses = await together(50, (index) =>
    api.post('/api/invoices', invoiceBody({ customerId: `cust_${index % 5}` })),
  );
  wire.remove();
  sdk.remove();
  stack.stream.resume();
  stack.schedule.resume();

  expect(distinct(statusesOf(responses))).toEqual([201]);
  const ids = distinct(responses.map(({ json }) => json.id));
  expect(ids).toHaveLength(50);
  for (const response of responses) {
    expect(log.lineOf(response)).toMatchObject({ dynamodbCalls: 4, dynamodbCallsInSequence: 3 });
  }
  expect(sdk.attempts).toEqual(Array(200).fill(1));
  const operations = Object.groupBy(wire.calls, ({ operation }) => operation);
  expect(Object.entries(operations).map(([operation, calls]) => [operation, calls?.length])).toEqual(
    expect.arrayContaining([
      ['UpdateItem', 150],
      ['TransactWriteItems', 50],
    ]),
  );
  expect(wire.calls).toHaveLength(200);

  const list = (await api.get('/api/invoices?limit=100')).json;
  expect(list.pagination.total).toBe(50);
  expect(new Set(list.data.map(({ id }: { id: string }) => id))).toEqual(new Set(ids));
  expect((await api.get('/api/invoices?customerId=cust_3')).json.pagination.total).toBe(10);
});
