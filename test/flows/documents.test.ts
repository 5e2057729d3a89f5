/** Tests the documents of an account with a seller profile: their numbers, contents and order, over HTTP. */

import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { newestApiVersion } from '../../shared/domain/versions/versions.ts';
import { type Api, invoiceBody, newAccount } from '../support/api.ts';
import { setClock, stopClock } from '../support/clock.ts';
import { expectError } from '../support/expectations.ts';
import { cardPaymentBody, cards } from '../support/pay.ts';
import { isExhaustive } from '../support/run.ts';
import { startTestStack } from '../support/stack.ts';
import { type TestItem, type TestTable, tableOf } from '../support/table.ts';
import { waitUntil } from '../support/wait-until.ts';

const headers = { 'X-API-Version': newestApiVersion };
const seller = { legalName: 'Druk Crafts', address: { country: 'BT' }, taxIds: [] };

let stack: Stack;
let table: TestTable;
let api: Api;
let accountId: string;
let changeSeller: typeof import('../../shared/domain/accounts/seller-change-store.ts').changeSeller;
beforeAll(async () => {
  stack = await startTestStack();
  table = tableOf(stack);
  ({ changeSeller } = await import('../../shared/domain/accounts/seller-change-store.ts'));
});
beforeEach(async () => {
  ({ accountId, test: api } = await newAccount(stack.baseUrl));
});
afterAll(() => stack.close());

const create = async (body = {}) => {
  const { json, status, text } = await api.post('/api/invoices', invoiceBody(body), { headers });
  if (status !== 201) throw new Error(text);
  return json;
};
const list = async (query = '') => (await api.get(`/api/documents${query}`)).json;
const documentsOf = async (invoice: string) =>
  (await api.get(`/api/invoices/${invoice}/documents`)).json.data;
const waitForDocuments = (invoice: string, count: number) =>
  waitUntil(`${count} documents are issued`, async () => {
    const documents = await documentsOf(invoice);
    return documents.length === count && documents;
  });
const get = async (id: string) => (await api.get(`/api/documents/${id}`)).json;
/** Returns the events of a type, oldest first. */
async function allEvents(type: string, count: number) {
  const found: { id: string; data: { id: string; number: string } }[] = [];
  while (found.length < count) {
    const after = found.at(-1)?.id ?? 'start';
    const { data } = (await api.get(`/api/events?after=${after}&limit=100&type=${type}`)).json;
    if (data.length === 0) break;
    found.push(...data);
  }
  return found;
}
const gst = (unitAmount: number) => [{ description: 'Tea', quantity: '1', unitAmount, tax: 'bt_gst_5' }];

test('an account without a seller profile issues no document, and pays for none', async () => {
  const { id } = await create();
  await waitUntil('its event is stored', async () => (await api.get('/api/events')).json.data.length > 0);
  expect(await list()).toEqual({ data: [], cursor: { hasMore: false, next: null } });
  expect(await documentsOf(id)).toEqual([]);
  expect(await table.all(`SERIES#${accountId}#test`)).toEqual([]);
});

test('invoices get the numbers of their series in the order of their events, without a gap', async () => {
  await changeSeller(accountId, seller);
  const created = await Promise.all(Array.from({ length: isExhaustive ? 1000 : 60 }, () => create()));
  const documents = () => table.all(`DOCUMENTS#${accountId}#test`);
  await waitUntil('all are issued', async () => (await documents()).length === created.length);
  const data = (await documents()) as unknown as { number: string; invoiceId: string }[];
  const numbers = data.map(({ number }) => number).sort();
  expect(numbers).toEqual(created.map((_, index) => `INV-${String(index + 1).padStart(4, '0')}`));
  const events = await allEvents('document.issued', created.length);
  const ordered = await allEvents('invoice.created', created.length);
  const numberOf = new Map(data.map((each) => [each.invoiceId, each.number]));
  expect(ordered.map((event) => numberOf.get(event.data.id))).toEqual(numbers);
  expect(events.map((event) => event.data.number)).toEqual(numbers);
});

