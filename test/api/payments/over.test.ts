/**
 * Tests money received outside the service that is more than what is due, over HTTP: the refusal, `acceptOver`, the credit that it makes,
 * races, voids and refunds. After each history, the reconciliation finds nothing.
 */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Stack } from '../../../infra/local/stack.ts';
import { type Api, newAccount, type TestAccount } from '../../support/api.ts';
import { claimOnPage } from '../../support/claims.ts';
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
  const { updateSettings } = await import('../../../shared/domain/accounts/settings-store.ts');
  await updateSettings(account.accountId, { displayName: 'Druk Shop', paymentInstructions: 'Account 12345' });
});
afterEach(async () => {
  const owner = { account: account.accountId, mode: 'test' } as const;
  await untilRelayed(table, `${owner.account}#test`);
  const { reconcileNow } = await import('../../../shared/operations/reconciliation/reconcile-now.ts');
  const { differences, unconfirmed, failures } = await reconcileNow(owner, { full: true, waitsMs: [0, 0] });
  expect({ differences, unconfirmed, failures }).toEqual({ differences: [], unconfirmed: [], failures: [] });
});

const pay = (id: string, fields: Record<string, unknown> = {}, options = {}) =>
  api.post('/api/payments', offlineBody(id, fields), options);
const over = { amount: 3000, acceptOver: true };
const shownOver = { status: 'completed', method: 'offline', amount: 3000, amountOver: 500 };
const moneyOf = async (id: string) => {
  const { status, amountPaid, amountDue } = (await api.get(`/api/invoices/${id}`)).json;
  return { status, amountPaid, amountDue };
};
const paid = { status: 'paid', amountPaid: 2500, amountDue: 0 };
const unapplied = async () => {
  const { data } = (await api.get('/api/journal?limit=100')).json;
  const lines = data.flatMap(({ lines: own }: { lines: { account: string; amount: number }[] }) => own);
  return lines
    .filter(({ account: name }: { account: string }) => name === 'unapplied')
    .reduce((sum: number, { amount }: { amount: number }) => sum + amount, 0);
};
const relayed = () => untilRelayed(table, `${account.accountId}#test`);

test('more than what is due is refused with the remedy, and kept as credit if the client accepts it', async () => {
  for (const acceptPartial of [false, true]) {
    const { id } = await newInvoice(api, { acceptPartial });
    for (const fields of [{ amount: 3000 }, { amount: 3000, acceptOver: false }]) {
      const refused = await pay(id, fields);
      expectError(refused, 400, 'invalid_amount', 'amount');
      expect(refused.json.error.message).toMatch(/2500 \(\$25\.00\).*acceptOver: true/);
    }
    const accepted = await pay(id, over);
    expect([accepted.status, accepted.json]).toEqual([201, expect.objectContaining(shownOver)]);
    expect(await moneyOf(id)).toEqual(paid);
    expectError(await pay(id, { amount: 3000 }), 400, 'invoice_already_paid');
  }
  await relayed();
  expect(await unapplied()).toBe(-1000);
});

test('after a part, only what is above the rest is credit, and nothing is over without more', async () => {
  const { id } = await newInvoice(api, { acceptPartial: true });
  expect((await pay(id, { amount: 1000, acceptOver: true })).json).toMatchObject({ amountOver: 0 });
  expect((await pay(id, { amount: 2000, acceptOver: true })).json).toMatchObject({ amountOver: 500 });
  expect(await moneyOf(id)).toEqual(paid);
  const whole = await newInvoice(api);
  expect((await pay(whole.id, { acceptOver: true })).json).toMatchObject({ amount: 2500, amountOver: 0 });
  const less = await newInvoice(api);
  expectError(await pay(less.id, { amount: 2000, acceptOver: true }), 400, 'invalid_amount', 'amount');
});

