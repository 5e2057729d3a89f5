/**
 * Tests rows of bank statements that went out, over HTTP: they are matched with refunds, by themselves and by people, once, and transfers
 * that a bank took back are suggested to their payments. Takes 10 seconds.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Stack } from '../../../infra/local/stack.ts';
import { type Api, newAccount, type TestAccount } from '../../support/api.ts';
import { expectError } from '../../support/expectations.ts';
import { inNewestVersion } from '../../support/newest-version.ts';
import { startTestStack } from '../../support/stack.ts';
import { type TestTable, tableOf } from '../../support/table.ts';
import { untilRelayed } from '../../support/until-relayed.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { newInvoice } from '../payments/new-payment.ts';

let stack: Stack;
let table: TestTable;
let account: TestAccount;
let api: Api;

beforeAll(async () => {
  stack = await startTestStack();
  table = tableOf(stack);
  account = await newAccount(stack.baseUrl);
  api = inNewestVersion(account.test);
});
afterAll(() => stack?.close());

const today = () => new Date().toISOString().slice(0, 10);

/** Records a payment of a new invoice, and a refund of it. */
async function refund(amount: number, fields: object = {}) {
  const invoice = await newInvoice(api, { currency: 'BTN', amount: 9000 });
  const body = { invoiceId: invoice.id, method: 'offline', ...fields };
  const { json: payment } = await api.post('/api/payments', body);
  const { status, json } = await api.post('/api/refunds', { paymentId: payment.id, amount });
  expect([status, json]).toEqual([201, json]);
  expect(json.statementRow).toBeNull();
  await waitUntil('the refund is processed', async () => {
    return (await api.get(`/api/refunds/${json.id}`)).json.status === 'processed';
  });
  await untilRelayed(table, `${account.accountId}#test`);
  const { tableKeys } = await import('../../../shared/store/keys.ts');
  const reference = String((await table.get(tableKeys.record(invoice.id)))?.paymentReference);
  return { id: String(json.id), payment, invoice, reference };
}

/** Imports rows, and waits until they were tried. */
async function importRows(rows: readonly object[], bank = 'Bank of Bhutan') {
  const { status, json } = await api.post('/api/statements', {
    bank,
    currency: 'BTN',
    rows: rows.map((row) => ({ day: today(), ...row })),
  });
  expect([status, json]).toEqual([201, json]);
  const path = `/api/statements/${json.id}`;
  await waitUntil('the rows were tried', async () => (await api.get(path)).json.status === 'ready');
  return { path, rows: async () => (await api.get(`${path}/rows`)).json.data };
}
const match = (path: string, row: string, body: object) => api.post(`${path}/rows/${row}/match`, body);
const rowOf = async (id: string) => (await api.get(`/api/refunds/${id}`)).json.statementRow;

describe('a row that went out is matched with a refund by itself', () => {
  test('if it has the ID of the refund, or the payment reference of its invoice', async () => {
    const [one, other] = [await refund(1100), await refund(1200)];
    const statement = await importRows([
      { amount: -1100, text: `PAID BACK ${one.id.toUpperCase().replace('_', ' ')}` },
      { amount: -1200, reference: 'FT 1', text: `TRF ${other.reference}` },
    ]);
    const [first, second] = await statement.rows();
    for (const [row, { id, payment }] of [
      [first, one],
      [second, other],
    ] as const) {
      expect(row).toMatchObject({
        status: 'matched',
        amountMatched: -row.amount,
        payments: [],
        refunds: [],
        refund: { refundId: id, paymentId: payment.id },
      });
      expect(await rowOf(id)).toBe(row.id);
    }
    const ofOne = (await api.get(`/api/refunds/${one.id}`)).json;
    expect(ofOne.updatedAt > ofOne.createdAt).toBe(true);
    expect(await api.get(`${statement.path}/rows?status=matched`)).toMatchObject({
      json: { pagination: { total: 2 } },
    });
    // The same row in another statement changes nothing.
    const longer = await importRows([
      { amount: -1100, text: `PAID BACK ${one.id}` },
      { amount: -3, text: 'FEE' },
    ]);
    expect((await longer.rows())[0]).toMatchObject({ id: first.id, status: 'matched' });
  });

  test('only with its exact amount and currency, and if one refund fits', async () => {
    const { id, reference, payment } = await refund(1300);
    const again = await api.post('/api/refunds', { paymentId: payment.id, amount: 1300 });
    await waitUntil('the refund is processed', async () => {
      return (await api.get(`/api/refunds/${again.json.id}`)).json.status === 'processed';
    });
    await untilRelayed(table, `${account.accountId}#test`);
    const { rows } = await importRows([
      { amount: -1299, text: id },
      { amount: 1300, text: id },
      { amount: -1300, text: reference },
    ]);
    expect((await rows()).map(({ status }: { status: string }) => status)).toEqual([
      ...['unmatched', 'unmatched', 'unmatched'],
    ]);
    expect(await rowOf(id)).toBeNull();
    // The ID tells them apart. Of two equal rows, one is it.
    const named = await importRows([
      { amount: -1300, text: id },
      { amount: -1300, text: id },
    ]);
    const statuses = (await named.rows()).map(({ status }: { status: string }) => status);
    expect(statuses.sort()).toEqual(['matched', 'unmatched']);
  });
});

