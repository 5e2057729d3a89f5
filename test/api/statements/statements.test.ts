/**
 * Tests bank statements over HTTP: rows that pay by themselves and by decision, the same rows again, races, and bad input. Takes 10
 * seconds.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Stack } from '../../../infra/local/stack.ts';
import { newKey } from '../../contract/examples.ts';
import { type Api, apiOf, newAccount, type TestAccount } from '../../support/api.ts';
import { expectError } from '../../support/expectations.ts';
import { inNewestVersion } from '../../support/newest-version.ts';
import { startTestStack } from '../../support/stack.ts';
import { readPaymentReference } from '../../support/statements.ts';
import { type TestTable, tableOf } from '../../support/table.ts';
import { untilRelayed } from '../../support/until-relayed.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { expectMarksOfWaitingRows } from '../../support/waiting-rows.ts';
import { newInvoice as createInvoice } from '../payments/new-payment.ts';

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

type Row = Record<string, unknown>;
const newInvoice = (fields: object = {}) => createInvoice(api, { currency: 'BTN', ...fields });
const row = (fields: Row = {}): Row => ({ day: '2026-03-31', amount: 2500, ...fields });
const send = (rows: readonly Row[], of: Api = api, bank = 'Bank of Bhutan') =>
  of.post('/api/statements', { bank, currency: 'BTN', rows });
const referenceOf = (invoice: string) => readPaymentReference(table, invoice);
/** Creates a statement, and waits until its rows were tried. */
async function importRows(rows: readonly Row[], bank?: string) {
  const { status, json } = await send(rows, api, bank);
  expect([status, json]).toEqual([201, json]);
  await waitUntil('the rows were tried', async () => {
    return (await api.get(`/api/statements/${json.id}`)).json.status === 'ready';
  });
  return { path: `/api/statements/${json.id}`, ...json };
}
const rowsOf = async (path: string, query = '') => (await api.get(`${path}/rows${query}`)).json;
const match = (path: string, rowId: string, body: object) => api.post(`${path}/rows/${rowId}/match`, body);

test('a statement keeps which columns its file had, and refuses a mapping that is wrong', async () => {
  const body = { bank: 'Bank M', currency: 'BTN', rows: [row()] };
  for (const [mapping, field] of [
    ['Txn Date', 'mapping'],
    [{ day: '' }, 'mapping.day'],
    [{ dayForm: 'dd/mm' }, 'mapping.dayForm'],
  ] as const)
    expectError(await api.post('/api/statements', { ...body, mapping }), 400, 'invalid_mapping', field);
  const { json } = await api.post('/api/statements', {
    ...body,
    mapping: { day: 'Txn Date', dayForm: 'dmy' },
  });
  expect(json.mapping).toMatchObject({ day: 'Txn Date', amount: null, name: null, dayForm: 'dmy' });
  expect((await api.get(`/api/statements/${json.id}`)).json.mapping).toEqual(json.mapping);
});