test('a wrong field, another method, an earlier version and a write-off do not accept more', async () => {
  const { id } = await newInvoice(api);
  for (const acceptOver of ['true', 1])
    expectError(await pay(id, { amount: 3000, acceptOver }), 400, 'invalid_accept_over', 'acceptOver');
  const card = cardBody(id, undefined, over);
  expectError(await api.post('/api/payments', card), 400, 'invalid_accept_over', 'acceptOver');
  const credit = { invoiceId: id, method: 'credit', acceptOver: true };
  expectError(await api.post('/api/payments', credit), 400, 'invalid_accept_over', 'acceptOver');
  const earlier = await account.test.post('/api/payments', offlineBody(id, over));
  expectError(earlier, 400, 'unknown_parameter', 'acceptOver');
  const { changeSeller } = await import('../../../shared/domain/accounts/seller-change-store.ts');
  const profile = { legalName: 'Druk', address: { country: 'BT' }, writeOffPercent: 10 } as const;
  await changeSeller(account.accountId, profile);
  const settle = { writeOff: 100, reason: 'tds' };
  expectError(await pay(id, { ...over, settle }), 400, 'invalid_amount', 'amount');
  expect(await moneyOf(id)).toEqual({ status: 'pending', amountPaid: 0, amountDue: 2500 });
});

test('the credit pays the next invoice of the customer, and a void waits until it does not', async () => {
  const [first, next] = [await newInvoice(api), await newInvoice(api)];
  const payment = (await pay(first.id, over)).json;
  const used = (await api.post('/api/payments', { invoiceId: next.id, method: 'credit' })).json;
  expect(used).toMatchObject({ amount: 500, creditFrom: payment.id });
  const voidOf = (id: string) => api.post(`/api/payments/${id}/void`, { reason: 'Wrong' });
  expectError(await voidOf(payment.id), 400, 'payment_not_voidable');
  expectError(
    await api.post('/api/refunds', { paymentId: payment.id, amount: 2501 }),
    400,
    'refund_exceeds_payment',
  );
  expect((await voidOf(used.id)).status).toBe(200);
  expect((await voidOf(payment.id)).status).toBe(200);
  const third = await newInvoice(api);
  expectError(await api.post('/api/payments', { invoiceId: third.id, method: 'credit' }), 400, 'no_credit');
  await relayed();
  expect(await unapplied()).toBe(0);
});

test('a refund returns what is over first, without a credit note', async () => {
  const { changeSeller } = await import('../../../shared/domain/accounts/seller-change-store.ts');
  await changeSeller(account.accountId, { legalName: 'Druk', address: { country: 'BT' }, taxIds: [] });
  const { id } = await newInvoice(api);
  const { json } = await pay(id, over);
  for (const [amount, amountOver] of [
    [500, 500],
    [100, 0],
  ]) {
    const refund = (await api.post('/api/refunds', { paymentId: json.id, amount })).json;
    const processed = await waitForOutcome(api, 'refunds', refund.id);
    expect(processed).toMatchObject({ status: 'processed', method: 'offline', amount, amountOver });
  }
  await relayed();
  const { data } = (await api.get(`/api/invoices/${id}/documents`)).json;
  const notes = data.filter(({ kind }: { kind: string }) => kind === 'credit_note');
  expect(notes.map(({ amount }: { amount: number }) => amount)).toEqual([100]);
  expect(await unapplied()).toBe(0);
});

