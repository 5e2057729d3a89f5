/** Tests every operation on an invoice or payment in every state: which ones succeed, and the errors of the others. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Stack } from '../../../infra/local/stack.ts';
import { type Api, newAccount } from '../../support/api.ts';
import { setClock } from '../../support/clock.ts';
import { expectError } from '../../support/expectations.ts';
import { startTestStack } from '../../support/stack.ts';
import { newOverdueInvoice } from '../invoices/overdue-invoice.ts';
import { cardBody, cardNumbers, newInvoice, newPayment, offlineBody, waitForOutcome } from './new-payment.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startTestStack();
});
afterEach(() => {
  setClock();
  stack.queues.resume();
});
afterAll(() => stack.close());

/** For each state, creates an invoice in that state and returns its id. */
const states: Record<string, (api: Api) => Promise<string>> = {
  pending: async (api) => (await newInvoice(api)).id,
  overdue: async (api) => (await newOverdueInvoice(api)).invoice.id,
  paid: async (api) => (await newPayment(api)).invoice.id,
  cancelled: async (api) => {
    const { id } = await newInvoice(api);
    await api.delete(`/api/invoices/${id}`);
    return id;
  },
  'pending, a payment in progress': async (api) => (await newPayment(api, cardNumbers.slow)).invoice.id,
  'overdue, a payment in progress': async (api) => {
    const { id } = (await newOverdueInvoice(api)).invoice;
    await api.post('/api/payments', cardBody(id, cardNumbers.slow));
    return id;
  },
};

const operations = {
  'pay offline': (api: Api, id: string) => api.post('/api/payments', offlineBody(id)),
  'pay by card': (api: Api, id: string) => api.post('/api/payments', cardBody(id)),
  update: (api: Api, id: string) => api.patch(`/api/invoices/${id}`, { amount: 7 }),
  'update nothing': (api: Api, id: string) => api.patch(`/api/invoices/${id}`, {}),
  cancel: (api: Api, id: string) => api.delete(`/api/invoices/${id}`),
};

type Operation = keyof typeof operations;
/** The status of the invoice after a success, or the code of the error and its message. */
type Outcome = string | readonly [code: string, message: RegExp];

const paid: Outcome = ['invoice_already_paid', /already paid.*Nothing was charged/];
const cancelled: Outcome = ['invoice_already_cancelled', /cancelled.*cannot be paid.*Nothing was charged/];
const inProgress: Outcome = ['payment_in_progress', /payment.*in progress/i];
const notPending = (status: string): Outcome => [
  'invoice_not_pending',
  new RegExp(`This invoice is ${status}`),
];

const table: Record<string, Record<Operation, Outcome>> = {
  pending: {
    'pay offline': 'paid',
    'pay by card': 'paid',
    update: 'pending',
    'update nothing': 'pending',
    cancel: 'cancelled',
  },
  overdue: {
    'pay offline': 'paid',
    'pay by card': 'paid',
    update: ['invoice_not_pending', /This invoice is overdue.*Replace it with POST/],
    'update nothing': notPending('overdue'),
    cancel: 'cancelled',
  },
  paid: {
    'pay offline': ['invoice_already_paid', /already been paid.*acceptOver/],
    'pay by card': paid,
    update: notPending('paid'),
    'update nothing': notPending('paid'),
    cancel: ['invoice_already_paid', /already paid.*cannot be cancelled/],
  },
  cancelled: {
    'pay offline': cancelled,
    'pay by card': cancelled,
    update: notPending('cancelled'),
    'update nothing': notPending('cancelled'),
    cancel: ['invoice_already_cancelled', /already cancelled/],
  },
  'pending, a payment in progress': {
    'pay offline': inProgress,
    'pay by card': inProgress,
    update: inProgress,
    'update nothing': inProgress,
    cancel: 'cancelled',
  },
  'overdue, a payment in progress': {
    'pay offline': inProgress,
    'pay by card': inProgress,
    update: notPending('overdue'),
    'update nothing': notPending('overdue'),
    cancel: 'cancelled',
  },
};

const cells = Object.entries(table).flatMap(([state, row]) =>
  Object.entries(row).map(([operation, outcome]) => [state, operation as Operation, outcome] as const),
);

/** Returns the invoice and the number of payments, as the API shows them. */
async function shown(api: Api, id: string) {
  const [invoice, payments] = await Promise.all([api.get(`/api/invoices/${id}`), api.get('/api/payments')]);
  return { invoice: invoice.json, payments: payments.json.pagination.total };
}

test.each(cells)('an invoice that is %s: %s', async (state, operation, outcome) => {
  const { test: api } = await newAccount(stack.baseUrl);
  const id = (await states[state]?.(api)) ?? '';
  // A payment in progress must stay in progress, even on a slow machine.
  await stack.queues.pause();
  const before = await shown(api, id);
  const response = await operations[operation](api, id);
  const after = await shown(api, id);
  if (typeof outcome === 'string') {
    expect(response.status).toBe(operation.startsWith('pay') ? 201 : 200);
    expect(after.invoice.status).toBe(outcome);
    return;
  }
  expectError(response, 400, outcome[0]);
  expect(response.json.error.message).toMatch(outcome[1]);
  expect(after).toEqual(before);
});

describe('a refund of a payment', () => {
  const payments: Record<string, (api: Api) => Promise<string>> = {
    'completed offline': async (api) => (await newPayment(api)).payment.id,
    'completed by card': async (api) => (await newPayment(api, cardNumbers.good)).payment.id,
    pending: async (api) => (await newPayment(api, cardNumbers.slow)).payment.id,
    failed: async (api) => (await newPayment(api, cardNumbers.declined)).payment.id,
    'refunded in full': async (api) => {
      const { id } = (await newPayment(api)).payment;
      const refund = (await api.post('/api/refunds', { paymentId: id })).json;
      await waitForOutcome(api, 'refunds', refund.id);
      return id;
    },
  };

  test.each([
    ['completed offline', 'pending'],
    ['completed by card', 'pending'],
    ['pending', ['payment_not_refundable', /Only completed.*This payment is pending/]],
    ['failed', ['payment_not_refundable', /Only completed.*This payment is failed/]],
    ['refunded in full', ['refund_exceeds_payment', /This payment has 0 left to refund/]],
  ] as [string, Outcome][])('that is %s', async (state, outcome) => {
    const { test: api } = await newAccount(stack.baseUrl);
    const paymentId = (await payments[state]?.(api)) ?? '';
    await stack.queues.pause();
    const total = async () => (await api.get('/api/refunds')).json.pagination.total;
    const before = await total();
    for (const body of [{ paymentId }, { paymentId, amount: 1 }, { paymentId, amount: 2500 }]) {
      if (typeof outcome === 'string') {
        const response = await api.post('/api/refunds', { ...body, amount: 1 });
        expect([response.status, response.json.status]).toEqual([201, outcome]);
        continue;
      }
      const response = await api.post('/api/refunds', body);
      expectError(response, 400, outcome[0]);
      expect(response.json.error.message).toMatch(outcome[1]);
      expect(await total()).toBe(before);
    }
  });
});
