/**
 * Tests the void of a payment that has paid its invoice, over HTTP: the two invoices, their documents and sums, the payment page, and
 * races. After each history, the reconciliation finds nothing. Takes 8 seconds.
 */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Stack } from '../../../infra/local/stack.ts';
import { type Api, newAccount } from '../../support/api.ts';
import { expectError } from '../../support/expectations.ts';
import { inNewestVersion } from '../../support/newest-version.ts';
import { formOf, goodCard, openPage, submit } from '../../support/pay-page.ts';
import { isExhaustive } from '../../support/run.ts';
import { startTestStack } from '../../support/stack.ts';
import { type TestTable, tableOf } from '../../support/table.ts';
import { untilRelayed } from '../../support/until-relayed.ts';
import { waitUntil } from '../../support/wait-until.ts';
import {
  cardBody,
  codesOf,
  newInvoice,
  offlineBody,
  repeatInParallel,
  underKey,
  waitForOutcome,
} from './new-payment.ts';

let stack: Stack;
let table: TestTable;
let api: Api;
let owner: { readonly account: string; readonly mode: 'test' };

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  table = tableOf(stack);
});
afterAll(() => stack?.close());
beforeEach(async () => {
  const account = await newAccount(stack.baseUrl);
  api = inNewestVersion(account.test);
  owner = { account: account.accountId, mode: 'test' };
});
afterEach(async () => {
  await untilRelayed(table, `${owner.account}#test`);
  const { reconcileNow } = await import('../../../shared/operations/reconciliation/reconcile-now.ts');
  const { differences, unconfirmed, failures } = await reconcileNow(owner, { full: true, waitsMs: [0, 0] });
  expect({ differences, unconfirmed, failures }).toEqual({ differences: [], unconfirmed: [], failures: [] });
});

const newPartial = (fields: object = {}) => newInvoice(api, { acceptPartial: true, ...fields });
const get = async (id: string) =>
  (await api.get(`/api/${id.startsWith('pay_') ? 'payments' : 'invoices'}/${id}`)).json;
const pay = async (id: string, amount?: number, fields: object = {}) => {
  const body = offlineBody(id, { ...(amount !== undefined && { amount }), ...fields });
  const { json, status } = await api.post('/api/payments', body);
  expect([status, json]).toEqual([201, json]);
  return json;
};
const send = (id: string, reason = 'Typed twice', options = {}) =>
  api.post(`/api/payments/${id}/void`, { reason }, options);
const voidPayment = async (id: string) => {
  const { json, status } = await send(id);
  expect([status, json]).toEqual([200, json]);
  return json;
};
const paymentsOf = async (invoiceId: string) =>
  (await api.get(`/api/payments?invoiceId=${invoiceId}`)).json.data as { id: string; invoiceId: string }[];

