/** Tests credit of customers over HTTP, in one flow: how it comes about, what it pays, how it goes back, and what is refused. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import {
  codesOf,
  newInvoice,
  offlineBody,
  repeatInParallel,
  waitForResource,
} from '../api/payments/new-payment.ts';
import { createHeldPayment } from '../contract/examples.ts';
import { type Api, newAccount, type TestAccount } from '../support/api.ts';
import { expectError } from '../support/expectations.ts';
import { inNewestVersion } from '../support/newest-version.ts';
import { startTestStack } from '../support/stack.ts';
import { tableOf } from '../support/table.ts';
import { untilRelayed } from '../support/until-relayed.ts';

let stack: Stack;
let account: TestAccount;
let api: Api;

beforeAll(async () => {
  stack = await startTestStack();
  account = await newAccount(stack.baseUrl);
  api = inNewestVersion(account.test);
});
afterAll(() => stack.close());

/** Makes credit of a customer. Returns the ID of the payment that has it. */
async function newCredit(customerId: string, amount: number, fields: object = {}): Promise<string> {
  const { id } = await newInvoice(api, { customerId, acceptPartial: true, ...fields });
  const payment = await api.post('/api/payments', offlineBody(id, { amount }));
  expect((await api.delete(`/api/invoices/${id}?payments=credit`)).json.status).toBe('cancelled');
  expect((await api.get(`/api/invoices/${id}`)).json).toMatchObject({ amountPaid: 0, amountDue: 0 });
  return payment.json.id;
}
const credit = (invoiceId: string, fields: object = {}) =>
  api.post('/api/payments', { invoiceId, method: 'credit', ...fields });
const paymentOf = async (id: string) => (await api.get(`/api/payments/${id}`)).json;
const moneyOf = async (id: string) => {
  const { status, amountPaid, amountDue } = (await api.get(`/api/invoices/${id}`)).json;
  return [status, amountPaid, amountDue];
};
const voidIt = (id: string) => api.post(`/api/payments/${id}/void`, { reason: 'Not this one' });