describe('a row with a payment reference', () => {
  test('pays its invoice by itself, and the same file again changes nothing', async () => {
    const invoice = await newInvoice();
    const reference = await referenceOf(invoice.id);
    const rows = [
      row({ reference: 'FT 1', text: `TRF ${reference} DORJI`, name: 'Dorji' }),
      row({ amount: 7 }),
    ];
    const statement = await importRows(rows);
    expect(statement).toMatchObject({
      bank: 'Bank of Bhutan',
      currency: 'BTN',
      rowCount: 2,
      firstDay: '2026-03-31',
      lastDay: '2026-03-31',
    });
    const listed = await rowsOf(statement.path);
    expect(listed).toMatchObject({
      data: [
        {
          status: 'matched',
          amountMatched: 2500,
          name: 'Dorji',
          payments: [{ invoiceId: invoice.id, amount: 2500 }],
        },
        { status: 'unmatched', amountMatched: 0, payments: [], suggestions: [] },
      ],
      pagination: { total: 2 },
    });
    const [{ id, payments }] = listed.data;
    expect((await api.get(`/api/payments/${payments[0].paymentId}`)).json).toMatchObject({
      method: 'offline',
      status: 'completed',
      receivedOn: '2026-03-31',
      bank: 'Bank of Bhutan',
      reference: 'FT 1',
      statementRow: id,
    });
    expect((await api.get(`/api/invoices/${invoice.id}`)).json.status).toBe('paid');

    expect((await send(rows)).json).toMatchObject({ id: statement.id, status: 'ready' });
    expect((await send(rows.toReversed())).json.id).toBe(statement.id);
    const longer = await importRows([row({ day: '2026-03-01', amount: 9 }), ...rows]);
    expect(longer.id).not.toBe(statement.id);
    expect((await rowsOf(longer.path, '?status=matched')).data).toEqual([listed.data[0]]);
    const paid = await api.get(`/api/payments?invoiceId=${invoice.id}`);
    expect(paid.json.pagination.total).toBe(1);
  });

  test('waits for a person if the amount does not fit, and is a suggestion', async () => {
    const invoice = await newInvoice({ amount: 3000 });
    const text = await referenceOf(invoice.id);
    const { path } = await importRows([row({ amount: 2999, text })]);
    const [waiting] = (await rowsOf(path)).data;
    expect(waiting).toMatchObject({
      status: 'unmatched',
      suggestions: [{ invoiceId: invoice.id, reason: 'payment_reference', amountDue: 3000 }],
    });
    expectError(await match(path, waiting.id, { invoiceId: invoice.id }), 400, 'invalid_amount', 'amount');
    await api.patch(`/api/invoices/${invoice.id}`, { acceptPartial: true });
    expect((await match(path, waiting.id, { invoiceId: invoice.id })).json).toMatchObject({ amount: 2999 });
  });

  test('of two equal rows pays once, and the other waits', async () => {
    const invoice = await newInvoice({ amount: 4100 });
    const text = await referenceOf(invoice.id);
    const { path } = await importRows([row({ amount: 4100, text }), row({ amount: 4100, text })]);
    const { data } = await rowsOf(path);
    expect(data.map(({ status }: Row) => status).sort()).toEqual(['matched', 'unmatched']);
  });

  test('with a reference that a person has recorded already waits', async () => {
    const [paid, named] = [await newInvoice(), await newInvoice()];
    const known = { bank: 'Bank of Bhutan', reference: 'FT 77' };
    await api.post('/api/payments', { invoiceId: paid.id, method: 'offline', ...known });
    const { path } = await importRows([row({ reference: 'ft77', text: await referenceOf(named.id) })]);
    const [waiting] = (await rowsOf(path)).data;
    expect(waiting.status).toBe('unmatched');
    expectError(await match(path, waiting.id, { invoiceId: named.id }), 400, 'reference_already_used');
    const other = { invoiceId: named.id, allowDuplicateReference: true };
    expect((await match(path, waiting.id, other)).status).toBe(201);
  });
});

