/** Tests that the reconciliation finds documents that are missing, twice, altered or do not add up, and nothing else. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import type { DocumentsBatch } from '../../shared/operations/reconciliation/reconcile-documents.ts';
import { tableKeys } from '../../shared/store/keys.ts';
import { type Api, invoiceBody, newAccount } from '../support/api.ts';
import { countUnits, sumOf } from '../support/capacity-units.ts';
import { startTestStack } from '../support/stack.ts';
import { type TestItem, type TestTable, tableOf } from '../support/table.ts';
import { untilRelayed } from '../support/until-relayed.ts';
import { waitUntil } from '../support/wait-until.ts';

let stack: Stack;
let table: TestTable;
let api: Api;
let owner: { readonly account: string; readonly mode: 'test' };
beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  table = tableOf(stack);
});
afterAll(() => stack?.close());

const lines = [
  { description: 'Tea', quantity: '3', unitAmount: 333, tax: 'bt_gst_5' },
  { description: 'Cups', quantity: '0.5', unitAmount: 99, tax: 'bt_gst_5', discount: { percent: '7.5' } },
  { description: 'Fee', quantity: '1', unitAmount: 777, tax: 'us_sales', taxPercent: '8.875' },
];
/** Four invoices, the first with lines, revised, paid and credited twice. */
beforeEach(async () => {
  const account = await newAccount(stack.baseUrl);
  api = account.test;
  owner = { account: account.accountId, mode: 'test' };
  const { changeSeller } = await import('../../shared/domain/accounts/seller-change-store.ts');
  const profile = { legalName: 'Druk Crafts', address: { country: 'BT' } };
  await changeSeller(owner.account, profile);
  const headers = { 'X-API-Version': '2026-11-23' };
  const charged = { amount: undefined, lines, discount: { amount: 11 }, prices: 'inclusive', roundTo: 5 };
  const { id } = (await api.post('/api/invoices', invoiceBody(charged), { headers })).json;
  for (let count = 0; count < 3; count++) await api.post('/api/invoices', invoiceBody());
  await issued(4);
  await api.patch(`/api/invoices/${id}`, { description: 'Tea and cups' }, { headers });
  const paymentId = (await api.post('/api/payments', { invoiceId: id, method: 'offline' })).json.id;
  for (const amount of [100, 200])
    expect((await api.post('/api/refunds', { paymentId, amount })).status).toBe(201);
  await issued(8);
  await untilRelayed(table, `${owner.account}#test`);
});

const documents = () => table.all(tableKeys.document(owner, '').pk);
const issued = (count: number) =>
  waitUntil(`${count} documents are issued`, async () => (await documents()).length >= count);
const compare = async (full = true) => {
  const { findDocumentDifferences } = await import(
    '../../shared/operations/reconciliation/document-differences.ts'
  );
  const found = await findDocumentDifferences(owner, Date.now(), full);
  return found.map(({ id, rule, seq }) => ({ id, rule, seq }));
};
const documentOf = async (number: string, revision = 0): Promise<TestItem> => {
  for (const item of await documents()) {
    const { content } = (await api.get(`/api/documents/${item.sk}`)).json;
    if (content.number === number && content.revision === revision) return { ...item, content };
  }
  throw new Error(`There is no document ${number}.`);
};
/** Stores a document with another content. */
const alter = async (item: TestItem, change: object, others: object = {}) =>
  table.put({ ...item, ...others, content: JSON.stringify({ ...item.content, ...change }) });
const series = (kind = 'invoice', prefix = 'INV-') => tableKeys.series(owner, kind, prefix);
const seriesItem = async () => (await table.get(series())) ?? {};

test('documents agree, in a daily comparison and a full one, also after an erasure and with a series that goes on', async () => {
  expect(await compare()).toEqual([]);
  expect(await compare(false)).toEqual([]);
  const { changeSeller } = await import('../../shared/domain/accounts/seller-change-store.ts');
  await changeSeller(
    owner.account,
    { series: { invoice: { prefix: 'NEW-', next: 41 } } },
    { start: { owner, at: Date.now() as never } },
  );
  await api.post('/api/invoices', invoiceBody());
  await issued(9);
  expect((await table.get(series('invoice', 'NEW-')))?.last).toBe(41);
  expect((await table.get(series('invoice', 'NEW-')))?.first).toBe(41);
  expect(await compare()).toEqual([]);
  const item = await documentOf('INV-0002');
  await alter(item, { description: 'erased' }, { isErased: true });
  expect(await compare()).toEqual([]);
});

