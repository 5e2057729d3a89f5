/**
 * Tests money that comes although its invoice is paid, over HTTP: it is recorded only with `acceptOver`, nothing of it counts, and all of it is
 * credit or goes back. After each history, the reconciliation finds nothing.
 */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Stack } from '../../../infra/local/stack.ts';
import { type Api, newAccount, type TestAccount } from '../../support/api.ts';
import { expectError } from '../../support/expectations.ts';
import { inNewestVersion } from '../../support/newest-version.ts';
import { startTestStack } from '../../support/stack.ts';
import { createStatement, readPaymentReference } from '../../support/statements.ts';
import { type TestTable, tableOf } from '../../support/table.ts';
import { untilRelayed } from '../../support/until-relayed.ts';
import {
  cardBody,
  newInvoice,
  offlineBody,
  repeatInParallel,
  underKey,
  waitForOutcome,
} from './new-payment.ts';

let stack: Stack;
let table: TestTable;
let account: TestAccount;
let api: Api;

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  table = tableOf(stack);
});
afterAll(() => stack?.close());
beforeEach(async () => {
  account = await newAccount(stack.baseUrl);
  api = inNewestVersion(account.test);
});
afterEach(async () => {
  const owner = { account: account.accountId, mode: 'test' } as const;
  await relayed();
  const { reconcileNow } = await import('../../../shared/operations/reconciliation/reconcile-now.ts');
  const { differences, unconfirmed, failures } = await reconcileNow(owner, { full: true, waitsMs: [0, 0] });
  expect({ differences, unconfirmed, failures }).toEqual({ differences: [], unconfirmed: [], failures: [] });
});

const relayed = () => untilRelayed(table, `${account.accountId}#test`);
const pay = (id: string, fields: Record<string, unknown> = {}, options = {}) =>
  api.post('/api/payments', offlineBody(id, fields), options);
const again = { amount: 2400, acceptOver: true };
const voidOf = (id: string) => api.post(`/api/payments/${id}/void`, { reason: 'Wrong' });
const invoiceOf = async (id: string) => (await api.get(`/api/invoices/${id}`)).json;
const balances = async () => {
  await relayed();
  const { data } = (await api.get('/api/journal?limit=100')).json;
  const lines = data.flatMap(({ lines: own }: { lines: { account: string; amount: number }[] }) => own);
  const sumOf = (name: string) =>
    lines
      .filter(({ account: each }: { account: string }) => each === name)
      .reduce((sum: number, { amount }: { amount: number }) => sum + amount, 0);
  return {
    receivable: sumOf('receivable'),
    unapplied: sumOf('unapplied'),
    received: sumOf('received:offline'),
  };
};

/** An invoice of 2500 that is paid. */
async function newPaid() {
  const { id } = await newInvoice(api);
  const { json: first } = await pay(id);
  return { id: id as string, first };
}

test('it is refused with the remedy, and with acceptOver all of it is over', async () => {
  const { id } = await newPaid();
  const before = await invoiceOf(id);
  for (const fields of [{}, { amount: 2500 }, { amount: 2400 }, { amount: 2400, acceptOver: false }]) {
    const refused = await pay(id, fields);
    expectError(refused, 400, 'invoice_already_paid');
    expect(refused.json.error.message).toContain('acceptOver: true');
  }
  expectError(await pay(id, { acceptOver: true }), 400, 'invalid_amount', 'amount');
  const { status, json } = await pay(id, { ...again, reference: 'FT 9', bank: 'Bank' });
  expect([status, json]).toEqual([
    201,
    expect.objectContaining({ status: 'completed', amount: 2400, amountOver: 2400, amountCredited: 0 }),
  ]);
  expectError(await pay(id, { ...again, reference: 'FT 9', bank: 'Bank' }), 400, 'reference_already_used');
  // The invoice counts nothing of it, and is as before.
  expect(await invoiceOf(id)).toEqual(before);
  expect(await balances()).toEqual({ receivable: 0, unapplied: -2400, received: 4900 });
  expect((await api.get(`/api/payments?invoiceId=${id}`)).json.pagination.total).toBe(2);
  const { data } = (await api.get('/api/events?limit=100')).json;
  const own = data.filter(({ data: shown }: { data: { id: string } }) => [id, json.id].includes(shown.id));
  expect(own.map(({ type }: { type: string }) => type).sort()).toEqual([
    ...['invoice.created', 'invoice.paid', 'payment.completed'],
  ]);
});

test('cards, credit, write-offs, cancelled invoices and earlier versions do not take it', async () => {
  const { id } = await newPaid();
  expectError(await api.post('/api/payments', cardBody(id)), 400, 'invoice_already_paid');
  const settle = { writeOff: 100, reason: 'tds' };
  for (const fields of [{ ...again, settle }, { settle }]) {
    const refused = await pay(id, fields);
    expectError(refused, 400, 'invoice_already_paid');
    expect(refused.json.error.message).toMatch(/nothing to write off\. Leave settle out.*acceptOver: true/);
  }
  expectError(await pay(id, { ...again, claim: `clm_${'0'.repeat(26)}` }), 400, 'invalid_claim', 'claim');
  expectError(
    await account.test.post('/api/payments', offlineBody(id, again)),
    400,
    'unknown_parameter',
    'acceptOver',
  );
  const cancelled = await newInvoice(api);
  await api.delete(`/api/invoices/${cancelled.id}`);
  expect((await pay(cancelled.id, again)).json.error.code).not.toBeUndefined();
  expect(await balances()).toMatchObject({ unapplied: 0, received: 2500 });
});