test('a document contains the seller, the buyer, the lines and the taxes, with the hash of what it says', async () => {
  await changeSeller(accountId, {
    ...seller,
    taxIds: [{ type: 'bt_tpn', value: 'TAB12345' }],
    footer: 'Thank you.',
  });
  const customer = (
    await api.post('/api/customers', { name: 'Pema', address: { city: 'Paro', country: 'BT' } })
  ).json;
  const invoice = await create({ customerId: customer.id, amount: undefined, lines: gst(10_000) });
  const [summary] = await waitForDocuments(invoice.id, 1);
  const { content, ...shown } = await get(summary.id);
  expect(shown).toEqual(summary);
  expect(summary).toMatchObject({
    kind: 'invoice',
    title: 'tax_invoice',
    number: 'INV-0001',
    amount: 10_500,
    revision: 0,
  });
  expect(content).toMatchObject({
    seller: { name: 'Druk Crafts', footer: 'Thank you.', taxIds: [{ type: 'bt_tpn', value: 'TAB12345' }] },
    buyer: { customerId: customer.id, name: 'Pema', address: { city: 'Paro' } },
    taxes: [{ code: 'bt_gst_5', taxable: 10_000, amount: 500 }],
    totals: { taxable: 10_000, tax: 500 },
    paymentUrl: invoice.paymentUrl,
  });
  expect(createHash('sha256').update(JSON.stringify(content)).digest('hex')).toBe(summary.sha256);
});

test('a change issues the invoice again with its number, and a change of metadata does not', async () => {
  await changeSeller(accountId, seller);
  const { id } = await create();
  await waitForDocuments(id, 1);
  await api.patch(`/api/invoices/${id}`, { metadata: { order: '1' } }, { headers });
  await api.patch(`/api/invoices/${id}`, { amount: 777 }, { headers });
  const [second, first] = await waitForDocuments(id, 2);
  expect([first.number, first.revision, first.amount]).toEqual(['INV-0001', 0, 2500]);
  expect([second.number, second.revision, second.amount]).toEqual(['INV-0001', 1, 777]);
  await create();
  await waitUntil('the next has the next number', async () => (await list()).data[0].number === 'INV-0002');
});

test('a credit note follows from the last issue of its invoice, also if the relay of that is late', async () => {
  const [{ relay }, { fromOutboxItem }] = await Promise.all([
    import('../../shared/operations/outbox/relay.ts'),
    import('../../shared/store/commit/outbox-item.ts'),
  ]);
  await changeSeller(accountId, seller);
  const { id } = await create({ acceptPartial: true, amount: 5_000 });
  await waitForDocuments(id, 1);
  await stack.stream.pause();
  try {
    const payment = await api.post(
      '/api/payments',
      { invoiceId: id, method: 'offline', amount: 400 },
      { headers },
    );
    expect((await api.patch(`/api/invoices/${id}`, { amount: 400 }, { headers })).json.status).toBe('paid');
    const voided = await api.post(
      `/api/payments/${payment.json.id}/void`,
      { reason: 'Typed twice' },
      { headers },
    );
    expect(voided.status).toBe(200);
    const waiting = (await table.outboxOf(`${accountId}#test`)).toSorted((a, b) => (a.sk < b.sk ? -1 : 1));
    expect(waiting).toHaveLength(3);
    // The last change is relayed first.
    await relay(fromOutboxItem(waiting.at(-1) ?? {}), Date.now());
  } finally {
    stack.stream.resume();
  }
  const documents = await documentsOf(id);
  const issued = documents.map(({ kind, amount }: { kind: string; amount: number }) => `${kind} ${amount}`);
  // Part and change can have the same time.
  expect(issued.sort()).toEqual([
    'credit_note 400',
    'invoice 400',
    'invoice 5000',
    'invoice 5000',
    'receipt 400',
  ]);
});