describe('a payment that somebody has recorded already', () => {
  const record = async (invoiceId: string, fields: object = {}) => {
    const { status, json } = await api.post('/api/payments', { invoiceId, method: 'offline', ...fields });
    expect([status, json]).toEqual([201, json]);
    return json;
  };
  const invoiceOf = async (id: string) => (await api.get(`/api/invoices/${id}`)).json;

  test('is not paid again by its row, which a person matches with it once', async () => {
    const invoice = await newInvoice({ amount: 1000, acceptPartial: true });
    const paid = await record(invoice.id, { amount: 500, reference: '123', bank: 'BNB' });
    await untilRelayed(table, `${account.accountId}#test`);
    const text = await referenceOf(invoice.id);
    const { path } = await importRows([row({ amount: 500, reference: '123', text })], 'Bhutan National Bank');
    const [waiting] = (await rowsOf(path)).data;
    expect(waiting).toMatchObject({
      status: 'unmatched',
      recordedPayments: [
        {
          paymentId: paid.id,
          invoiceId: invoice.id,
          reason: 'reference',
          amount: 500,
          receivedOn: null,
          statementRow: null,
        },
      ],
    });
    expect(await invoiceOf(invoice.id)).toMatchObject({ amountPaid: 500, status: 'pending' });

    const answers = await Promise.all([1, 2, 3].map(() => match(path, waiting.id, { paymentId: paid.id })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400]);
    const linked = answers.find(({ status }) => status === 201)?.json;
    expect(linked).toMatchObject({ id: paid.id, bank: 'BNB', statementRow: waiting.id, amount: 500 });
    for (const answer of answers.filter(({ status }) => status === 400))
      expectError(answer, 400, 'row_already_matched');
    expect((await rowsOf(path)).data[0]).toMatchObject({
      status: 'matched',
      amountMatched: 500,
      payments: [{ paymentId: paid.id, invoiceId: invoice.id, amount: 500 }],
      recordedPayments: [],
    });
    expect(await invoiceOf(invoice.id)).toMatchObject({ amountPaid: 500, status: 'pending' });
    // Its row shows the first half now, so the row of the second half pays by itself.
    const next = await importRows([row({ amount: 500, reference: '124', text })], 'Bhutan National Bank');
    expect((await rowsOf(next.path)).data[0]).toMatchObject({ status: 'matched' });
    expect(await invoiceOf(invoice.id)).toMatchObject({ amountPaid: 1000, status: 'paid' });

    // The reference of the row is taken, and free again after a void.
    const other = await newInvoice({ amount: 100 });
    const used = { invoiceId: other.id, method: 'offline', reference: '123', bank: 'bhutan national bank' };
    expectError(await api.post('/api/payments', used), 400, 'reference_already_used');
    expect((await api.post(`/api/payments/${paid.id}/void`, { reason: 'Not ours' })).status).toBe(200);
    expect((await rowsOf(path)).data[0]).toMatchObject({ status: 'unmatched', amountMatched: 0 });
    expect((await api.post('/api/payments', used)).status).toBe(201);
  });

  test('can have another amount with the same reference, and then its row waits, too', async () => {
    const invoice = await newInvoice({ amount: 1000, acceptPartial: true });
    await record(invoice.id, { amount: 490, reference: 'J 490' });
    const text = await referenceOf(invoice.id);
    const { path } = await importRows([row({ amount: 500, reference: 'J490', text })]);
    expect((await rowsOf(path)).data[0]).toMatchObject({
      status: 'unmatched',
      recordedPayments: [{ reason: 'reference', amount: 490 }],
    });
  });

  test('leaves its row to people if it is recorded while the worker is about to let the row pay', async () => {
    const invoice = await newInvoice({ amount: 1000, acceptPartial: true });
    const { id, path } = await importRows([row({ amount: 500, reference: 'J 501' })]);
    const { command, clock } = await commandOfWorker(id, invoice.id);
    await record(invoice.id, { amount: 500 });
    const { commitInBackground } = await import('../../../shared/store/commit/commit.ts');
    await expect(commitInBackground(command, clock)).rejects.toMatchObject({ code: 'row_already_matched' });
    expect(await invoiceOf(invoice.id)).toMatchObject({ amountPaid: 500 });
    expect((await rowsOf(path)).data[0].status).toBe('unmatched');
  });

  test('by a row is not paid again by the same row under another name of the bank', async () => {
    const invoice = await newInvoice({ amount: 1000, acceptPartial: true });
    const text = await referenceOf(invoice.id);
    const rows = [
      row({ amount: 310, reference: 'J 310', text }),
      row({ amount: 320, text: `OTHER ${text}`, day: '2026-03-30' }),
    ];
    const first = await importRows(rows, 'Bank of Bhutan');
    const paid = (await rowsOf(first.path)).data;
    expect(paid).toMatchObject([{ status: 'matched' }, { status: 'matched' }]);
    await untilRelayed(table, `${account.accountId}#test`);
    const second = await importRows(rows, 'BOB');
    const waiting = (await rowsOf(second.path)).data;
    expect(await invoiceOf(invoice.id)).toMatchObject({ amountPaid: 630, status: 'pending' });
    const recordedOf = (index: number, reason: string) => ({
      status: 'unmatched',
      recordedPayments: [
        { paymentId: paid[index].payments[0].paymentId, reason, statementRow: paid[index].id },
      ],
    });
    expect(waiting).toMatchObject([recordedOf(0, 'reference'), recordedOf(1, 'payment_reference')]);
    const body = { paymentId: paid[0].payments[0].paymentId };
    expectError(await match(second.path, waiting[0].id, body), 400, 'invalid_payment', 'paymentId');
  });

  test('keeps its own reference for the row, and needs a row with enough money', async () => {
    const [first, second] = [await newInvoice({ amount: 700 }), await newInvoice({ amount: 800 })];
    const same = { bank: 'Bank of Bhutan', reference: 'J 77' };
    const own = await record(first.id, same);
    await untilRelayed(table, `${account.accountId}#test`);
    const { path } = await importRows([row({ amount: 1500, reference: 'J 77' }), row({ amount: 600 })]);
    const [large, small] = (await rowsOf(path)).data;
    expect(large.recordedPayments).toMatchObject([{ paymentId: own.id, reason: 'reference' }]);
    expectError(await match(path, small.id, { paymentId: own.id }), 400, 'invalid_payment', 'paymentId');
    expect((await match(path, large.id, { paymentId: own.id })).status).toBe(201);
    expectError(await match(path, small.id, { paymentId: own.id }), 400, 'invalid_payment', 'paymentId');
    const rest = (await match(path, large.id, { invoiceId: second.id })).json;
    expect(rest).toMatchObject({ amount: 800, statementRow: large.id });
    // While a payment of the row is left, the reference stays taken.
    const void_ = (id: string) => api.post(`/api/payments/${id}/void`, { reason: 'Wrong' });
    expect((await void_(own.id)).status).toBe(200);
    const third = await newInvoice({ amount: 1 });
    const again = { invoiceId: third.id, method: 'offline', ...same };
    const refused = await api.post('/api/payments', again);
    expectError(refused, 400, 'reference_already_used');
    expect(refused.json.error.message).toContain(rest.id);
    expect((await void_(rest.id)).status).toBe(200);
    expect((await api.post('/api/payments', again)).status).toBe(201);
  });

  test.each([
    ['both', { invoiceId: 'inv_1', paymentId: 'pay_1' }, 'invalid_payment', 'paymentId'],
    ['neither', {}, 'invalid_invoice', 'invoiceId'],
    ['an amount', { paymentId: 'pay_1', amount: 5 }, 'invalid_amount', 'amount'],
    [
      'a difference',
      { paymentId: 'pay_1', settle: { writeOff: 1, reason: 'tds' } },
      'invalid_settle',
      'settle',
    ],
    ['a payment that does not exist', { paymentId: 'pay_1' }, 'invalid_payment', 'paymentId'],
  ])('cannot be named with %s', async (_, body, code, field) => {
    const { path } = await importRows([row({ amount: 1, reference: 'FT bad' })], 'Bank of bad input');
    const [{ id }] = (await rowsOf(path)).data;
    expectError(await match(path, id, body), 400, code, field);
  });
});

