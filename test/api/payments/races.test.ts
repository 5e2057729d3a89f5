/**
 * Tests parallel payments, updates and cancellations of one invoice: one of them wins, and money that was captured in
 * vain is refunded.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../../infra/local/stack.ts';
import { type Api, newAccount } from '../../support/api.ts';
import type { HttpResponse } from '../../support/http.ts';
import { isExhaustive } from '../../support/run.ts';
import { startTestStack } from '../../support/stack.ts';
import { waitUntil } from '../../support/wait-until.ts';
import {
  cardBody,
  cardNumbers,
  codesOf,
  newInvoice,
  offlineBody,
  repeatInParallel,
  underKey,
} from './new-payment.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startTestStack();
});
afterAll(() => stack.close());

const newApi = async () => (await newAccount(stack.baseUrl)).test;

interface Shown {
  readonly id: string;
  readonly invoiceId: string;
  readonly status: string;
  readonly amount: number;
  readonly amountRefunded: number;
}

const allOf = async (api: Api, kind: 'invoices' | 'payments' | 'refunds', query = ''): Promise<Shown[]> => {
  const { data, pagination } = (await api.get(`/api/${kind}?limit=100${query}`)).json;
  expect(pagination.total).toBe(data.length);
  return data;
};
const codeOf = ({ status, json }: HttpResponse): string => (status < 400 ? json.status : json.error.code);

test.each([
  ['all by card', (id: string) => cardBody(id)],
  ['all offline', (id: string) => offlineBody(id)],
  [
    'half by card and half offline',
    (id: string, index: number) => (index % 2 ? cardBody(id) : offlineBody(id)),
  ],
])('of 20 parallel payments of one invoice, %s, one succeeds', async (_, bodyOf) => {
  const api = await newApi();
  const { id } = await newInvoice(api);
  const responses = await repeatInParallel(20, (index) =>
    api.post('/api/payments', bodyOf(id, index), index % 3 === 0 ? underKey(`key ${index}`) : {}),
  );
  const [winner, ...more] = responses.filter(({ status }) => status === 201);
  expect([winner?.json.status, more]).toEqual(['completed', []]);
  const refusals = responses.filter((response) => response !== winner).map(codeOf);
  expect(refusals).toHaveLength(19);
  for (const code of refusals) expect(['invoice_already_paid', 'payment_in_progress']).toContain(code);
  expect(await allOf(api, 'payments')).toEqual([winner?.json]);
  expect((await api.get(`/api/invoices/${id}`)).json.status).toBe('paid');
});

test('with declined cards among 20 parallel payments, the invoice is paid at most once and stays payable until then', async () => {
  const api = await newApi();
  const { id } = await newInvoice(api);
  const numbers = [cardNumbers.declined, cardNumbers.good];
  const responses = await repeatInParallel(20, (index) =>
    api.post('/api/payments', cardBody(id, numbers[index % 2])),
  );
  const known = ['completed', 'failed', 'payment_in_progress', 'invoice_already_paid'];
  for (const response of responses) expect(known).toContain(codeOf(response));
  const payments = await allOf(api, 'payments');
  const created = responses.filter(({ status }) => status === 201).map(({ json }) => json);
  expect(new Set(payments.map(({ id }) => id))).toEqual(new Set(created.map((payment) => payment.id)));
  const completed = payments.filter(({ status }) => status === 'completed');
  expect(completed.length).toBeLessThanOrEqual(1);
  const last = await api.post('/api/payments', offlineBody(id));
  expect(codeOf(last)).toBe(completed.length === 1 ? 'invoice_already_paid' : 'completed');
});

test('a payment in parallel with an update pays the amount that the invoice has, and the amount stays', async () => {
  const api = await newApi();
  await repeatInParallel(20, async (run) => {
    const { id } = await newInvoice(api);
    const body = run % 2 ? cardBody(id) : offlineBody(id);
    const pay = () => api.post('/api/payments', { ...body, ...(run % 4 < 2 && { amount: 2500 }) });
    const update = () => api.patch(`/api/invoices/${id}`, { amount: 4100 });
    const [paid, updated] = await inAlternatingOrder(run, pay, update);
    const { status, amount } = (await api.get(`/api/invoices/${id}`)).json;
    if (updated.status !== 200)
      expect(['invoice_not_pending', 'payment_in_progress']).toContain(codeOf(updated));
    expect(amount).toBe(updated.status === 200 ? 4100 : 2500);
    if (paid.status === 201) expect([status, paid.json.amount]).toEqual(['paid', amount]);
    else expect([status, codeOf(paid)]).toEqual(['pending', 'invalid_amount']);
  });
});

/**
 * Sends both requests in parallel. Even runs send `one` first, odd runs `other`. Returns the responses in the order of
 * the arguments.
 */