test('changes of the same time are relayed as they come, whatever their keys are', async () => {
  const [{ relay }, { fromOutboxItem }] = await Promise.all([
    import('../../shared/operations/outbox/relay.ts'),
    import('../../shared/store/commit/outbox-item.ts'),
  ]);
  await changeSeller(accountId, seller);
  await stack.stream.pause();
  stopClock();
  try {
    const { id } = await create();
    await api.post('/api/payments', { invoiceId: id, method: 'offline' }, { headers });
    const waiting = await table.outboxOf(`${accountId}#test`);
    const changeWith = (type: string) => {
      const found = waiting
        .map(fromOutboxItem)
        .find(({ events }) => events.some((event) => event.type === type));
      if (!found) throw new Error(`No change has the event ${type}.`);
      return found;
    };
    const [created, paid] = [changeWith('invoice.created'), changeWith('payment.completed')];
    const [time] = created.sk.split('#');
    expect(paid.sk.split('#')[0]).toBe(time);
    const lowest = `${time}#!`;
    const [stored] = waiting.filter(({ sk }) => sk === paid.sk);
    await table.put({ ...stored, sk: lowest } as TestItem);
    await table.delete(paid);
    const kinds = async () => (await documentsOf(id)).map(({ kind }: { kind: string }) => kind).sort();
    await relay(created, Date.now());
    expect((await table.outboxOf(`${accountId}#test`)).map(({ sk }) => sk)).toEqual([lowest]);
    expect(await kinds()).toEqual(['invoice']);
    await relay({ ...paid, sk: lowest }, Date.now());
    expect(await kinds()).toEqual(['invoice', 'receipt']);
  } finally {
    setClock();
    stack.stream.resume();
  }
});

test('refunds have credit notes of their own series, with their shares of the tax, up to the whole', async () => {
  await changeSeller(accountId, seller);
  const { id, amount } = await create({ amount: undefined, lines: gst(333) });
  expect(amount).toBe(350);
  const payment = (await api.post('/api/payments', { invoiceId: id, method: 'offline' })).json;
  const refund = (part: number) => api.post('/api/refunds', { paymentId: payment.id, amount: part });
  await waitForDocuments(id, 2);
  for (const [index, part] of [100, 249, 1].entries()) {
    expect((await refund(part)).status).toBe(201);
    await waitForDocuments(id, 3 + index);
  }
  const notes = (
    await Promise.all((await documentsOf(id)).slice(0, 3).map(({ id: note }: { id: string }) => get(note)))
  ).reverse();
  expect(notes.map(({ number, amount: credited }) => [number, credited])).toEqual([
    ['CN-0001', 100],
    ['CN-0002', 249],
    ['CN-0003', 1],
  ]);
  const taxes = notes.map(({ content }) => content.totals.tax);
  expect(taxes.reduce((one, other) => one + other)).toBe(17);
  for (const { content } of notes) {
    expect(content.corrects.number).toBe('INV-0001');
    expect(content.totals.taxable + content.totals.tax).toBe(content.amount);
  }
});

test('the payment that pays an invoice has a receipt of its own series, and other payments have none', async () => {
  await changeSeller(accountId, seller);
  const { id, amount } = await create({ amount: undefined, lines: gst(333) });
  const arrived = { receivedOn: '2026-01-02', bank: 'Bank of Bhutan' };
  const body = { invoiceId: id, method: 'offline', reference: 'CHQ-7', ...arrived };
  const payment = (await api.post('/api/payments', body, { headers })).json;
  const [receipt] = await waitForDocuments(id, 2);
  expect(receipt).toMatchObject({ kind: 'receipt', title: 'receipt', number: 'RCP-0001', amount });
  const { content } = await get(receipt.id);
  expect(content).toMatchObject({
    payment: {
      ...{ id: payment.id, number: 'INV-0001', method: 'offline', card: null, reference: 'CHQ-7' },
      ...arrived,
    },
    lines: [{ description: 'Payment of INV-0001', amount }],
    taxes: [],
    totals: { taxable: amount, tax: 0 },
    paymentUrl: null,
    dueOn: null,
  });
  expect((await list('?kind=receipt')).data).toEqual([receipt]);
  const pdf = await api.get(`/api/documents/${receipt.id}/pdf`);
  expect(pdf.headers['content-type']).toBe('application/pdf');
  // A payment that is refused pays nothing.
  const other = await create();
  await api.post('/api/payments', cardPaymentBody(other.id, cards.declined));
  await api.post('/api/payments', cardPaymentBody(other.id, cards.completes));
  await waitForDocuments(other.id, 2);
  const [first, second] = (await list('?kind=receipt')).data;
  expect([first.number, second.number]).toEqual(['RCP-0002', 'RCP-0001']);
  expect((await get(first.id)).content.payment.card.last4).toHaveLength(4);
});

