/**
 * Tests the endpoints of drafts: what they store, show, list, change and delete, and that a draft becomes one invoice, whatever
 * races, repeats or crashes.
 */
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Stack } from '../../../infra/local/stack.ts';
import { changeSeller } from '../../../shared/domain/accounts/seller-change-store.ts';
import { noContent } from '../../../shared/domain/drafts/draft.ts';
import { tableKeys } from '../../../shared/store/keys.ts';
import { type Api, newAccount, type TestAccount } from '../../support/api.ts';
import { CrashPlan } from '../../support/crashing-workers.ts';
import { expectError } from '../../support/expectations.ts';
import { type FaultLayer, installFaults } from '../../support/fault-layer.ts';
import { invocationHeader } from '../../support/invocations.ts';
import { inNewestVersion } from '../../support/newest-version.ts';
import { startTestStack } from '../../support/stack.ts';
import { type TestTable, tableOf } from '../../support/table.ts';
import { waitUntil } from '../../support/wait-until.ts';

const crashes = new CrashPlan();
let stack: Stack;
let table: TestTable;
let layer: FaultLayer;
let account: TestAccount;
let api: Api;
beforeAll(async () => {
  stack = await startTestStack();
  table = tableOf(stack);
  layer = await installFaults({ seed: 0, script: crashes.script });
});
beforeEach(async () => {
  account = await newAccount(stack.baseUrl);
  api = inNewestVersion(account.test);
});
afterAll(async () => {
  layer.remove();
  await stack.close();
});

const line = { description: 'Tea', quantity: '2', unitAmount: 1000, tax: 'bt_gst_5' };
const whole = { customerId: 'dorji@example.bt', currency: 'BTN', description: 'Tea', lines: [line] };
const create = async (fields: object = whole) => {
  const { status, json, text } = await api.post('/api/drafts', fields);
  expect([status, text]).toEqual([201, expect.any(String)]);
  return json;
};
const pathOf = ({ id }: { id: string }) => `/api/drafts/${id}`;
const finalize = (draft: { id: string }, headers: Record<string, string> = {}) =>
  api.post(`${pathOf(draft)}/finalize`, undefined, { headers });
const invoiceTotal = async () => (await api.get('/api/invoices')).json.pagination.total;
const idsOf = async (query = '') =>
  (await api.get(`/api/drafts${query}`)).json.data.map(({ id }: { id: string }) => id);

const empty = {
  ...noContent,
  computedAmount: null,
  totals: null,
  metadata: {},
  invoiceId: null,
  scheduleId: null,
  period: null,
};

test('a line takes what it does not say from its product when it is put into the draft', async () => {
  const product = (await api.post('/api/products', { name: 'Tea', unitAmounts: { BTN: 500 } })).json.id;
  const lines = [{ product, quantity: '2' }];
  expectError(await api.post('/api/drafts', { lines }), 400, 'invalid_currency', 'currency');
  const draft = await create({ customerId: 'c_1', currency: 'BTN', description: 'Order', lines });
  expect(draft).toMatchObject({
    lines: [{ product, description: 'Tea', unitAmount: 500 }],
    computedAmount: 1000,
  });
  await api.patch(`/api/products/${product}`, { unitAmounts: { BTN: 600 } });
  const changed = await api.patch(pathOf(draft), { lines: [...draft.lines, ...lines] });
  expect(changed.json).toMatchObject({
    lines: [{ unitAmount: 500 }, { unitAmount: 600 }],
    computedAmount: 2200,
  });
  await api.delete(`/api/products/${product}`);
  expect((await finalize(draft)).json).toMatchObject({ amount: 2200, lines: [{ product }, { product }] });
});