test('a row never keeps a payment that is voided while somebody matches it', async () => {
  for (let round = 0; round < 5; round++) {
    const invoice = await newInvoice({ amount: 500, acceptPartial: true });
    const body = { invoiceId: invoice.id, method: 'offline', amount: 400, reference: `V ${round}` };
    const paid = (await api.post('/api/payments', body)).json;
    const { path } = await importRows([row({ amount: 400, reference: `V ${round}` })], 'Bank V');
    const [{ id }] = (await rowsOf(path)).data;
    const [voided, matched] = await Promise.all([
      api.post(`/api/payments/${paid.id}/void`, { reason: 'Wrong' }),
      match(path, id, { paymentId: paid.id }),
    ]);
    const isMatched = (await rowsOf(path)).data[0].status === 'matched';
    const { voidedAt } = (await api.get(`/api/payments/${paid.id}`)).json;
    expect([voided.status, matched.status, isMatched && voidedAt !== null]).toEqual([
      ...[voided.status, matched.status, false],
    ]);
  }
});

describe('the reference of a bank', () => {
  test('stays taken while a payment of its row is left, and other money takes it if nobody has', async () => {
    const invoices = [await newInvoice({ amount: 1000 }), await newInvoice({ amount: 1500 })];
    const { path } = await importRows([row({ reference: 'FT shared' })], 'Bank S');
    const [{ id }] = (await rowsOf(path)).data;
    const [first, second] = [
      (await match(path, id, { invoiceId: invoices[0]?.id, amount: 1000 })).json,
      (await match(path, id, { invoiceId: invoices[1]?.id })).json,
    ];
    const other = await newInvoice({ amount: 1 });
    const used = { invoiceId: other.id, method: 'offline', bank: 'Bank S', reference: 'FT shared' };
    for (const { id: paymentId } of [first, second]) {
      expectError(await api.post('/api/payments', used), 400, 'reference_already_used');
      expect((await api.post(`/api/payments/${paymentId}/void`, { reason: 'Wrong' })).status).toBe(200);
    }
    expect((await api.post('/api/payments', { ...used, allowDuplicateReference: true })).status).toBe(201);
    const last = { ...used, invoiceId: (await newInvoice({ amount: 1 })).id };
    expectError(await api.post('/api/payments', last), 400, 'reference_already_used');
    expect((await api.post('/api/payments', { ...last, allowDuplicateReference: true })).status).toBe(201);
  });

  test('that banks write in place of none matches nothing, so each of these rows pays', async () => {
    const invoices = await Promise.all([1, 2, 3, 4, 5, 6].map(() => newInvoice()));
    const references = ['000000000000000', '0000', '0', 'N/A', 'na', 'NIL'];
    const rows = await Promise.all(
      invoices.map(async ({ id }, index) =>
        row({ reference: references[index], text: await referenceOf(id), amount: 2500 }),
      ),
    );
    const { path } = await importRows(rows, 'Bank of zeros');
    expect(await rowsOf(path, '?status=matched')).toMatchObject({ pagination: { total: rows.length } });
    const same = await Promise.all([newInvoice(), newInvoice()]);
    const twice = await Promise.all(
      same.map(async ({ id }, index) =>
        row({ reference: '000000000000000', text: await referenceOf(id), day: `2026-03-0${index + 1}` }),
      ),
    );
    const again = await importRows(twice, 'Bank of zeros');
    expect(await rowsOf(again.path, '?status=matched')).toMatchObject({ pagination: { total: 2 } });
  });
});

