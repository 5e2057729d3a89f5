/**
 * Tests that one transaction replaces an invoice: what the new one takes over, what leads to it, and that a race, a crash or a
 * repetition never leaves two payable invoices or none.
 */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Stack } from '../../../infra/local/stack.ts';
import { changeSeller } from '../../../shared/domain/accounts/seller-change-store.ts';
import { type Api, invoiceBody, newAccount, type TestAccount } from '../../support/api.ts';
import { setClock } from '../../support/clock.ts';
import { CrashPlan } from '../../support/crashing-workers.ts';
import { expectError } from '../../support/expectations.ts';
import { type FaultLayer, installFaults } from '../../support/fault-layer.ts';
import { invocationHeader } from '../../support/invocations.ts';
import { inNewestVersion } from '../../support/newest-version.ts';
import { startTestStack } from '../../support/stack.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { newOverdueInvoice } from './overdue-invoice.ts';

const crashes = new CrashPlan();
let stack: Stack;
let layer: FaultLayer;
let account: TestAccount;
let api: Api;
beforeAll(async () => {
  stack = await startTestStack();
  layer = await installFaults({ seed: 0, script: crashes.script });
});
beforeEach(async () => {
  account = await newAccount(stack.baseUrl);
  api = inNewestVersion(account.test);
});
afterEach(() => setClock());
afterAll(async () => {
  layer.remove();
  await stack.close();
});

const lines = [{ description: 'Tea', quantity: '2', unitAmount: 1000, tax: 'bt_gst_5' }];
const create = async (fields: Record<string, unknown> = {}) =>
  (await api.post('/api/invoices', invoiceBody(fields))).json;
const replace = (id: string, body: object = {}, key?: string) =>
  api.post(`/api/invoices/${id}/replace`, body, key ? { headers: { 'Idempotency-Key': key } } : {});
const get = async (id: string) => (await api.get(`/api/invoices/${id}`)).json;
const idsOf = async (query: string): Promise<string[]> =>
  (await api.get(`/api/invoices?${query}`)).json.data.map(({ id }: { id: string }) => id);

test('the new invoice takes over what no change names, and both name each other', async () => {
  const fields = { amount: undefined, lines, reference: 'A-1', metadata: { order: '7' } };
  const old = await create({ ...fields, currency: 'BTN' });
  const { status, json: next } = await replace(old.id, {
    customerId: 'pema@example.bt',
    metadata: { by: 'Pema' },
  });
  expect(status).toBe(200);
  const { id, paymentUrl, createdAt, updatedAt } = next;
  expect(id).not.toBe(old.id);
  expect(next).toEqual({
    ...old,
    ...{ id, paymentUrl, createdAt, updatedAt, replaces: old.id },
    customerId: 'pema@example.bt',
    metadata: { order: '7', by: 'Pema' },
  });
  expect(next).toMatchObject({ amount: 2100, status: 'pending', reference: 'A-1', replacedBy: null });
  const cancelled = await get(old.id);
  expect(cancelled).toEqual({
    ...old,
    status: 'cancelled',
    amountDue: 0,
    updatedAt: cancelled.updatedAt,
    reference: null,
    replacedBy: id,
  });
  expect(await get(id)).toEqual(next);
  expect(await idsOf('reference=A-1')).toEqual([id]);
  expect(await idsOf('customerId=pema@example.bt')).toEqual([id]);
  expect(await idsOf('status=cancelled')).toEqual([old.id]);
  expectError(await api.post('/api/invoices', invoiceBody({ reference: 'A-1' })), 400, 'reference_taken');
  const events = await waitUntil('the events are relayed', async () => {
    const { data } = (await api.get('/api/events?after=start&limit=100')).json;
    return data.length === 3 && data;
  });
  expect(events.map(({ type, data }: { type: string; data: { id: string } }) => [type, data.id])).toEqual([
    ['invoice.created', old.id],
    ['invoice.cancelled', old.id],
    ['invoice.created', id],
  ]);
  expect(events[1].data.replacedBy).toBe(id);
  expect(events[2].data.replaces).toBe(old.id);
});

