/** Every state of an invoice or payment against everything that can be asked of it: what is taken, what is refused, and why. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Stack } from '../../../infra/local/stack.ts';
import { setClock } from '../../../shared/time.ts';
import { type Api, newAccount } from '../../support/api.ts';
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

/** Brings about an invoice in that state; returns its id. */
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

const deeds = {
  'pay offline': (api: Api, id: string) => api.post('/api/payments', offlineBody(id)),
  'pay by card': (api: Api, id: string) => api.post('/api/payments', cardBody(id)),
  update: (api: Api, id: string) => api.patch(`/api/invoices/${id}`, { amount: 7 }),
  'update nothing': (api: Api, id: string) => api.patch(`/api/invoices/${id}`, {}),
  cancel: (api: Api, id: string) => api.delete(`/api/invoices/${id}`),
};

type Deed = keyof typeof deeds;
/** A status that the invoice has afterwards, or the code of the refusal and what its sentence says. */
type Verdict = string | readonly [code: string, says: RegExp];

const paid: Verdict = ['invoice_already_paid', /already paid.*nothing was charged/];
const cancelled: Verdict = ['invoice_already_cancelled', /cancelled.*cannot be paid.*nothing was charged/];
const inProgress: Verdict = ['payment_in_progress', /payment.*in progress/i];
const notPending = (status: string): Verdict => ['invoice_not_pending', new RegExp(`this one is ${status}`)];

const table: Record<string, Record<Deed, Verdict>> = {
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
    update: ['invoice_not_pending', /this one is overdue.*Cancel it and issue a new one/],
    'update nothing': notPending('overdue'),
    cancel: 'cancelled',
  },
  paid: {
    'pay offline': paid,
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
  Object.entries(row).map(([deed, verdict]) => [state, deed as Deed, verdict] as const),
);

/** What the world shows of an account, besides what the background is about to change. */
async function shown(api: Api, id: string) {
  const [invoice, payments] = await Promise.all([api.get(`/api/invoices/${id}`), api.get('/api/payments')]);
  return { invoice: invoice.json, payments: payments.json.pagination.total };
}

test.each(cells)('an invoice that is %s: %s', async (state, deed, verdict) => {
  const { test: api } = await newAccount(stack.baseUrl);
  const id = (await states[state]?.(api)) ?? '';
  // So that a payment in progress stays one, however slow this machine is.
  await stack.queues.pause();
  const before = await shown(api, id);
  const response = await deeds[deed](api, id);
  const after = await shown(api, id);
  if (typeof verdict === 'string') {
    expect(response.status).toBe(deed.startsWith('pay') ? 201 : 200);
    expect(after.invoice.status).toBe(verdict);
    return;
  }
  expectError(response, 400, verdict[0]);
  expect(response.json.error.message).toMatch(verdict[1]);
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
    ['pending', ['payment_not_refundable', /Only completed.*this one is pending/]],
    ['failed', ['payment_not_refundable', /Only completed.*this one is failed/]],
    ['refunded in full', ['refund_exceeds_payment', /this payment 0 can still be refunded/]],
  ] as [string, Verdict][])('that is %s', async (state, verdict) => {
    const { test: api } = await newAccount(stack.baseUrl);
    const paymentId = (await payments[state]?.(api)) ?? '';
    await stack.queues.pause();
    const total = async () => (await api.get('/api/refunds')).json.pagination.total;
    const before = await total();
    for (const body of [{ paymentId }, { paymentId, amount: 1 }, { paymentId, amount: 2500 }]) {
      if (typeof verdict === 'string') {
        const response = await api.post('/api/refunds', { ...body, amount: 1 });
        expect([response.status, response.json.status]).toEqual([201, verdict]);
        continue;
      }
      const response = await api.post('/api/refunds', body);
      expectError(response, 400, verdict[0]);
      expect(response.json.error.message).toMatch(verdict[1]);
      expect(await total()).toBe(before);
    }
  });
});