test('a row with the payment reference of an invoice that was replaced has the open one as a suggestion', async () => {
  const invoice = await newInvoice({ amount: 3300 });
  const text = await referenceOf(invoice.id);
  const { json: wrong } = await api.post('/api/payments', { invoiceId: invoice.id, method: 'offline' });
  expect((await api.post(`/api/payments/${wrong.id}/void`, { reason: 'Never arrived' })).status).toBe(200);
  const { replacedBy } = (await api.get(`/api/invoices/${invoice.id}`)).json;
  const { path } = await importRows([row({ amount: 3200, reference: 'FT replaced', text })]);
  expect((await rowsOf(path)).data[0]).toMatchObject({
    status: 'unmatched',
    suggestions: [{ invoiceId: replacedBy, reason: 'payment_reference', amountDue: 3300 }],
  });
});

describe('a person', () => {
  test('matches by the suggestion with amount and name', async () => {
    const name = 'Karma Yangzom';
    const invoice = await newInvoice({ amount: 81_200, buyer: { name } });
    await untilRelayed(table, `${account.accountId}#test`);
    const { path } = await importRows([
      row({ amount: 81_200, text: 'IBFT KARMA YANGZOM THIMPHU', day: today() }),
    ]);
    const [waiting] = (await rowsOf(path)).data;
    expect(waiting.suggestions).toEqual([
      { invoiceId: invoice.id, reason: 'amount_and_name', name, amountDue: 81_200 },
    ]);
    const headers = { 'Idempotency-Key': 'match-1' };
    const matched = await api.post(
      `${path}/rows/${waiting.id}/match`,
      { invoiceId: invoice.id },
      { headers },
    );
    expect(matched.json).toMatchObject({ invoiceId: invoice.id, amount: 81_200, receivedOn: today() });
    const again = await api.post(`${path}/rows/${waiting.id}/match`, { invoiceId: invoice.id }, { headers });
    expect(again.text).toBe(matched.text);
  });

  test('pays several invoices with one row, and never with more than its money', async () => {
    const invoices = [await newInvoice({ amount: 1000 }), await newInvoice({ amount: 1500 })];
    const partial = await newInvoice({ acceptPartial: true, amount: 9000 });
    const { path } = await importRows([row({ reference: 'FT several' })]);
    const [{ id }] = (await rowsOf(path)).data;
    const [first, second] = invoices.map((each) => each.id);
    expect((await match(path, id, { invoiceId: first, amount: 1000 })).status).toBe(201);
    expect((await rowsOf(path)).data[0]).toMatchObject({ status: 'unmatched', amountMatched: 1000 });
    expectError(
      await match(path, id, { invoiceId: partial.id, amount: 1501 }),
      400,
      'invalid_amount',
      'amount',
    );
    expectError(await match(path, id, { invoiceId: first, amount: 1 }), 400, 'row_already_matched');
    expect((await api.post(`${path}/rows/${id}/ignore`)).status).toBe(200);
    expect((await rowsOf(path)).data[0]).toMatchObject({ status: 'ignored', amountMatched: 1000 });
    expect((await match(path, id, { invoiceId: second })).json.amount).toBe(1500);
    expectError(await match(path, id, { invoiceId: partial.id, amount: 1 }), 400, 'row_already_matched');
    expect((await rowsOf(path)).data[0]).toMatchObject({ status: 'matched', amountMatched: 2500 });
    expectError(await api.post(`${path}/rows/${id}/ignore`), 400, 'row_already_matched');
  });

  test('closes an invoice with a difference', async () => {
    await account.test.get('/api/account');
    const { changeSeller } = await import('../../../shared/domain/accounts/seller-change-store.ts');
    await changeSeller(account.accountId, {
      legalName: 'Druk Crafts',
      address: { country: 'IN' },
      writeOffPercent: 10,
    });
    const invoice = await newInvoice({ amount: 2600 });
    const { path } = await importRows([row({ reference: 'FT tds' })]);
    const [{ id }] = (await rowsOf(path)).data;
    const settle = { writeOff: 100, reason: 'tds' };
    expect((await match(path, id, { invoiceId: invoice.id, settle })).json).toMatchObject({ settle });
    expect((await api.get(`/api/invoices/${invoice.id}`)).json.status).toBe('paid');
  });

  test('voids a part, after which the money of the row is free', async () => {
    const invoice = await newInvoice({ acceptPartial: true, amount: 6000 });
    const { path } = await importRows([row({ reference: 'FT void' })]);
    const [{ id }] = (await rowsOf(path)).data;
    const { json: part } = await match(path, id, { invoiceId: invoice.id });
    expect((await api.post(`/api/payments/${part.id}/void`, { reason: 'Another invoice' })).status).toBe(200);
    expect((await rowsOf(path)).data[0]).toMatchObject({
      status: 'unmatched',
      amountMatched: 0,
      payments: [],
    });
    const other = await newInvoice();
    expect((await match(path, id, { invoiceId: other.id })).json).toMatchObject({ amount: 2500 });
  });

  test('ignores a row once and for all statements, and can still match it', async () => {
    const rows = [row({ reference: 'FT own', amount: 100 }), row({ amount: -300, text: 'FEES' })];
    const { path } = await importRows(rows);
    const [own, fees] = (await rowsOf(path)).data;
    const ignored = { id: own.id, status: 'ignored', statementId: path.split('/').at(-1) };
    expect((await api.post(`${path}/rows/${own.id}/ignore`)).json).toEqual(ignored);
    expect((await api.post(`${path}/rows/${fees.id}/ignore`)).status).toBe(200);
    const longer = await importRows([...rows, row({ day: '2026-03-30', reference: 'FT more' })]);
    expect(await rowsOf(longer.path, '?status=ignored')).toMatchObject({ pagination: { total: 2 } });
    const invoice = await newInvoice({ amount: 100 });
    expect((await match(path, own.id, { invoiceId: invoice.id })).status).toBe(201);
    expectError(await match(path, fees.id, { invoiceId: invoice.id }), 400, 'row_takes_money');
  });

  test('and another one, at the same time, use the money once', async () => {
    const invoices = await Promise.all([1, 2, 3, 4].map(() => newInvoice()));
    const { path } = await importRows([row({ reference: 'FT race' })]);
    const [{ id }] = (await rowsOf(path)).data;
    const answers = await Promise.all(invoices.map((each) => match(path, id, { invoiceId: each.id })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400]);
    const refused = answers.filter(({ status }) => status === 400);
    for (const answer of refused) expectError(answer, 400, 'row_already_matched');
  });
});