test('receipts have the prefix that the seller chooses, and no series takes the numbers of another one over', async () => {
  await changeSeller(accountId, {
    ...seller,
    series: { receipt: { prefix: 'R/{year}/', restart: 'yearly' } },
  });
  const { id } = await create();
  await api.post('/api/payments', { invoiceId: id, method: 'offline' });
  const [receipt] = await waitForDocuments(id, 2);
  expect(receipt.number).toMatch(/^R\/20\d\d\/0001$/);
  const swapped = { invoice: { prefix: 'X-' }, creditNote: { prefix: 'INV-' } };
  await expect(changeSeller(accountId, { series: swapped })).rejects.toMatchObject({
    code: 'invalid_seller',
    field: 'seller.series.creditNote.prefix',
    message: expect.stringContaining('those of the series invoice, which have reached 1 in test mode'),
  });
});

test('an invoice has the due date and the taxes that its account has set, unless it says others', async () => {
  const defaults = { timeZone: 'Asia/Thimphu', paymentDays: 14, defaultTax: 'bt_gst_5' as const };
  await changeSeller(accountId, { ...seller, ...defaults });
  const line = { description: 'Tea', quantity: '1', unitAmount: 1_000 };
  const fields = { amount: undefined, currency: 'BTN', dueDate: undefined };
  const created = await create({
    ...fields,
    lines: [line, { ...line, tax: 'none' }, { ...line, tax: null }],
  });
  expect(created).toMatchObject({
    amount: 3_050,
    lines: [{ tax: 'bt_gst_5' }, { tax: 'none' }, { tax: 'none' }],
  });
  const today = new Date(Date.parse(created.createdAt) + 6 * 3_600_000).toISOString().slice(0, 10);
  const due = new Date(Date.parse(`${today}T17:59:59.999Z`) + 14 * 86_400_000).toISOString();
  expect(created.dueDate).toBe(due);
  const changed = await api.patch(`/api/invoices/${created.id}`, { lines: [line] }, { headers });
  expect(changed.json.amount).toBe(1_050);
  const own = await create({ ...fields, dueDate: '2099-01-01T00:00:00Z', lines: [line] });
  expect(own.dueDate).toBe('2099-01-01T00:00:00Z');
});

test('lists are paged and filtered, and ids of others are not found', async () => {
  await changeSeller(accountId, seller);
  const created = await Promise.all(Array.from({ length: 5 }, () => create()));
  await waitUntil('all are issued', async () => (await list()).data.length === created.length);
  const first = await list('?limit=3');
  expect(first.cursor.hasMore).toBe(true);
  const second = await list(`?limit=3&before=${first.cursor.next}`);
  const ids = [...first.data, ...second.data].map(({ id }) => id);
  expect(ids).toEqual((await list()).data.map(({ id }: { id: string }) => id));
  expect((await list('?kind=credit_note')).data).toEqual([]);
  expectError(await api.get('/api/documents?kind=note'), 400, 'invalid_kind', 'kind');
  expectError(await api.get('/api/documents?before=x'), 400, 'invalid_before', 'before');
  const other = (await newAccount(stack.baseUrl)).test;
  expectError(await other.get(`/api/documents/${ids[0]}`), 404, 'document_not_found');
  expectError(await other.get(`/api/invoices/${created[0]?.id}/documents`), 404, 'invoice_not_found');
});

test('an invoice has its number when it is read, listed and shown to its payer, and can be sent back with it', async () => {
  await changeSeller(accountId, seller);
  const created = await create({ reference: 'A-1' });
  expect(created.number).toBe(null);
  await waitForDocuments(created.id, 1);
  const path = `/api/invoices/${created.id}`;
  const read = (await api.get(path, { headers })).json;
  expect(read).toEqual({ ...created, number: 'INV-0001' });
  expect((await api.get('/api/invoices', { headers })).json.data).toEqual([read]);
  expect((await api.get('/api/invoices?reference=A-1', { headers })).json.data).toEqual([read]);
  expect((await api.patch(path, { ...read, amount: 5 }, { headers })).status).toBe(200);
  expect(Object.keys((await api.get(path)).json)).toHaveLength(10);
  const page = await fetch(`${stack.baseUrl}/pay/${created.id}`);
  expect(await page.text()).toContain('INV-0001');
});