test('a draft shows all fields, any of which can lack, and GET and the list show the same', async () => {
  const created = await create({});
  expect(created).toEqual({
    id: expect.stringMatching(/^drft_[0-9a-z]{26}$/),
    status: 'open',
    ...empty,
    createdAt: expect.any(String),
    updatedAt: created.createdAt,
  });
  const second = await create({
    ...whole,
    dueDate: '2099-01-31',
    reference: 'A-1',
    buyer: { name: 'Dorji', address: { city: 'Thimphu', country: 'BT' } },
    discount: { percent: '10' },
    reminders: [7, -3],
    metadata: { order: '7' },
  });
  expect(second).toMatchObject({
    dueDate: '2099-01-31T23:59:59.999Z',
    lines: [{ ...line, id: null, unit: null, discount: null, taxPercent: null, productCode: null }],
    buyer: { name: 'Dorji', email: null, address: { city: 'Thimphu', line1: null }, taxIds: [] },
    discount: { percent: '10', amount: null },
    reminders: [-3, 7],
    computedAmount: 1890,
    totals: { subtotal: 2000, discount: 200, taxable: 1800, tax: 90, rounding: 0 },
    metadata: { order: '7' },
  });
  expect((await api.get(pathOf(second))).json).toEqual(second);
  const { json } = await api.get('/api/drafts');
  expect(json).toEqual({
    data: [second, created],
    pagination: { total: 2, limit: 20, offset: 0, hasMore: false },
  });
  expect(await idsOf('?limit=1&offset=1')).toEqual([created.id]);
  expect(await invoiceTotal()).toBe(0);
  const other = inNewestVersion((await newAccount(stack.baseUrl)).test);
  expectError(await other.get(pathOf(second)), 404, 'draft_not_found');
  expectError(await account.live.get(pathOf(second)), 404, 'draft_not_found');
});

test('what is sent is checked in form at once', async () => {
  for (const [body, code, field] of [
    [{ amount: 0 }, 'invalid_amount', 'amount'],
    [{ currency: 'EUR' }, 'invalid_currency', 'currency'],
    [{ customerId: 'no id' }, 'invalid_customer', 'customerId'],
    [{ lines: [] }, 'invalid_lines', 'lines'],
    [{ dueDate: 'soon' }, 'invalid_due_date', 'dueDate'],
    [{ status: 'open' }, 'unknown_parameter', 'status'],
    [{ number: '7' }, 'unknown_parameter', 'number'],
  ] as const) {
    expectError(await api.post('/api/drafts', body), 400, code, field);
  }
  expect(await idsOf()).toEqual([]);
});

test('an update changes what is sent, null removes it, and a whole draft can be sent back', async () => {
  const draft = await create({ ...whole, metadata: { a: '1' } });
  const { json: back } = await api.patch(pathOf(draft), draft);
  expect(back).toEqual(draft);
  const changes = { lines: null, amount: 500, customerId: null, metadata: { b: '2' } };
  const { json: changed } = await api.patch(pathOf(draft), changes);
  expect(changed).toEqual({
    ...draft,
    ...{ lines: null, amount: 500, customerId: null, metadata: { a: '1', b: '2' } },
    computedAmount: 500,
    totals: { subtotal: 500, discount: 0, taxable: 500, tax: 0, rounding: 0 },
    updatedAt: changed.updatedAt,
  });
  expect(changed.updatedAt > draft.updatedAt).toBe(true);
  expect((await api.get(pathOf(draft))).json).toEqual(changed);
  expectError(await api.patch(pathOf(draft), { invoiceId: 'inv_1' }), 400, 'immutable_field', 'invoiceId');
  expectError(await api.patch(pathOf(draft), { amount: -1 }), 400, 'invalid_amount', 'amount');
});

test('a deleted draft is gone, with its content', async () => {
  const draft = await create();
  const { status, json } = await api.delete(pathOf(draft));
  expect([status, json]).toEqual([200, { id: draft.id, deletedAt: expect.any(String) }]);
  expect(await idsOf()).toEqual([]);
  expect(JSON.stringify(await table.get(tableKeys.record(draft.id)))).not.toContain('Tea');
  expectError(await api.get(pathOf(draft)), 404, 'draft_not_found');
  expectError(await api.delete(pathOf(draft)), 404, 'draft_not_found');
  expectError(await api.patch(pathOf(draft), { amount: 1 }), 404, 'draft_not_found');
  expectError(await finalize(draft), 404, 'draft_not_found');
});