describe('a damage is found', () => {
  test('a document that is gone, in a daily comparison too', async () => {
    await table.delete((await documentOf('INV-0003')) as never);
    const missing = [{ id: 'INV-0003', rule: 'document_missing', seq: 3 }];
    expect(await compare(false)).toEqual(missing);
    expect(await compare()).toEqual(missing);
  });

  test('the first document and the last one are gone', async () => {
    await table.delete((await documentOf('INV-0004')) as never);
    await table.delete((await documentOf('CN-0001')) as never);
    expect((await compare()).map(({ id }) => id).sort()).toEqual(['CN-0001', 'INV-0004']);
  });

  test('a number that two documents have', async () => {
    const item = await documentOf('INV-0003');
    const sk = item.sk.replace(/.$/, item.sk.endsWith('0') ? '1' : '0');
    await alter({ ...item, sk }, {});
    expect(await compare(false)).toEqual([
      { id: [sk, item.sk].sort()[1], rule: 'document_number_twice', seq: 3 },
    ]);
  });

  test('a series that is behind its documents, which the repair mends', async () => {
    await table.put({ ...(await seriesItem()), last: 2 });
    expect(await compare(false)).toEqual([{ id: 'invoice#INV-', rule: 'document_number_ahead', seq: 4 }]);
    const { repair, isRepairable } = await import('../../shared/operations/reconciliation/repair.ts');
    const { findDocumentDifferences } = await import(
      '../../shared/operations/reconciliation/document-differences.ts'
    );
    const [difference] = await findDocumentDifferences(owner, Date.now(), false);
    if (difference?.resource !== 'document') throw new Error('The difference is missing.');
    expect(isRepairable(difference)).toBe(true);
    await repair(difference);
    await repair({ ...difference, seq: 3 });
    expect((await seriesItem()).last).toBe(4);
    expect(await compare()).toEqual([]);
  });

  test('a text, an amount, and what lists show of a document', async () => {
    const [first, second] = [await documentOf('INV-0002'), await documentOf('INV-0003')];
    await alter(first, { description: 'Another text' });
    await alter(second, {}, { invoiceId: first.content.invoiceId });
    expect(await compare()).toEqual(
      [first, second].map(({ sk }, index) => ({ id: sk, rule: 'document_altered', seq: index + 2 })),
    );
  });

  test.each(['lines', 'taxes', 'totals', 'amount'])(
    '%s that do not add up, also with a fitting hash',
    async (field) => {
      const item = await documentOf('INV-0001');
      const { content } = item;
      const raise = (row: Record<string, unknown>, name: string) => ({
        ...row,
        [name]: Number(row[name]) + 1,
      });
      const changed = {
        lines: [raise(content.lines[0], 'taxAmount'), ...content.lines.slice(1)],
        taxes: [raise(content.taxes[0], 'amount'), ...content.taxes.slice(1)],
        totals: raise(content.totals, 'tax'),
        amount: content.amount + 1,
      }[field];
      const { createHash } = await import('node:crypto');
      const text = JSON.stringify({ ...content, [field]: changed });
      const sha256 = createHash('sha256').update(text).digest('hex');
      await table.put({ ...item, content: text, sha256 });
      expect(await compare()).toContainEqual({ id: item.sk, rule: 'document_sums_differ', seq: 1 });
    },
  );

  test('a credit note whose sums do not add up', async () => {
    const item = await documentOf('CN-0001');
    const totals = { ...item.content.totals, tax: item.content.totals.tax + 1 };
    await alter(item, { totals }, { isErased: true });
    expect(await compare()).toEqual([{ id: item.sk, rule: 'document_sums_differ', seq: 1 }]);
  });

  test('credit notes that exceed their invoice, or are not counted', async () => {
    const item = await documentOf('CN-0002');
    const { lines: own, totals } = item.content;
    const more = 1_000_000;
    await alter(
      item,
      {
        amount: item.content.amount + more,
        lines: [{ ...own[0], taxableAmount: own[0].taxableAmount + more }, ...own.slice(1)],
        totals: { ...totals, taxable: totals.taxable + more },
      },
      { isErased: true },
    );
    const rules = async () => (await compare(false)).map(({ rule }) => rule);
    expect(await rules()).toEqual(['credited_sum_differs', 'credited_above_invoice']);
    const key = tableKeys.invoiceNumber(item.content.invoiceId);
    const { documents: named, ...number } = (await table.get(key)) as TestItem;
    await table.put({ ...number, documents: named.slice(0, 1) });
    expect(await rules()).toEqual(['document_invoice_missing']);
    await table.put({ ...number, documents: named, credited: 'much' });
    expect(await rules()).toEqual(['item_malformed']);
  });

  test('a document that cannot be read keeps its number', async () => {
    const item = await documentOf('INV-0003');
    await table.put({ ...item, content: 7 });
    expect(await compare()).toEqual([{ id: item.sk, rule: 'item_malformed', seq: 0 }]);
  });
});

test('a comparison goes on in the next message, and the report of the day has what it found', async () => {
  await table.delete((await documentOf('INV-0002')) as never);
  const { beginDocuments } = await import('../../shared/operations/reconciliation/document-differences.ts');
  const { reconcileDocuments } = await import(
    '../../shared/operations/reconciliation/reconcile-documents.ts'
  );
  const { fromMessage } = await import('../../shared/operations/reconciliation/batch.ts');
  const { readReport, reportBegin } = await import('../../shared/operations/reconciliation/report.ts');
  const now = Date.now();
  const day = '2031-01-31';
  await reportBegin(day, 1, now);
  let batch: DocumentsBatch = { ...owner, day, documents: await beginDocuments(owner, now, true) };
  let messages = 0;
  for (let goesOn = true; goesOn; messages++) {
    goesOn = false;
    const send = async (next: DocumentsBatch) => {
      batch = fromMessage(JSON.stringify(next)) as DocumentsBatch;
      goesOn = true;
    };
    await reconcileDocuments(batch, now, send, 0);
  }
  // The query has one page, and a further step finds its end.
  expect(messages).toBe(2);
  expect((await readReport(day))?.differences).toMatchObject([
    { resource: 'document', id: 'INV-0002', rule: 'document_missing' },
  ]);
});

test('a comparison of 8 documents takes few read units', async () => {
  const units = countUnits(stack);
  await Promise.all([stack.stream.pause(), stack.queues.pause()]);
  units.take();
  await compare();
  const read = sumOf(units.take(), 'read');
  stack.stream.resume();
  stack.queues.resume();
  units.remove();
  expect(read).toBeLessThanOrEqual(14);
});
