/**
 * Tests this version beside a newer one, as during a rollout: it loses no attribute that the newer one stored, and it
 * tolerates a status that only the newer one knows.
 */
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import type { Owner } from '../../shared/base/ids.ts';
import { tableKeys } from '../../shared/store/keys.ts';
import { type Api, invoiceBody, newAccount } from '../support/api.ts';
import { type HttpResponse, request } from '../support/http.ts';
import { cardPaymentBody, cards } from '../support/pay.ts';
import { startTestStack } from '../support/stack.ts';
import { type TestItem, type TestTable, tableOf } from '../support/table.ts';
import { waitUntil } from '../support/wait-until.ts';

let stack: Stack;
let table: TestTable;
let owner: Owner;
let api: Api;
beforeAll(async () => {
  stack = await startTestStack();
  table = tableOf(stack);
});
beforeEach(async () => {
  const account = await newAccount(stack.baseUrl);
  owner = { account: account.accountId, mode: 'test' };
  api = account.test;
});
afterAll(() => stack.close());

/** What a newer version could store: an attribute of its own, with a value of any type. */
const newer = { addedLater: { reason: 'a newer version', list: [1, 2] } };

async function addAttribute(key: { pk: string; sk: string }): Promise<void> {
  await table.put({ ...((await table.get(key)) as TestItem), ...newer });
}

async function expectAttribute(key: { pk: string; sk: string }, changes: TestItem): Promise<void> {
  expect(await table.get(key)).toMatchObject({ ...newer, ...changes });
}

const newInvoice = async (): Promise<string> => (await api.post('/api/invoices', invoiceBody())).json.id;

test('an invoice keeps unknown attributes when it is updated, paid and refunded, and so do payment and refund', async () => {
  const invoice = tableKeys.record(await newInvoice());
  await addAttribute(invoice);
  await api.patch(`/api/invoices/${invoice.pk}`, { description: 'Changed' });
  await expectAttribute(invoice, { description: 'Changed', version: 2 });

  const paid = await api.post('/api/payments', cardPaymentBody(invoice.pk, cards.completes));
  await expectAttribute(invoice, { status: 'paid' });
  const payment = tableKeys.record(paid.json.id);
  await addAttribute(payment);
  const refund = await api.post('/api/refunds', { paymentId: payment.pk, amount: 1 });
  await expectAttribute(payment, { status: 'completed' });
  await waitUntil('the refund is processed', async () => {
    return (await api.get(`/api/refunds/${refund.json.id}`)).json.status === 'processed';
  });
  await expectAttribute(payment, { amountRefunded: 1 });
  await expectAttribute(invoice, { refundedMinor: 1 });
});

test('a webhook endpoint and the registry keep unknown attributes', async () => {
  const body = { url: 'http://127.0.0.1:9/hooks', events: ['*'] };
  const { id } = (await api.post('/api/webhooks', body)).json;
  const [endpoint, registry] = [tableKeys.webhook(owner, id), tableKeys.webhook(owner, 'REGISTRY')];
  await addAttribute(endpoint);
  await addAttribute(registry);
  await api.patch(`/api/webhooks/${id}`, { description: 'Changed' });
  await api.post(`/api/webhooks/${id}/rotate-secret`, {});
  await expectAttribute(endpoint, { description: 'Changed' });
  await api.post('/api/webhooks', body);
  await expectAttribute(registry, { count: 2 });
});

test('a delivery keeps unknown attributes when it is attempted', async () => {
  const { id } = (await api.post('/api/webhooks', { url: 'http://127.0.0.1:9/hooks', events: ['*'] })).json;
  await newInvoice();
  const [delivery] = await waitUntil('the first attempt failed', async () => {
    const { data } = (await api.get(`/api/webhooks/${id}/deliveries`)).json;
    return data[0]?.attempts.length > 0 && data;
  });
  const key = tableKeys.delivery(id, delivery.id);
  await addAttribute(key);
  await api.post(`/api/webhooks/${id}/deliveries/${delivery.id}/redeliver`);
  await expectAttribute(key, { status: 'pending' });
});

/** Sends a request whose response the document of this version does not describe. */
const send = (method: string, path: string, body?: unknown): Promise<HttpResponse> =>
  request({
    baseUrl: stack.baseUrl,
    method,
    path,
    headers: { Authorization: `Bearer ${api.apiKey}` },
    ...(body !== undefined && { body }),
  });

test('an invoice with an unknown status is listed and shown, and nothing changes it', async () => {
  const known = await newInvoice();
  const invoice = tableKeys.record(await newInvoice());
  const item = { ...((await table.get(invoice)) as TestItem), status: 'disputed', version: 2 };
  await table.put(item);

  const list = await send('GET', '/api/invoices');
  expect([list.status, list.json.pagination.total]).toEqual([200, 2]);
  expect(list.json.data).toMatchObject([{ id: invoice.pk, status: 'disputed' }, { id: known }]);
  const pending = (await send('GET', '/api/invoices?status=pending')).json;
  expect(pending.data).toMatchObject([{ id: known, status: 'pending' }]);
  expect(pending.pagination.total).toBe(1);
  expect((await send('GET', `/api/invoices/${invoice.pk}`)).json.status).toBe('disputed');

  expect((await send('PATCH', `/api/invoices/${invoice.pk}`, { amount: 1 })).json.error.code).toBe(
    'invoice_not_pending',
  );
  expect((await send('DELETE', `/api/invoices/${invoice.pk}`)).status).toBe(500);
  const payment = cardPaymentBody(invoice.pk, cards.completes);
  expect((await send('POST', '/api/payments', payment)).status).toBe(500);
  const page = await send('GET', `/pay/${invoice.pk}`);
  expect(page.status).toBe(200);
  expect(page.text).not.toContain('<form');
  expect(await table.get(invoice)).toEqual(item);
  expect((await send('GET', '/api/payments')).json.pagination.total).toBe(0);

  const { reconcileNow } = await import('../../shared/operations/reconciliation/reconcile-now.ts');
  expect(await reconcileNow(owner, { full: true, waitsMs: [0] })).toMatchObject({
    differences: [],
    unconfirmed: [],
    failures: [],
  });
});

test('an index entry of a newer version is added under the attribute that it names', async () => {
  const id = await newInvoice();
  const { seq, filterKeys } = (await table.get(tableKeys.record(id))) as TestItem;
  await stack.stream.pause();
  const entry = { resource: 'invoice', seq, filterKeys, status: 'disputed', set: 'd' };
  const key = tableKeys.outbox(owner, Date.now(), 'newer');
  await table.put({ ...key, ...owner, indexEntries: [entry], events: [], timers: [], ...newer });
  stack.stream.resume();
  await waitUntil('the item is relayed', async () => (await table.get(key)) === undefined);
  for (const filterKey of ['', ...filterKeys]) {
    const page = (await table.get(tableKeys.indexPage(owner, 'invoice', filterKey, 0))) as TestItem;
    expect([...page.d].map(([low]) => low)).toEqual([seq]);
  }
  expect((await api.get('/api/invoices')).json.pagination.total).toBe(1);
});