/** The command with which the worker lets the only row of a statement pay. */
async function commandOfWorker(statementId: string, invoiceId: string) {
  const [{ payRowCommand }, { readStatementWithRows }, { readRowUse }, { readInvoice }] = await Promise.all([
    import('../../../shared/domain/statements/pay-row-store.ts'),
    import('../../../shared/domain/statements/statement-store.ts'),
    import('../../../shared/domain/payments/row-use-store.ts'),
    import('../../../shared/domain/invoices/invoice-store.ts'),
  ]);
  const { allocateSequenceNumber } = await import('../../../shared/store/sequence-numbers.ts');
  const { realClock } = await import('../../../shared/base/clock.ts');
  const { now } = await import('../../../shared/base/time.ts');
  const owner = { account: account.accountId, mode: 'test' } as const;
  const { statement, rows } = await readStatementWithRows(owner, statementId);
  const [own] = rows;
  if (!own) throw new Error('The statement has no row.');
  const clock = realClock(now());
  const command = await payRowCommand(
    await allocateSequenceNumber(owner, 'payment'),
    {
      statement,
      row: own,
      use: await readRowUse(owner, own.id),
      invoice: await readInvoice(owner, invoiceId),
    },
    { amount: own.amount, isUndecided: true },
    clock,
  );
  return { command, clock, own };
}