test('a replaced invoice can be replaced again, and every link leads to the last one', async () => {
  const first = await create({ reference: 'B-1' });
  const { json: second } = await replace(first.id, { amount: 3000 });
  const { json: third } = await replace(second.id, { amount: 3500 });
  const { json: last } = await replace(third.id, { amount: 4000, description: 'The last' });
  expect(last).toMatchObject({ amount: 4000, reference: 'B-1', replaces: third.id });
  expectError(await replace(first.id), 400, 'invoice_already_cancelled');
  expect(await idsOf('reference=B-1')).toEqual([last.id]);
  for (const { paymentUrl } of [first, second, third]) {
    const opened = await fetch(paymentUrl);
    expect(opened.url).toBe(last.paymentUrl);
    expect(await opened.text()).toContain('The last');
  }
});

test('an overdue invoice gets a new due date, and its taxes the rates of its day', async () => {
  const { invoice } = await newOverdueInvoice(api);
  const { json } = await replace(invoice.id);
  expect(json).toMatchObject({ status: 'pending', amount: invoice.amount });
  expect(Date.parse(json.dueDate) - Date.parse(json.createdAt)).toBe(30 * 24 * 3_600_000);
  expect((await get(invoice.id)).status).toBe('cancelled');
  const { json: dated } = await replace(json.id, { dueDate: '2099-01-31T00:00:00Z' });
  expect(dated.dueDate).toBe('2099-01-31T00:00:00Z');
  expect((await replace(dated.id)).json.dueDate).toBe('2099-01-31T00:00:00Z');
});

test('an overdue invoice gets the due date of the account, if the account has set one', async () => {
  const { invoice } = await newOverdueInvoice(api);
  const seller = { legalName: 'Druk Crafts', address: { country: 'BT' }, timeZone: 'UTC', paymentDays: 3 };
  await changeSeller(account.accountId, seller);
  const { json } = await replace(invoice.id);
  const day = Date.parse(`${json.createdAt.slice(0, 10)}T00:00:00Z`);
  expect(Date.parse(json.dueDate)).toBe(day + 4 * 24 * 3_600_000 - 1);
});

test('the body is that of an update, with the customer and the currency', async () => {
  const old = await create();
  for (const [body, code, field] of [
    [{ amount: 0 }, 'invalid_amount', 'amount'],
    [{ currency: 'EUR' }, 'invalid_currency', 'currency'],
    [{ customerId: 'no id' }, 'invalid_customer', 'customerId'],
    [{ reference: 'X' }, 'immutable_field', 'reference'],
    [{ replacedBy: old.id }, 'immutable_field', 'replacedBy'],
    [{ color: 'red' }, 'unknown_parameter', 'color'],
    [{ prices: 'inclusive' }, 'invalid_prices', 'prices'],
  ] as const)
    expectError(await replace(old.id, body), 400, code, field);
  expect(await get(old.id)).toEqual(old);
  // A client can send back what it received, with its changes.
  const { json } = await replace(old.id, { ...old, currency: 'INR', lines: undefined, totals: undefined });
  expect(json).toMatchObject({ currency: 'INR', amount: old.amount });
});

test('paid invoices and other accounts are refused, and clients of the first version see ten fields', async () => {
  const old = await create();
  const other = await newAccount(stack.baseUrl);
  expectError(await other.test.post(`/api/invoices/${old.id}/replace`, {}), 404, 'invoice_not_found');
  const { status, json } = await account.test.post(`/api/invoices/${old.id}/replace`, { amount: 9 });
  expect([status, Object.keys(json).length, json.amount]).toEqual([200, 10, 9]);
  await api.post('/api/payments', { invoiceId: json.id, method: 'offline' });
  expectError(await replace(json.id), 400, 'invoice_already_paid');
});

test('the documents: the old number stays, and the new invoice gets its own', async () => {
  await changeSeller(account.accountId, { legalName: 'Druk Crafts', address: { country: 'BT' } });
  const numberOf = (id: string): Promise<string> =>
    waitUntil('the invoice has a number', async () => (await get(id)).number);
  const old = await create();
  expect(await numberOf(old.id)).toBe('INV-0001');
  const { json } = await replace(old.id, { amount: 7 });
  expect(await numberOf(json.id)).toBe('INV-0002');
  expect(await get(old.id)).toMatchObject({ status: 'cancelled', number: 'INV-0001' });
});