test('credit pays later invoices of the customer, goes back, and is never used or returned twice', async () => {
  // Email addresses of a customer compare without regard to case.
  const first = await newCredit('Pema@example.bt', 700);
  const second = await newCredit('pema@example.bt', 1000);
  const btn = await newCredit('pema@example.bt', 500, { currency: 'BTN' });
  expect(await paymentOf(first)).toMatchObject({ amountOver: 700, amountCredited: 0, creditFrom: null });
  const customerId = 'pema@example.bt';

  // A new invoice takes the oldest first, also if it takes no other parts.
  const paid = await newInvoice(api, { customerId, amount: 800, useCredit: true });
  expect([paid.status, paid.amountPaid]).toEqual(['paid', 800]);
  const partly = await newInvoice(api, { customerId, amount: 2000, useCredit: true });
  expect([partly.status, partly.amountPaid, partly.amountDue]).toEqual(['pending', 900, 1100]);
  expect(await paymentOf(first)).toMatchObject({ amountOver: 700, amountCredited: 700 });
  expect(await paymentOf(second)).toMatchObject({ amountOver: 1000, amountCredited: 1000 });
  expectError(await credit(partly.id), 400, 'no_credit');
  const { data } = (await api.get(`/api/payments?invoiceId=${paid.id}`)).json;
  const [later, earlier] = data;
  expect(data).toMatchObject([
    { method: 'credit', amount: 100, creditFrom: second, status: 'completed', amountRefunded: 0 },
    { method: 'credit', amount: 700, creditFrom: first, status: 'completed', amountRefunded: 0 },
  ]);
  const old = (await account.test.get(`/api/payments/${later.id}`)).json;
  expect([old.method, old.creditFrom, old.amountCredited]).toEqual(['offline', undefined, undefined]);

  // What is used cannot be refunded or voided, and a use has no money of its own.
  const refunded = await api.post('/api/refunds', { paymentId: first, amount: 1 });
  expectError(refunded, 400, 'refund_exceeds_payment');
  expect(refunded.json.error.message).toContain(earlier.id);
  expectError(await api.post('/api/refunds', { paymentId: later.id }), 400, 'payment_not_refundable');
  const kept = await voidIt(first);
  expectError(kept, 400, 'payment_not_voidable');
  expect(kept.json.error.message).toContain(`${earlier.id}. Void them first.`);

  // The void of a use gives the credit back, also of a paid invoice.
  const used = (await api.get(`/api/payments?invoiceId=${partly.id}`)).json.data[0];
  expect((await voidIt(used.id)).json.voidedAt).not.toBeNull();
  expect(await moneyOf(partly.id)).toEqual(['pending', 0, 2000]);
  expect((await voidIt(earlier.id)).status).toBe(200);
  const { replacedBy } = (await api.get(`/api/invoices/${paid.id}`)).json;
  expect(await moneyOf(replacedBy)).toEqual(['pending', 100, 700]);
  expect(await paymentOf(first)).toMatchObject({ amountCredited: 0 });
  expect(await paymentOf(second)).toMatchObject({ amountCredited: 100 });

  // A refund comes first from the credit.
  const { id: refund } = (await api.post('/api/refunds', { paymentId: first, amount: 300 })).json;
  await waitForResource(api, `/api/refunds/${refund}`, ({ status }) => status === 'processed');
  const tooMuch = await credit(partly.id, { creditFrom: first, amount: 401 });
  expectError(tooMuch, 400, 'invalid_amount', 'amount');
  expect(tooMuch.json.error.message).toContain('400 ($4.00)');
  expect((await credit(partly.id, { metadata: { note: 'x' } })).json).toMatchObject({
    ...{ amount: 400, creditFrom: first, metadata: { note: 'x' } },
  });

  // Bad input changes nothing.
  const other = await newInvoice(api, { customerId: 'cust_2' });
  for (const [body, code, field] of [
    [{ invoiceId: other.id, creditFrom: second }, 'invalid_credit_from', 'creditFrom'],
    [{ invoiceId: other.id, creditFrom: 'pay_0' }, 'invalid_credit_from', 'creditFrom'],
    [{ invoiceId: other.id, creditFrom: '' }, 'invalid_credit_from', 'creditFrom'],
    [{ invoiceId: partly.id, creditFrom: btn }, 'invalid_credit_from', 'creditFrom'],
    [{ invoiceId: partly.id, creditFrom: first }, 'invalid_credit_from', 'creditFrom'],
    [{ invoiceId: partly.id, creditFrom: first, method: 'offline' }, 'invalid_credit_from', 'creditFrom'],
    [{ invoiceId: partly.id, amount: 1601 }, 'invalid_amount', 'amount'],
    [{ invoiceId: partly.id, currency: 'BTN' }, 'invalid_currency', 'currency'],
    [{ invoiceId: partly.id, reference: 'x' }, 'invalid_reference', 'reference'],
    [{ invoiceId: partly.id, settle: { writeOff: 1, reason: 'tds' } }, 'invalid_settle', 'settle'],
    [{ invoiceId: 'inv_0' }, 'invalid_invoice', 'invoiceId'],
    [{ invoiceId: other.id }, 'no_credit', undefined],
    [{ invoiceId: paid.id }, 'invoice_already_paid', undefined],
  ] as const)
    expectError(await api.post('/api/payments', { method: 'credit', ...body }), 400, code, field);
  const wrong = await api.post('/api/invoices', { ...other, useCredit: 1 });
  expect(wrong.status).toBe(400);
  const asked = await api.delete(`/api/invoices/${partly.id}?payments=keep`);
  expectError(asked, 400, 'invalid_payments', 'payments');
  const without = await newInvoice(api, { customerId: 'cust_2', useCredit: true });
  expect([without.status, without.amountPaid]).toEqual(['pending', 0]);

  // A cancellation gives credit back, whatever becomes of other money.
  expect((await api.delete(`/api/invoices/${partly.id}`)).json.error.code).toBe('invoice_partly_paid');
  expect((await api.delete(`/api/invoices/${partly.id}?payments=refund`)).status).toBe(200);
  expect(await paymentOf(first)).toMatchObject({ amountCredited: 0, amountRefunded: 300 });

  // Two invoices that want the same credit at once share it.
  const both = await repeatInParallel(3, () =>
    newInvoice(api, { customerId, amount: 1000, useCredit: true }),
  );
  expect(both.reduce((sum, each) => sum + each.amountPaid, 0)).toBe(400 + 900);
  const racing = await newCredit('race', 500);
  const { id: target } = await newInvoice(api, { customerId: 'race' });
  const answers = await Promise.all([
    credit(target),
    api.post('/api/refunds', { paymentId: racing, amount: 400 }),
    voidIt(racing),
  ]);
  const { amount, amountCredited, amountRefunded, voidedAt } = await paymentOf(racing);
  expect(amountCredited + amountRefunded).toBeLessThanOrEqual(voidedAt === null ? amount : 0);
  expect(codesOf(answers).filter((code) => code === 201 || code === 200).length).toBeGreaterThan(0);

  // A payment that the merchant accepts although it is too much has credit.
  const held = await createHeldPayment(account.test);
  await api.post(`/api/payments/${held}/resolve`, { action: 'accept' });
  const { amountOver } = await paymentOf(held);
  const next = await newInvoice(api, { useCredit: true });
  expect([amountOver, next.amountPaid]).toEqual([100, 100]);

  // No use counts as a payment or as received, and all entries of the journal belong together.
  const table = tableOf(stack);
  await untilRelayed(table, `${account.accountId}#test`);
  const { data: entries } = (await api.get('/api/journal?limit=100')).json;
  const lines = entries.flatMap((entry: { lines: object[] }) => entry.lines);
  expect(JSON.stringify(lines)).not.toContain('received:credit');
  const { data: payments } = (await api.get('/api/payments?status=completed&currency=USD&limit=100')).json;
  const received = payments.filter(
    (each: { method: string; voidedAt: string | null }) => each.method !== 'credit' && each.voidedAt === null,
  );
  const { currencies } = (await api.get('/api/summary?currency=USD')).json;
  const counts = currencies[0].periods.map((period: { payments: number }) => period.payments);
  expect(counts.reduce((sum: number, each: number) => sum + each, 0)).toBe(received.length);
});