test('a row that somebody ignores while the worker is about to let it pay stays ignored', async () => {
  const invoice = await newInvoice();
  const { id, path } = await importRows([row({ reference: 'FT ignored' })]);
  const { command, clock, own } = await commandOfWorker(id, invoice.id);
  expect((await api.post(`${path}/rows/${own.id}/ignore`)).status).toBe(200);
  const { commitInBackground } = await import('../../../shared/store/commit/commit.ts');
  await expect(commitInBackground(command, clock)).rejects.toMatchObject({ code: 'row_already_matched' });
  expect((await api.get(`/api/invoices/${invoice.id}`)).json.status).toBe('pending');
});

test('each row that waits has a mark, and no other, also beside decisions and if another statement has the row', async () => {
  const [{ markWaitingRows }, { readStatementWithRows }] = await Promise.all([
    import('../../../shared/domain/statements/mark-waiting-rows.ts'),
    import('../../../shared/domain/statements/statement-store.ts'),
  ]);
  const owner = { account: account.accountId, mode: 'test' } as const;
  const own = Array.from({ length: 52 }, (_, index) =>
    row({ amount: 100 + index, reference: `FT ${index}` }),
  );
  const { id, path } = await importRows([...own, row({ amount: -5, reference: 'FT out' })], 'Bank W');
  const { data } = await rowsOf(path, '?limit=100');
  const found = await readStatementWithRows(owner, id);
  // Several workers, and people who decide at the same moment.
  const decide = (each: { readonly id: string }) => api.post(`${path}/rows/${each.id}/ignore`);
  await Promise.all([
    ...[1, 2, 3].map(() => markWaitingRows(owner, found)),
    ...data.filter(({ amount }: { amount: number }) => amount > 140).map(decide),
  ]);
  // The same row in another file, with the reference of an invoice, pays by itself.
  const invoice = await newInvoice({ amount: 100 });
  const text = await referenceOf(invoice.id);
  const again = await importRows(
    [row({ amount: 100, reference: 'FT 0', text }), row({ amount: 1 })],
    'Bank W',
  );
  expect((await rowsOf(again.path, '?status=matched')).data).toHaveLength(1);
  // A part of the money of an ignored row leaves it waiting.
  const part = await newInvoice({ amount: 50 });
  const ignored = data.find(({ amount }: { amount: number }) => amount === 150);
  expect((await match(path, ignored.id, { invoiceId: part.id, amount: 50 })).status).toBe(201);
  await waitUntil('all statements were tried', async () => {
    const all = (await api.get('/api/statements?limit=100')).json.data;
    return all.every(({ status }: { status: string }) => status === 'ready');
  });
  await expectMarksOfWaitingRows(account.accountId, { table, api });
});