test('the paid invoice is credited, and the one that replaces it has its content, its reference and the other payments', async () => {
  const before = await newPartial({ reference: 'PO 7', metadata: { order: '9' } });
  const byCard = (await api.post('/api/payments', cardBody(before.id, undefined, { amount: 500 }))).json;
  const first = await pay(before.id, 700);
  const bank = { bank: 'Bank of Bhutan', reference: 'FT 77' };
  const wrong = await pay(before.id, undefined, bank);
  expect(await voidPayment(wrong.id)).toMatchObject({
    ...{ status: 'completed', invoiceId: before.id, amount: 1300, voidReason: 'Typed twice' },
  });
  const credited = await get(before.id);
  expect(credited).toMatchObject({ status: 'paid', amountPaid: 0, amountDue: 0, reference: null });
  const open = await get(credited.replacedBy);
  const { id, paymentUrl, createdAt, updatedAt, ...same } = before;
  const money = { amountPaid: 1200, amountDue: 1300 };
  expect(open).toMatchObject({ ...same, ...money, replaces: id, replacedBy: null, status: 'pending' });
  expect((await api.get('/api/invoices?reference=PO%207')).json.data[0].id).toBe(open.id);
  // The other payments name the new invoice, and the lists of both have them.
  expect((await paymentsOf(open.id)).map((each) => [each.id, each.invoiceId])).toEqual([
    [first.id, open.id],
    [byCard.id, open.id],
  ]);
  expect((await paymentsOf(id)).map((each) => each.id)).toEqual([wrong.id, first.id, byCard.id]);
  const page = await fetch(paymentUrl);
  expect([page.url, (await page.text()).includes('$13.00')]).toEqual([open.paymentUrl, true]);
  const events = await waitUntil('the events of the void', async () => {
    const { data } = (await api.get('/api/events?limit=5')).json;
    return data[2].data.id === open.id && data;
  });
  expect(events).toMatchObject([
    { type: 'payment.updated', data: { id: first.id, invoiceId: open.id } },
    { type: 'payment.updated', data: { id: byCard.id, invoiceId: open.id } },
    { type: 'invoice.created', data: { id: open.id, amountPaid: 1200 } },
    { type: 'invoice.updated', data: { id }, previous: { amountPaid: 2500, replacedBy: null } },
    { type: 'payment.voided', data: { id: wrong.id } },
  ]);
  // The bank reference is free again, a payer pays a part on the page, and another wrong payment leads to a third invoice.
  const again = await pay(open.id, 300, bank);
  await submit(open.paymentUrl, { ...formOf(await openPage(open.paymentUrl)), ...goodCard, part: '' });
  expect(await get(open.id)).toMatchObject({ status: 'paid', amountPaid: 2500 });
  await voidPayment(again.id);
  const third = await get((await get(open.id)).replacedBy);
  expect(third).toMatchObject({ replaces: open.id, status: 'pending', amountPaid: 2200, amountDue: 300 });
  expect((await fetch(paymentUrl)).url).toBe(third.paymentUrl);
  await waitUntil('the sums say what is due', async () => {
    const [sums] = (await api.get('/api/summary')).json.currencies;
    return sums.outstanding === 300;
  });
  const mail = await api.post(`/api/invoices/${before.id}/send`, { to: 'a@example.bt' });
  expectError(mail, 400, 'invoice_already_cancelled');
  // A refund of a payment that has moved is about the invoice that counts it.
  const refund = (await api.post('/api/refunds', { paymentId: byCard.id, amount: 100 })).json;
  expect((await waitForOutcome(api, 'refunds', refund.id)).invoiceId).toBe(third.id);
  expect(await get(third.id)).toMatchObject({ amountPaid: 2200, amountDue: 300 });
});

test('a payment of all, also from a row of a statement or with a difference, can be voided', async () => {
  const { changeSeller } = await import('../../../shared/domain/accounts/seller-change-store.ts');
  await changeSeller(owner.account, {
    ...{ legalName: 'Druk Crafts', address: { country: 'BT' }, writeOffPercent: 10 },
  });
  const invoice = await newInvoice(api, { currency: 'BTN' });
  const rows = [{ day: '2026-03-31', amount: 2500, reference: 'FT 1' }];
  const { json } = await api.post('/api/statements', { bank: 'Bank of Bhutan', currency: 'BTN', rows });
  const [{ id: rowId }] = (await api.get(`/api/statements/${json.id}/rows`)).json.data;
  const row = `/api/statements/${json.id}/rows/${rowId}`;
  const matched = await api.post(`${row}/match`, { invoiceId: invoice.id });
  await voidPayment(matched.json.id);
  const open = await get((await get(invoice.id)).replacedBy);
  expect(open).toMatchObject({ status: 'pending', amountPaid: 0, amountDue: 2500 });
  expect((await api.post(`${row}/match`, { invoiceId: open.id })).json.amount).toBe(2500);
  // A payment that closed an invoice with a difference takes the difference with it. Another one does not.
  const partial = await newPartial({ currency: 'BTN' });
  const first = await pay(partial.id, 1000);
  await pay(partial.id, undefined, { settle: { writeOff: 200, reason: 'tds' } });
  await voidPayment(first.id);
  const second = await get((await get(partial.id)).replacedBy);
  expect(second).toMatchObject({ amountPaid: 1300, amountWrittenOff: 200, amountDue: 1000 });
});