async function inAlternatingOrder(
  run: number,
  one: () => Promise<HttpResponse>,
  other: () => Promise<HttpResponse>,
): Promise<[HttpResponse, HttpResponse]> {
  if (run % 2 === 0) return Promise.all([one(), other()]);
  const [second, first] = await Promise.all([other(), one()]);
  return [first, second];
}

const bodies = [
  (id: string) => cardBody(id),
  (id: string) => offlineBody(id),
  (id: string) => cardBody(id, cardNumbers.declined),
  (id: string) => cardBody(id, cardNumbers.slow),
];

/** Two batches of 20 have each kind of payment in each order five times. */
const batches = isExhaustive ? 5 : 2;

test(`${batches * 20} invoices with a parallel payment and cancellation: each is paid, or is cancelled and fully refunded`, async () => {
  const api = await newApi();
  for (let batch = 0; batch < batches; batch++)
    await repeatInParallel(20, (index) => race(api, batch * 20 + index));

  const pages = await Promise.all(
    ['', '&offset=100'].map((query) => api.get(`/api/invoices?limit=100${query}`)),
  );
  const invoices: Shown[] = pages.flatMap(({ json }) => json.data);
  expect(invoices).toHaveLength(batches * 20);
  const payments = await waitUntil('no payment is pending or waits for its refund', async () => {
    const all = await allOf(api, 'payments');
    const cancelled = new Set(invoices.filter(({ status }) => status === 'cancelled').map(({ id }) => id));
    const isSettled = ({ status, invoiceId, amount, amountRefunded }: Shown) =>
      status === 'failed' ||
      (status === 'completed' && (!cancelled.has(invoiceId) || amountRefunded === amount));
    return all.every(isSettled) ? all : undefined;
  });
  const refunded = payments.filter(({ amountRefunded }) => amountRefunded > 0);
  const processed = await waitUntil('every refund is listed as processed', async () => {
    const listed = (await allOf(api, 'refunds', '&status=processed')) as (Shown & { paymentId: string })[];
    return listed.length >= refunded.length ? listed : undefined;
  });
  expect(await allOf(api, 'refunds')).toEqual(processed);
  for (const { id, status } of invoices) {
    const completed = payments.filter(
      (payment) => payment.invoiceId === id && payment.status === 'completed',
    );
    const refunds = processed.filter(({ paymentId }) => paymentId === completed[0]?.id);
    const outcome = [status, completed.length, refunds.map(({ amount }) => amount)];
    if (status === 'paid') expect(outcome).toEqual(['paid', 1, []]);
    else
      expect([
        ['cancelled', 0, []],
        ['cancelled', 1, [2500]],
      ]).toContainEqual(outcome);
  }
  expect(processed.length).toBeGreaterThan(0);
});

/** Pays and cancels an invoice in parallel. Checks that both responses and the invoice agree. */
async function race(api: Api, run: number): Promise<void> {
  const { id } = await newInvoice(api);
  const pay = () => api.post('/api/payments', bodies[Math.floor(run / 2) % 4]?.(id));
  const cancel = () => api.delete(`/api/invoices/${id}`);
  const [paid, cancelled] = await inAlternatingOrder(run, pay, cancel);
  const result = [codeOf(paid), codeOf(cancelled), (await api.get(`/api/invoices/${id}`)).json.status];
  expect([
    ['completed', 'invoice_already_paid', 'paid'],
    // The invoice was cancelled while the card was charged.
    ['completed', 'cancelled', 'cancelled'],
    ['pending', 'cancelled', 'cancelled'],
    ['failed', 'cancelled', 'cancelled'],
    ['invoice_already_cancelled', 'cancelled', 'cancelled'],
  ]).toContainEqual(result);
}

test('of 20 parallel cancellations and payments, one succeeds and the others get the state error', async () => {
  const api = await newApi();
  const { id } = await newInvoice(api);
  const responses = await repeatInParallel(20, (index) =>
    index % 2 ? api.post('/api/payments', offlineBody(id)) : api.delete(`/api/invoices/${id}`),
  );
  const wins = responses.filter(({ status }) => status < 400);
  expect(wins).toHaveLength(1);
  const { status } = (await api.get(`/api/invoices/${id}`)).json;
  expect(codesOf(responses.filter(({ status }) => status >= 400))).toEqual(
    Array(19).fill(status === 'paid' ? 'invoice_already_paid' : 'invoice_already_cancelled'),
  );
});