test('the same file from several people at the same time is one statement', async () => {
  const rows = [row({ reference: 'FT twice' }), row({ reference: 'FT twice', amount: 1 })];
  const answers = await Promise.all([1, 2, 3, 4].map(() => send(rows)));
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
  expect(new Set(answers.map(({ json }) => json.id)).size).toBe(1);
});

test('statements are listed, newest first, and of no other account', async () => {
  const own = await newAccount(stack.baseUrl);
  const of = inNewestVersion(own.test);
  const ids: string[] = [];
  for (const amount of [1, 2, 3]) ids.push((await send([row({ amount })], of)).json.id);
  const { data, pagination } = (await of.get('/api/statements?limit=2')).json;
  expect(data.map(({ id }: Row) => id)).toEqual(ids.slice(1).reverse());
  expect(pagination).toMatchObject({ total: 3, hasMore: true });
  expectError(await api.get(`/api/statements/${ids[0]}`), 404, 'statement_not_found');
  expectError(await api.get(`/api/statements/${ids[0]}/rows`), 404, 'statement_not_found');
  expectError(await of.get('/api/statements/st_1'), 404, 'statement_not_found');
});

test('a key needs the permission', async () => {
  const only = async (permission: 'statements:read' | 'payments:write') =>
    apiOf(stack.baseUrl, await newKey(account, { permissions: [permission] }));
  const reader = await only('statements:read');
  expect((await reader.get('/api/statements')).status).toBe(200);
  expectError(await send([row()], reader), 403, 'insufficient_permissions');
  expectError(await (await only('payments:write')).get('/api/statements'), 403, 'insufficient_permissions');
});

describe('bad input', () => {
  test.each([
    ['no rows', [], 'rows'],
    ['501 rows', Array.from({ length: 501 }, () => ({ day: '2026-03-31', amount: 1 })), 'rows'],
    ['a day that does not exist', [row({ day: '2026-02-30' })], 'rows.0.day'],
    ['a day with a time', [row({ day: '2026-02-01T00:00:00Z' })], 'rows.0.day'],
    ['a day in the future', [row(), row({ day: '2099-01-01' })], 'rows.1.day'],
    ['the amount 0', [row({ amount: 0 })], 'rows.0.amount'],
    ['a text as amount', [row({ amount: '2500' })], 'rows.0.amount'],
    ['a fraction', [row({ amount: 2.5 })], 'rows.0.amount'],
    ['an unknown field', [row({ balance: 1 })], 'rows.0.balance'],
    ['an empty reference', [row({ reference: '' })], 'rows.0.reference'],
    ['a card number as name', [row({ name: '4242424242424242' })], 'rows.0.name'],
  ])('%s', async (_, rows, field) => {
    const answer = await send(rows as Row[]);
    expect([answer.status, answer.json.error.field]).toEqual([400, field]);
    expect(answer.json.error.code).toMatch(/^(invalid_rows|unknown_parameter)$/);
  });

  test('another currency', async () => {
    const invoice = await createInvoice(api, { currency: 'USD' });
    const { path } = await importRows([row({ reference: 'FT usd' })]);
    const [{ id }] = (await rowsOf(path)).data;
    expectError(await match(path, id, { invoiceId: invoice.id }), 400, 'invalid_invoice', 'invoiceId');
  });
});

const today = () => new Date().toISOString().slice(0, 10);