test('the invoice of a draft is as if it were created directly, and the draft names it', async () => {
  const draft = await create({ ...whole, reference: 'A-1', dueDate: '2099-01-31', metadata: { order: '7' } });
  const direct = await api.post('/api/invoices', {
    ...{ ...whole, reference: 'A-2', dueDate: '2099-01-31', metadata: { order: '7' } },
  });
  const answer = await finalize(draft);
  const { id, paymentUrl, createdAt, updatedAt } = answer.json;
  expect(answer.status).toBe(201);
  expect(answer.headers.location).toBe(`/api/invoices/${id}`);
  expect(answer.json).toEqual({
    ...direct.json,
    ...{ id, paymentUrl, createdAt, updatedAt },
    reference: 'A-1',
  });
  expect((await api.get(answer.headers.location ?? '')).json).toEqual(answer.json);
  const { json: finalized } = await api.get(pathOf(draft));
  expect(finalized).toMatchObject({ ...empty, id: draft.id, status: 'finalized', invoiceId: id });
  expect(JSON.stringify(await table.get(tableKeys.record(draft.id)))).not.toContain('dorji');
  expect(await idsOf()).toEqual([]);
  for (const refused of [
    await finalize(draft),
    await api.patch(pathOf(draft), { amount: 1 }),
    await api.delete(pathOf(draft)),
  ]) {
    expectError(refused, 400, 'draft_finalized');
    expect(refused.json.error.message).toContain(id);
  }
  const events = await waitUntil('the events are relayed', async () => {
    const { data } = (await api.get('/api/events?after=start')).json;
    return data.length === 2 && data;
  });
  expect(events.map(({ type, data }: { type: string; data: { id: string } }) => [type, data.id])).toEqual([
    ['invoice.created', direct.json.id],
    ['invoice.created', id],
  ]);
  const { json: log } = await api.get('/api/audit-log?action=draft.finalize');
  expect(log.data).toMatchObject([{ action: 'draft.finalize', resource: draft.id }]);
});

test('a draft says whether its invoice takes parts, or leaves it to the account', async () => {
  const body = { customerId: 'c_1', amount: 100, currency: 'BTN', description: 'Tea' };
  for (const [acceptPartial, taken] of [
    [true, true],
    [false, false],
    [undefined, false],
  ]) {
    const draft = await create({ ...body, acceptPartial });
    expect(draft.acceptPartial).toBe(acceptPartial ?? null);
    const { json } = await finalize(draft);
    expect((await api.get(`/api/invoices/${json.id}`)).json.acceptPartial).toBe(taken);
  }
  const draft = await create({ ...body, acceptPartial: true });
  expect((await api.patch(pathOf(draft), { acceptPartial: null })).json.acceptPartial).toBeNull();
});

test('a draft of a customer with a tax of India has the place of supply of the customer', async () => {
  const address = { country: 'IN', state: 'Karnataka' };
  await changeSeller(account.accountId, { legalName: 'Kaveri', address: { ...address, state: 'Kerala' } });
  const { json: customer } = await api.post('/api/customers', { name: 'Asha', address });
  const lines = [{ ...line, tax: 'in_gst_18' }];
  const body = { ...whole, customerId: customer.id, currency: 'INR', lines };
  const direct = await api.post('/api/invoices', body);
  const finalized = await finalize(await create(body));
  expect([finalized.status, finalized.json.taxes, finalized.json.gst]).toEqual([
    201,
    direct.json.taxes,
    direct.json.gst,
  ]);
  expect(finalized.json.taxes).toMatchObject([{ name: 'IGST' }]);
});