test('the invoice with a number gets a credit note for all of it, and the numbers have no gap', async () => {
  const { changeSeller } = await import('../../../shared/domain/accounts/seller-change-store.ts');
  await changeSeller(owner.account, { legalName: 'Druk Crafts', address: { country: 'BT' } });
  const lines = [{ description: 'Tea', quantity: '3', unitAmount: 333, tax: 'bt_gst_5' }];
  const invoice = await newPartial({ currency: 'BTN', amount: undefined, lines });
  const first = await pay(invoice.id, 400);
  const last = await pay(invoice.id);
  await voidPayment(last.id);
  const open = await get((await get(invoice.id)).replacedBy);
  const documentsOf = (id: string, count: number) =>
    waitUntil(`${count} documents of ${id}`, async () => {
      const { data } = (await api.get(`/api/invoices/${id}/documents`)).json;
      return data.length === count && data;
    });
  const [note] = await documentsOf(invoice.id, 5);
  expect(note).toMatchObject({ kind: 'credit_note', number: 'CN-0001', amount: invoice.amount });
  const { content } = (await api.get(`/api/documents/${note.id}`)).json;
  expect(content).toMatchObject({
    corrects: { number: 'INV-0001' },
    taxes: [{ code: 'bt_gst_5', taxable: 999, amount: 50 }],
    reason: expect.stringContaining('recorded by mistake'),
  });
  expect((await documentsOf(open.id, 1))[0]).toMatchObject({ kind: 'invoice', number: 'INV-0002' });
  // A refund of the payment that has moved credits the new invoice.
  const refund = (await api.post('/api/refunds', { paymentId: first.id, amount: 100 })).json;
  await waitForOutcome(api, 'refunds', refund.id);
  expect((await documentsOf(open.id, 2))[0]).toMatchObject({ kind: 'credit_note', number: 'CN-0002' });
  const { data: journal } = (await api.get('/api/journal?limit=100')).json;
  const sums = new Map<string, number>();
  for (const { lines: entries } of journal)
    for (const { account, amount } of entries) sums.set(account, (sums.get(account) ?? 0) + amount);
  expect([...sums.values()].reduce((one, other) => one + other, 0)).toBe(0);
  expect([sums.get('receivable'), sums.get('cancelled'), sums.get('received:offline')]).toEqual([
    invoice.amount - 400,
    invoice.amount,
    400,
  ]);
});

test('a void has one effect in races: with itself, with other voids, refunds and payments', async () => {
  const rounds = isExhaustive ? 20 : 3;
  await repeatInParallel(rounds, async () => {
    const { id } = await newPartial();
    const parts = [await pay(id, 1000), await pay(id, 1000), await pay(id)];
    const answers = await Promise.all(
      parts.flatMap((each) => [send(each.id), api.post('/api/refunds', { paymentId: each.id, amount: 1 })]),
    );
    const voids = answers.filter((_, index) => index % 2 === 0);
    const refunds = answers.filter((_, index) => index % 2 === 1);
    for (const each of answers)
      if (each.status >= 400)
        expect(['payment_not_voidable', 'payment_not_refundable']).toContain(each.json.error.code);
    // A later void is of a payment that has moved to the invoice that replaces the paid one.
    const isVoided = voids.map(({ status }) => status === 200);
    const isRefunded = refunds.map(({ status }) => status === 201);
    for (const [index, each] of parts.entries()) {
      expect(isVoided[index] && isRefunded[index]).toBe(false);
      expect((await get(each.id)).voidedAt !== null).toBe(isVoided[index]);
    }
    expect([...isVoided, ...isRefunded]).toContain(true);
    let shown = await get(id);
    while (shown.replacedBy !== null) shown = await get(shown.replacedBy);
    const left = parts.filter((_, index) => !isVoided[index]);
    expect(shown.amountPaid).toBe(left.reduce((sum, { amount }) => sum + amount, 0));
    expect(shown.status).toBe(isVoided.includes(true) ? 'pending' : 'paid');
  });
  await repeatInParallel(rounds, async (index) => {
    const { id } = await newPartial();
    const { id: first } = await pay(id, 1000);
    // The invoice is paid by the last part, or not yet, when the void decides.
    const [rest, voided, twice] = await Promise.all([
      api.post('/api/payments', offlineBody(id)),
      send(first, 'Wrong', underKey(`void ${index}`)),
      send(first, 'Wrong', underKey(`void ${index}`)),
    ]);
    expect(rest.status).toBe(201);
    // A refusal is not kept: the payments of the invoice have just changed.
    const done = [voided, twice].filter(({ status }) => status === 200);
    expect(new Set(done.map(({ text }) => text)).size).toBeLessThan(2);
    if (done.length === 0) expect(codesOf([await send(first)])).toEqual([200]);
    const { replacedBy, ...invoice } = await get(id);
    const open = replacedBy === null ? invoice : await get(replacedBy);
    expect(open.amountPaid + open.amountDue).toBe(2500);
    expect((await get(first)).voidedAt).not.toBeNull();
    expect(await send(first)).toMatchObject({ status: 400 });
  });
});
