/** Tests parallel creations, updates and cancellations of invoices: each race has one winner. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../../infra/local/stack.ts';
import { type Api, invoiceBody, listenToRequestLog, newAccount } from '../../support/api.ts';
import type { HttpResponse } from '../../support/http.ts';
import { interceptCalls, recordAttempts } from '../../support/intercept-calls.ts';
import { startTestStack } from '../../support/stack.ts';

let stack: Stack;
let log: Awaited<ReturnType<typeof listenToRequestLog>>;

beforeAll(async () => {
  stack = await startTestStack();
  log = await listenToRequestLog();
});
afterAll(() => stack.close());

const repeatInParallel = <T>(count: number, work: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)));
const underKey = (key: string) => ({ headers: { 'Idempotency-Key': key } });
const statusesOf = (responses: readonly HttpResponse[]) => responses.map(({ status }) => status);
const codesOf = (responses: readonly HttpResponse[]) =>
  responses.map(({ status, json }) => (status < 400 ? status : json.error.code)).sort();
const firstResponsesOf = (responses: readonly HttpResponse[]) =>
  responses.filter(({ headers }) => headers['idempotent-replayed'] === undefined);
const distinct = (values: Iterable<unknown>) => [...new Set(values)];
const newInvoice = async (api: Api, fields = {}) =>
  (await api.post('/api/invoices', invoiceBody(fields))).json;

test('30 parallel creates under one key create one invoice, and all but one are replays of the same bytes', async () => {
  const { test: api } = await newAccount(stack.baseUrl);
  const body = invoiceBody();
  const responses = await repeatInParallel(30, () => api.post('/api/invoices', body, underKey('one')));
  expect(distinct(statusesOf(responses))).toEqual([201]);
  expect(distinct(responses.map(({ text }) => text))).toHaveLength(1);
  expect(firstResponsesOf(responses)).toHaveLength(1);
  const list = (await api.get('/api/invoices')).json;
  expect(list.pagination.total).toBe(1);
  expect(list.data).toEqual([responses[0]?.json]);
});

test('20 parallel cancellations under one key are all 200 with the same bytes, and all but one are replays', async () => {
  const { test: api } = await newAccount(stack.baseUrl);
  const { id } = await newInvoice(api);
  const responses = await repeatInParallel(20, () => api.delete(`/api/invoices/${id}`, underKey('cancel')));
  expect(distinct(statusesOf(responses))).toEqual([200]);
  expect(distinct(responses.map(({ text }) => text))).toHaveLength(1);
  expect(firstResponsesOf(responses)).toHaveLength(1);
  const invoice = (await api.get(`/api/invoices/${id}`)).json;
  expect(invoice).toMatchObject({ status: 'cancelled', updatedAt: responses[0]?.json.deletedAt });
});

test('of 20 parallel cancellations without a key, one takes effect and the others get invoice_already_cancelled', async () => {
  const { test: api } = await newAccount(stack.baseUrl);
  const { id } = await newInvoice(api);
  const responses = await repeatInParallel(20, () => api.delete(`/api/invoices/${id}`));
  expect(codesOf(responses)).toEqual([200, ...Array(19).fill('invoice_already_cancelled')]);
});

test('of 20 parallel cancellations under different keys, one takes effect', async () => {
  const { test: api } = await newAccount(stack.baseUrl);
  const { id } = await newInvoice(api);
  const responses = await repeatInParallel(20, (index) =>
    api.delete(`/api/invoices/${id}`, underKey(`key ${index}`)),
  );
  expect(codesOf(responses)).toEqual([200, ...Array(19).fill('invoice_already_cancelled')]);
  expect(firstResponsesOf(responses)).toHaveLength(20);
});

test('an update in parallel with a cancellation never changes an invoice after its cancellation', async () => {
  const { test: api } = await newAccount(stack.baseUrl);
  const runs = await repeatInParallel(25, async (run) => {
    const { id, createdAt } = await newInvoice(api);
    const path = `/api/invoices/${id}`;
    const update = () => api.patch(path, { amount: 7000 });
    const cancel = () => api.delete(path);
    const [first, second] = run % 2 === 0 ? [update, cancel] : [cancel, update];
    const answers = await Promise.all([first(), second()]);
    const [updated, cancelled] = run % 2 === 0 ? answers : [answers[1], answers[0]];
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
  expect(runs).toHaveLength(25);
});

test('30 parallel updates of different fields all take effect, one after the other', async () => {
  const { test: api } = await newAccount(stack.baseUrl);
  const { id } = await newInvoice(api);
  const path = `/api/invoices/${id}`;
  const bodies = Array.from({ length: 30 }, (_, index) => {
    if (index % 3 === 0) return { amount: 10_000 + index };
    if (index % 3 === 1) return { description: `Version ${index}` };
    return { dueDate: `2031-01-${String(index + 1).padStart(2, '0')}T00:00:00Z` };
  });
  const responses = await repeatInParallel(30, (index) => api.patch(path, bodies[index]));
  expect(codesOf(responses)).toEqual(Array(30).fill(200));

  const inOrder = responses.map((response, index) => ({ sent: bodies[index] ?? {}, updated: response.json }));
  inOrder.sort((a, b) => (a.updated.updatedAt < b.updated.updatedAt ? -1 : 1));
  expect(distinct(inOrder.map(({ updated }) => updated.updatedAt))).toHaveLength(30);
  let state: object = invoiceBody();
  for (const { sent, updated } of inOrder) {
    state = { ...state, ...sent };
    expect(updated).toMatchObject(state);
  }
  expect((await api.get(path)).json).toEqual(inOrder.at(-1)?.updated);
});

test('of parallel updates to one amount, the one with the latest updatedAt is stored', async () => {
  const { test: api } = await newAccount(stack.baseUrl);
  const { id } = await newInvoice(api);
  const responses = await repeatInParallel(5, (index) =>
    api.patch(`/api/invoices/${id}`, { amount: 100 + index }),
  );
  expect(distinct(statusesOf(responses))).toEqual([200]);
  const last = responses.map(({ json }) => json).sort((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1))[0];
  expect((await api.get(`/api/invoices/${id}`)).json).toEqual(last);
});

test('50 parallel creates in one account do not conflict: 5 calls each, 3 in sequence, without a retry', async () => {
  const { test: api } = await newAccount(stack.baseUrl);
  await stack.stream.pause();
  await stack.schedule.pause();
  const wire = interceptCalls();
  const sdk = recordAttempts();
  const responses = await repeatInParallel(50, (index) =>
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
    expect(log.lineOf(response)).toMatchObject({ dynamodbCalls: 5, dynamodbCallsInSequence: 3 });
  }
  expect(sdk.attempts).toEqual(Array(250).fill(1));
  const operations = Object.groupBy(wire.calls, ({ operation }) => operation);
  expect(Object.entries(operations).map(([operation, calls]) => [operation, calls?.length])).toEqual(
    expect.arrayContaining([
      ['UpdateItem', 150],
      ['TransactWriteItems', 50],
    ]),
  );
  expect(wire.calls).toHaveLength(250);

  const list = (await api.get('/api/invoices?limit=100')).json;
  expect(list.pagination.total).toBe(50);
  expect(new Set(list.data.map(({ id }: { id: string }) => id))).toEqual(new Set(ids));
  expect((await api.get('/api/invoices?customerId=cust_3')).json.pagination.total).toBe(10);
});