test('what lacks is refused as in a new invoice, and nothing changes', async () => {
  for (const [fields, code, field] of [
    [{ customerId: undefined }, 'invalid_customer', 'customerId'],
    [{ lines: undefined }, 'invalid_amount', 'amount'],
    [{ amount: 5 }, 'invalid_amount', 'amount'],
    [{ currency: undefined }, 'invalid_currency', 'currency'],
    [{ description: undefined }, 'invalid_description', 'description'],
    [{ lines: undefined, amount: 5, prices: 'inclusive' }, 'invalid_prices', 'prices'],
    [{ buyer: { name: 'Pema', email: 'pema@example.bt' } }, 'invalid_buyer', 'buyer.email'],
  ] as const) {
    const body = { ...whole, ...fields };
    const draft = await create(body);
    const refused = await finalize(draft);
    expectError(refused, 400, code, field);
    const { error } = (await api.post('/api/invoices', body)).json;
    expect({ ...refused.json.error, requestId: '' }).toEqual({ ...error, requestId: '' });
    expect((await api.get(pathOf(draft))).json).toEqual(draft);
  }
  await api.post('/api/invoices', { ...whole, reference: 'A-1' });
  const draft = await create({ ...whole, reference: 'A-1' });
  expectError(await finalize(draft), 400, 'reference_taken');
  expect((await api.get(pathOf(draft))).json).toEqual(draft);
  expect(await invoiceTotal()).toBe(1);
});

test('the first version of the API shows the invoice with its ten fields', async () => {
  const draft = await create();
  const { status, json } = await account.test.post(`${pathOf(draft)}/finalize`, undefined);
  expect([status, Object.keys(json).length, json.amount]).toEqual([201, 10, 2100]);
});