test('it pays the next invoice of the customer, is refunded without a credit note, and then has nothing left', async () => {
  const { changeSeller } = await import('../../../shared/domain/accounts/seller-change-store.ts');
  await changeSeller(account.accountId, { legalName: 'Druk', address: { country: 'BT' }, taxIds: [] });
  const { id } = await newPaid();
  const { json: more } = await pay(id, again);
  const next = await newInvoice(api, { amount: 1000 });
  const used = await api.post('/api/payments', { invoiceId: next.id, method: 'credit' });
  expect(used.json).toMatchObject({ amount: 1000, creditFrom: more.id });
  expectError(await voidOf(more.id), 400, 'payment_not_voidable');
  const refund = (amount: number) => api.post('/api/refunds', { paymentId: more.id, amount });
  expectError(await refund(1401), 400, 'refund_exceeds_payment');
  const processed = await waitForOutcome(api, 'refunds', (await refund(1400)).json.id);
  expect(processed).toMatchObject({ status: 'processed', amount: 1400, amountOver: 1400 });
  expect(await balances()).toEqual({ receivable: 0, unapplied: 0, received: 4900 });
  expect(await invoiceOf(id)).toMatchObject({ status: 'paid', amountPaid: 2500, amountDue: 0 });
  const { data } = (await api.get(`/api/invoices/${id}/documents`)).json;
  expect(data.map(({ kind }: { kind: string }) => kind).sort()).toEqual(['invoice', 'receipt']);
});

test('a void of it changes no invoice, and a void of the first payment leaves it as credit for the new invoice', async () => {
  const { id, first } = await newPaid();
  const wrong = (await pay(id, again)).json;
  expect((await voidOf(wrong.id)).json).toMatchObject({ amountOver: 2400, voidReason: 'Wrong' });
  expect(await invoiceOf(id)).toMatchObject({ status: 'paid', amountPaid: 2500, replacedBy: null });
  expect(await balances()).toMatchObject({ unapplied: 0 });

  const right = (await pay(id, again)).json;
  expect((await voidOf(first.id)).status).toBe(200);
  const replaced = await invoiceOf(id);
  expect(replaced).toMatchObject({ status: 'paid', amountPaid: 0 });
  expect(await invoiceOf(replaced.replacedBy)).toMatchObject({ status: 'pending', amountDue: 2500 });
  const refused = await pay(id, again);
  expectError(refused, 400, 'invoice_already_paid');
  expect(refused.json.error.message).toContain(replaced.replacedBy);
  const part = await api.post('/api/payments', { invoiceId: replaced.replacedBy, method: 'credit' });
  expect(part.json).toMatchObject({ amount: 2400, creditFrom: right.id });
  expect(await balances()).toEqual({ receivable: 100, unapplied: 0, received: 2400 });
});

test('a row of a statement of a paid invoice waits, and pays only with acceptOver', async () => {
  const { id } = await newPaid();
  const paymentReference = await readPaymentReference(table, id);
  const { path, row } = await createStatement(api, { amount: 2400, text: `AGAIN ${paymentReference}` });
  await relayed();
  const shown = async () => (await api.get(`${path}/rows`)).json.data[0];
  const suggested = { invoiceId: id, reason: 'payment_reference', amountDue: 0 };
  expect(await shown()).toMatchObject({ status: 'unmatched', suggestions: [suggested] });
  const match = (fields: object) => api.post(`${row}/match`, { invoiceId: id, ...fields });
  expectError(await match({}), 400, 'invoice_already_paid');
  const { status, json } = await match({ acceptOver: true });
  expect([status, json]).toEqual([201, expect.objectContaining({ amount: 2400, amountOver: 2400 })]);
  expect(await shown()).toMatchObject({ status: 'matched', amountMatched: 2400, suggestions: [] });
  expect((await voidOf(json.id)).status).toBe(200);
  expect(await shown()).toMatchObject({ status: 'unmatched', amountMatched: 0 });
});

test('a row is no more money of a paid invoice if its money can be a payment that is recorded already', async () => {
  const { id } = await newInvoice(api);
  const { json: first } = await pay(id, { receivedOn: '2026-03-30' });
  const paymentReference = await readPaymentReference(table, id);
  const { path } = await createStatement(api, { amount: 2500, text: `ONCE ${paymentReference}` });
  await relayed();
  const [shown] = (await api.get(`${path}/rows`)).json.data;
  expect(shown).toMatchObject({ suggestions: [], recordedPayments: [{ paymentId: first.id }] });
});

test('beside each other, all money counts or is over, and a key records once', async () => {
  const { id } = await newInvoice(api);
  const answers = await repeatInParallel(5, () => pay(id, { amount: 2500, acceptOver: true }));
  expect(answers.map(({ json }) => json.amountOver).sort()).toEqual([0, 2500, 2500, 2500, 2500]);
  expect(await invoiceOf(id)).toMatchObject({ status: 'paid', amountPaid: 2500 });
  const same = await repeatInParallel(4, () => pay(id, again, underKey(`again ${id}`)));
  expect(new Set(same.map(({ json }) => json.id)).size).toBe(1);
  const { id: other, first } = await newPaid();
  const [voided, more] = await Promise.all([voidOf(first.id), pay(other, again)]);
  expect(voided.status).toBe(200);
  expect([201, 400]).toContain(more.status);
  if (more.status === 400) expectError(more, 400, 'invoice_already_paid');
});