test('of 10 replacements at once, one takes effect. Under one key, all get its answer', async () => {
  const old = await create({ reference: 'C-1' });
  const answers = await Promise.all(Array.from({ length: 10 }, () => replace(old.id)));
  expect(answers.map(({ status, json }) => json.error?.code ?? status).sort()).toEqual([
    200,
    ...Array(9).fill('invoice_already_cancelled'),
  ]);
  const [winner] = answers.filter(({ status }) => status === 200);
  expect(await idsOf('reference=C-1')).toEqual([winner?.json.id]);
  const same = await Promise.all(Array.from({ length: 10 }, () => replace(winner?.json.id, {}, 'one')));
  expect(new Set(same.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  expect(await idsOf('status=pending')).toEqual([same[0]?.json.id]);
});

test('a payment, an update and a cancellation at the same moment: one wins, and one invoice is left', async () => {
  const runs = Array.from({ length: 12 }, async (_, run) => {
    const old = await create();
    const path = `/api/invoices/${old.id}`;
    const others = [
      () => api.post('/api/payments', { invoiceId: old.id, method: 'offline' }),
      () => api.patch(path, { amount: 4000 }),
      () => api.delete(path),
    ];
    const calls = [others[run % 3], () => replace(old.id)];
    const [other, replaced] = await Promise.all(calls.map((call) => call?.()));
    const present = await get(old.id);
    if (replaced?.status === 200) {
      expect(present).toMatchObject({ status: 'cancelled', replacedBy: replaced.json.id });
      // An update either came before, and the new invoice has its amount, or was refused.
      const isUpdated = run % 3 === 1 && (other?.status ?? 400) < 300;
      expect(replaced.json.amount).toBe(isUpdated ? 4000 : old.amount);
      if (run % 3 !== 1) expect(other?.status).toBe(400);
    } else {
      expect(other?.status).toBeLessThan(300);
      expect(present.replacedBy).toBeNull();
      expect(['paid', 'cancelled']).toContain(present.status);
    }
    return replaced?.status === 200 ? 1 : 0;
  });
  await Promise.all(runs);
});

test('after a crash at any call, both invoices changed or none, and a repetition ends it', async () => {
  let effects = 0;
  for (let at = 0, crashed = true; crashed; at++) {
    for (const fault of ['crash before call', 'crash after call'] as const) {
      const reference = `R-${at}-${fault}`;
      const old = await create({ reference });
      const label = `replace ${at} ${fault}`;
      crashes.set(label, { at, fault });
      const send = (headers: Record<string, string> = {}) =>
        api.post(
          `/api/invoices/${old.id}/replace`,
          { amount: 5 },
          { headers: { 'Idempotency-Key': label, ...headers } },
        );
      crashed = !(await send({ [invocationHeader]: label }).catch(() => undefined));
      await waitUntil('the request has ended', () => layer.invocation(label)?.ended);
      const { replacedBy, status } = await get(old.id);
      const hadEffect = replacedBy !== null;
      expect(status).toBe(hadEffect ? 'cancelled' : 'pending');
      const found = await idsOf(`reference=${encodeURIComponent(reference)}`);
      expect(found).toEqual([replacedBy ?? old.id]);
      const repeated = await send();
      expect(repeated.status).toBe(200);
      expect(repeated.headers['idempotent-replayed']).toBe(hadEffect ? 'true' : undefined);
      expect(await get(old.id)).toMatchObject({ status: 'cancelled', replacedBy: repeated.json.id });
      expect(await idsOf(`reference=${encodeURIComponent(reference)}`)).toEqual([repeated.json.id]);
      const { pagination } = (await api.get('/api/invoices?status=pending')).json;
      expect(pagination.total).toBe(++effects);
      if (!crashed) break;
    }
  }
  // The counted request, its reads, the transaction and the entries of both lists.
  expect(effects).toBeGreaterThan(8);
});