test('of 20 finalizations at once, one creates the invoice. Under one key, all get its answer', async () => {
  const draft = await create({ ...whole, reference: 'C-1' });
  const answers = await Promise.all(Array.from({ length: 20 }, () => finalize(draft)));
  expect(answers.map(({ status, json }) => json.error?.code ?? status).sort()).toEqual([
    201,
    ...Array(19).fill('draft_finalized'),
  ]);
  expect(await invoiceTotal()).toBe(1);
  const second = await create();
  const same = await Promise.all(
    Array.from({ length: 20 }, () => finalize(second, { 'Idempotency-Key': 'one' })),
  );
  expect(new Set(same.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  expect(same[0]?.status).toBe(201);
  expect(await invoiceTotal()).toBe(2);
});

test('a finalization beside updates and a deletion has the content of one version, or none', async () => {
  const runs = Array.from({ length: 12 }, async (_, run) => {
    const draft = await create({ ...whole, reference: `R-${run}` });
    const other = () =>
      run % 2
        ? api.delete(pathOf(draft))
        : api.patch(pathOf(draft), { customerId: 'pema@example.bt', reference: `S-${run}` });
    const [changed, answer] = await Promise.all([other(), finalize(draft)]);
    if (run % 2) {
      expect([changed.status, answer.status].sort()).toEqual(
        changed.status === 200 ? [200, 404] : [201, 400],
      );
      return answer.status === 201 ? 1 : 0;
    }
    const isChanged = changed.status === 200;
    expect(answer.json).toMatchObject({
      customerId: isChanged ? 'pema@example.bt' : 'dorji@example.bt',
      reference: isChanged ? `S-${run}` : `R-${run}`,
    });
    const found = await api.get(`/api/invoices?customerId=${answer.json.customerId}&limit=100`);
    expect(found.json.data.map(({ id }: { id: string }) => id)).toContain(answer.json.id);
    return 1;
  });
  const made = (await Promise.all(runs)).reduce<number>((sum, each) => sum + each, 0);
  expect(await invoiceTotal()).toBe(made);
});

test('after a crash at any call there is one invoice or none, and a repetition ends it', async () => {
  let effects = 0;
  for (let at = 0, crashed = true; crashed; at++) {
    for (const fault of ['crash before call', 'crash after call'] as const) {
      const draft = await create({ ...whole, reference: `R-${at}-${fault}` });
      const label = `finalize ${at} ${fault}`;
      crashes.set(label, { at, fault });
      const send = (headers = {}) => finalize(draft, { 'Idempotency-Key': label, ...headers });
      crashed = !(await send({ [invocationHeader]: label }).catch(() => undefined));
      await waitUntil('the request has ended', () => layer.invocation(label)?.ended);
      const { invoiceId, status } = (await api.get(pathOf(draft))).json;
      const hadEffect = status === 'finalized';
      expect(invoiceId !== null).toBe(hadEffect);
      const repeated = await send();
      expect(repeated.status).toBe(201);
      expect(repeated.headers['idempotent-replayed']).toBe(hadEffect ? 'true' : undefined);
      if (hadEffect) expect(repeated.json.id).toBe(invoiceId);
      expect((await api.get(pathOf(draft))).json).toMatchObject({ invoiceId: repeated.json.id });
      expect(await invoiceTotal()).toBe(++effects);
      expect(await idsOf()).toEqual([]);
      if (!crashed) break;
    }
  }
  // The counted request, its reads, the transaction and the entries of the lists.
  expect(effects).toBeGreaterThan(8);
});

test('the documents of a finalized draft are issued as those of a new invoice', async () => {
  await changeSeller(account.accountId, seller);
  const draft = await create();
  const { json } = await finalize(draft);
  const number = await waitUntil(
    'the invoice has its number',
    async () => (await api.get(`/api/invoices/${json.id}`)).json.number,
  );
  expect(number).toBe('INV-0001');
});

const seller = { legalName: 'Druk Crafts', address: { country: 'BT' } };
const preferring = (prefer: string, key?: string) => ({
  headers: { Prefer: prefer, ...(key !== undefined && { 'Idempotency-Key': key }) },
});

test('with Prefer: wait, a new, finalized or replacing invoice is answered with its number', async () => {
  await changeSeller(account.accountId, seller);
  const created = await api.post('/api/invoices', whole, preferring('wait'));
  const { id } = await create();
  const finalized = await api.post(
    `/api/drafts/${id}/finalize`,
    undefined,
    preferring('respond-async, WAIT=5'),
  );
  const replaced = await api.post(`/api/invoices/${created.json.id}/replace`, {}, preferring('wait; x=1'));
  const answers = [created, finalized, replaced];
  expect(answers.map(({ json }) => json.number)).toEqual(['INV-0001', 'INV-0002', 'INV-0003']);
  expect(answers.map(({ headers }) => headers['preference-applied'])).toEqual(['wait', 'wait', 'wait']);
  for (const { json } of [finalized, replaced])
    expect((await api.get(`/api/invoices/${json.id}`)).json).toEqual(json);
});

test('Prefer: wait does not wait for nothing, or for more than a second, and a repetition waits again', async () => {
  const without = await api.post('/api/invoices', whole, preferring('wait'));
  expect([without.status, without.json.number, without.headers['preference-applied']]).toEqual([
    201,
    null,
    undefined,
  ]);
  await changeSeller(account.accountId, seller);
  for (const prefer of ['return=minimal', 'wait=0', 'wait=soon', 'x="wait"']) {
    const ignored = await api.post('/api/invoices', whole, preferring(prefer));
    expect([ignored.status, ignored.headers['preference-applied']]).toEqual([201, undefined]);
  }
  await stack.stream.pause();
  const first = await api.post('/api/invoices', whole, preferring('wait', 'one'));
  expect([first.status, first.json.number, first.headers['preference-applied']]).toEqual([201, null, 'wait']);
  stack.stream.resume();
  const repeated = await waitUntil('the repetition has the number', async () => {
    const answer = await api.post('/api/invoices', whole, preferring('wait', 'one'));
    return answer.json.number === null ? undefined : answer;
  });
  expect(repeated.headers['idempotent-replayed']).toBe('true');
  expect(repeated.json).toEqual({ ...first.json, number: 'INV-0005' });
});