test('a row is left to people if a second refund fits that is older than ten others of the amount', async () => {
  const { id, reference, payment } = await refund(17);
  const other = await newInvoice(api, { currency: 'BTN', amount: 9000 });
  const { json: many } = await api.post('/api/payments', { invoiceId: other.id, method: 'offline' });
  const again = (paymentId: string) => api.post('/api/refunds', { paymentId, amount: 17 });
  for (let count = 0; count < 10; count++) expect((await again(many.id)).status).toBe(201);
  const { json: newest } = await again(payment.id);
  await untilRelayed(table, `${account.accountId}#test`);
  const { rows } = await importRows([{ amount: -17, text: reference }]);
  expect((await rows())[0]).toMatchObject({ status: 'unmatched', refund: null });
  expect([await rowOf(id), await rowOf(newest.id)]).toEqual([null, null]);
});

describe('a person', () => {
  test('matches a row with a suggested refund, which has at most one row', async () => {
    const { id, payment } = await refund(1400);
    const { path, rows } = await importRows([
      { amount: -1400, text: 'TRANSFER OUT' },
      { amount: -1400, text: 'AGAIN', reference: 'FT 2' },
      { amount: -15, text: 'FEE' },
      { amount: 1400, text: 'CAME IN', reference: 'FT 3' },
    ]);
    const [first, second, fee, came] = await rows();
    expect(first).toMatchObject({ status: 'unmatched', refund: null, refunds: [{ refundId: id }] });
    expectError(await match(path, fee.id, { refundId: id }), 400, 'invalid_refund', 'refundId');
    expectError(await match(path, came.id, { refundId: id }), 400, 'invalid_refund', 'refundId');
    expectError(await match(path, first.id, { refundId: 'ref_1' }), 400, 'invalid_refund', 'refundId');
    const both = { refundId: id, invoiceId: payment.invoiceId };
    expectError(await match(path, first.id, both), 400, 'invalid_refund', 'refundId');
    expectError(await match(path, first.id, { refundId: id, amount: 1 }), 400, 'invalid_amount', 'amount');

    const answers = await Promise.all(
      [first, second, first].map((row) => match(path, row.id, { refundId: id })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400]);
    const matched = answers.find(({ status }) => status === 201);
    expect(matched?.json).toMatchObject({ id: payment.id, amountRefunded: 1400 });
    const uses = (await rows()).filter(({ status }: { status: string }) => status === 'matched');
    expect(uses).toMatchObject([{ id: await rowOf(id), refund: { refundId: id, paymentId: payment.id } }]);
    const other = uses[0].id === first.id ? second : first;
    expectError(await match(path, other.id, { refundId: id }), 400, 'invalid_refund', 'refundId');
    expectError(await match(path, uses[0].id, { refundId: id }), 400, 'row_already_matched');
    expect((await rows()).find((row: { id: string }) => row.id === other.id).refunds).toEqual([]);
  });

  test('takes a wrong refund from a row by ignoring the row, and can match it with another one', async () => {
    const [wrong, right] = [await refund(1500), await refund(1500)];
    const { path, rows } = await importRows([{ amount: -1500, reference: 'FT 4' }]);
    const [{ id }] = await rows();
    expect((await match(path, id, { refundId: wrong.id })).status).toBe(201);
    expectError(await match(path, id, { refundId: right.id }), 400, 'row_already_matched');
    expect((await api.post(`${path}/rows/${id}/ignore`)).json).toMatchObject({ status: 'ignored' });
    expect(await rowOf(wrong.id)).toBeNull();
    expect((await rows())[0]).toMatchObject({ status: 'ignored', refund: null, amountMatched: 0 });
    expect((await match(path, id, { refundId: right.id })).status).toBe(201);
    expect(await rowOf(right.id)).toBe(id);
    // Several people take it back, and match it with the other one.
    const answers = await Promise.all([
      api.post(`${path}/rows/${id}/ignore`),
      match(path, id, { refundId: wrong.id }),
      api.post(`${path}/rows/${id}/ignore`),
    ]);
    expect(answers.filter(({ status }) => status >= 500).map(({ json }) => json)).toEqual([]);
    const [row] = await rows();
    const owners = [];
    for (const each of [wrong.id, right.id]) if ((await rowOf(each)) === id) owners.push(each);
    expect(owners).toEqual(row.refund ? [row.refund.refundId] : []);
  });

  test('sees which payment the bank took back, until the payment is void', async () => {
    const invoice = await newInvoice(api, { currency: 'BTN', amount: 1600 });
    const { json: payment } = await api.post('/api/payments', {
      invoiceId: invoice.id,
      method: 'offline',
      bank: 'Bank of Bhutan',
      reference: 'FT 1600',
    });
    await untilRelayed(table, `${account.accountId}#test`);
    const { path, rows } = await importRows([
      { amount: -1600, reference: 'ft1600', text: 'RETURNED' },
      { amount: -1599, reference: 'FT 1600' },
      { amount: -1600, reference: '0000' },
    ]);
    const [returned, less, other] = await rows();
    expect(returned).toMatchObject({
      status: 'unmatched',
      returnedPayments: [{ paymentId: payment.id, invoiceId: invoice.id, amount: 1600 }],
    });
    expect([less.returnedPayments, other.returnedPayments]).toEqual([[], []]);
    expect((await api.post(`/api/payments/${payment.id}/void`, { reason: 'Returned' })).status).toBe(200);
    expect((await rows())[0].returnedPayments).toEqual([]);
    expect((await api.post(`${path}/rows/${returned.id}/ignore`)).status).toBe(200);
  });
});