test('a claim and a row of a statement keep what is above the amount due only if the merchant accepts it', async () => {
  const claimed = await newInvoice(api);
  await claimOnPage(claimed, { amount: '25.00' });
  await api.patch(`/api/invoices/${claimed.id}`, { amount: 2000 });
  const { claim } = (await api.get(`/api/invoices/${claimed.id}`)).json;
  const confirmed = { claim: claim.id };
  const refused = await pay(claimed.id, confirmed);
  expectError(refused, 400, 'invalid_amount', 'amount');
  expect(refused.json.error.message).toContain('acceptOver: true');
  const accepted = await pay(claimed.id, { ...confirmed, acceptOver: true });
  expect(accepted.json).toMatchObject({ amount: 2500, amountOver: 500, claim: claim.id });
  expect((await api.get(`/api/invoices/${claimed.id}`)).json).toMatchObject({
    ...{ status: 'paid', amountPaid: 2000, claim: { status: 'confirmed' } },
  });

  const { id: invoiceId } = await newInvoice(api);
  const { row } = await createStatement(api, { reference: 'FT 3000', amount: 3000 });
  const match = (fields: object) => api.post(`${row}/match`, { invoiceId, ...fields });
  const tooMuch = await match({});
  expectError(tooMuch, 400, 'invalid_amount', 'amount');
  expect(tooMuch.json.error.message).toContain('acceptOver: true');
  expectError(await match({ acceptOver: 'yes' }), 400, 'invalid_accept_over', 'acceptOver');
  expectError(await match({ amount: 3001, acceptOver: true }), 400, 'invalid_amount', 'amount');
  const matched = await match({ acceptOver: true });
  expect(matched.json).toMatchObject({ ...shownOver, reference: 'FT 3000' });
  expect(await moneyOf(invoiceId)).toEqual(paid);
  const own = `${row.split('/rows/')[0]}/rows`;
  const { data } = (await api.get(own)).json;
  expect(data[0]).toMatchObject({
    status: 'matched',
    payments: [{ paymentId: matched.json.id, amount: 3000 }],
  });
  const paymentId = matched.json.id;
  const link = { paymentId, acceptOver: true };
  expectError(await api.post(`${row}/match`, link), 400, 'invalid_accept_over', 'acceptOver');
  expect((await api.post(`/api/payments/${paymentId}/void`, { reason: 'Wrong' })).status).toBe(200);
  expect((await api.get(own)).json.data[0]).toMatchObject({ status: 'unmatched', payments: [] });
});

test('of payments of too much at once, one pays, all of the others is over, and a key pays once', async () => {
  const { id } = await newInvoice(api, { acceptPartial: true });
  const answers = await repeatInParallel(4, () => pay(id, over));
  expect(answers.map(({ json }) => json.amountOver).sort()).toEqual([3000, 3000, 3000, 500]);
  const other = await newInvoice(api);
  const same = await repeatInParallel(4, () => pay(other.id, over, underKey(`over ${other.id}`)));
  expect(new Set(same.map(({ text }) => text)).size).toBe(1);
  expect((await api.get(`/api/payments?invoiceId=${other.id}`)).json.data).toHaveLength(1);
});

test('of parts and payments of too much at once, all money is counted or over', async () => {
  const { id } = await newInvoice(api, { acceptPartial: true });
  const sent = [1000, 2000, 3000, 700].map((amount) => pay(id, { amount, acceptOver: true }));
  const taken = (await Promise.all(sent)).filter(({ status }) => status === 201).map(({ json }) => json);
  const sum = taken.reduce((total, { amount, amountOver }) => total + amount - amountOver, 0);
  expect(sum).toBe((await moneyOf(id)).amountPaid);
  expect(taken.filter(({ amount, amountOver }) => amountOver > 0 && amountOver < amount).length).toBeLessThan(
    2,
  );
  expect(await moneyOf(id)).toEqual(paid);
});

test('a void and a use of the credit at once: one wins', async () => {
  for (let index = 0; index < 4; index++) {
    const [first, next] = [await newInvoice(api), await newInvoice(api)];
    const payment = (await pay(first.id, over)).json;
    const [voided, used] = await Promise.all([
      api.post(`/api/payments/${payment.id}/void`, { reason: 'Wrong' }),
      api.post('/api/payments', { invoiceId: next.id, method: 'credit', creditFrom: payment.id }),
    ]);
    expect([voided.status, used.status].sort()).toEqual(voided.status === 200 ? [200, 400] : [201, 400]);
  }
});

test('a row of the same money does not pay the invoice that replaces it by itself', async () => {
  const { id } = await newInvoice(api, { amount: 1600, acceptPartial: true });
  const first = (await pay(id, { amount: 1000 })).json;
  const second = (await pay(id, { amount: 700, acceptOver: true, receivedOn: '2026-03-31' })).json;
  expect(second).toMatchObject({ amountOver: 100 });
  const paymentReference = await readPaymentReference(table, id);
  expect((await api.post(`/api/payments/${first.id}/void`, { reason: 'Wrong' })).status).toBe(200);
  const { row } = await createStatement(api, { amount: 700, text: `TRANSFER ${paymentReference}` });
  const [statement] = row.split('/rows/');
  await relayed();
  expect((await api.get(`${statement}/rows`)).json.data[0]).toMatchObject({
    status: 'unmatched',
    recordedPayments: [{ paymentId: second.id }],
  });
});
