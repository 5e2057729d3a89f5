/**
 * Tests that functions with storage format 1 read texts that others have stored compressed: descriptions, stored answers, outbox
 * items and events.
 */
import { brotliCompressSync } from 'node:zlib';
import { marshall } from '@aws-sdk/util-dynamodb';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { DynamoDBStreamEvent } from 'aws-lambda';
import { lambdaContext, loadHandler } from '../../infra/local/handler.ts';
import type { Stack } from '../../infra/local/stack.ts';
import { toLambdaRecord } from '../../infra/local/stream-record.ts';
import { triggers } from '../../infra/triggers.ts';
import { tableKeys } from '../../shared/store/keys.ts';
import { type Api, invoiceBody, newAccount } from '../support/api.ts';
import { startTestStack } from '../support/stack.ts';
import { type TestItem, type TestTable, tableOf } from '../support/table.ts';

const description = 'Website design, hosting and support for one year. Überweisung 🧾 '.repeat(70);
const underKey = { headers: { 'Idempotency-Key': 'key' } };
let stack: Stack;
let table: TestTable;
let api: Api;
let account: string;
let id: string;
let created: string;

const compress = (text: string) => new Uint8Array(brotliCompressSync(text));
const create = () => api.post('/api/invoices', invoiceBody({ description }), underKey);

/** Replaces the only item of a partition prefix by what a function with storage format 2 would store. */
async function rewrite(prefix: string, change: (item: TestItem) => TestItem): Promise<TestItem> {
  const [item, ...others] = await table.all(prefix);
  expect(others).toEqual([]);
  const changed = { ...item, ...change(item as TestItem) };
  await table.put(changed);
  return changed;
}

beforeAll(async () => {
  process.env.STORAGE_FORMAT = '1';
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  await stack.stream.pause();
  table = tableOf(stack);
  ({ test: api, accountId: account } = await newAccount(stack.baseUrl));
  const response = await create();
  created = response.text;
  id = response.json.id;
});
afterAll(() => stack.close());

test('an invoice with a compressed description can be read, listed and updated', async () => {
  const { description: _, ...record } = (await table.get(tableKeys.record(id))) ?? {};
  await table.put({ ...record, description: compress(description) });
  expect((await api.get(`/api/invoices/${id}`)).text).toBe(created);
  const listed = await api.get('/api/invoices');
  expect(listed.json.data).toEqual([JSON.parse(created)]);
  expect((await api.patch(`/api/invoices/${id}`, { description })).text).toBe(created);
  const updated = await api.patch(`/api/invoices/${id}`, { amount: 1 });
  expect(updated.json).toMatchObject({ description, amount: 1 });
});

test('a compressed answer is replayed with the same bytes', async () => {
  await rewrite('IDEMPOTENCY#', ({ body }) => ({ body: compress(body) }));
  const replayed = await create();
  expect([replayed.text, replayed.headers['idempotent-replayed']]).toEqual([created, 'true']);
});

test('an outbox item with a compressed event is relayed, from the stream and by the sweep', async () => {
  const { fromOutboxItem } = await import('../../shared/store/commit/outbox-item.ts');
  const [outbox] = (await table.all('OUTBOX#')).filter(({ events }) => events[0].type === 'invoice.created');
  const events = outbox?.events.map((event: TestItem) => ({ ...event, body: compress(event.body) }));
  const compressed = { ...outbox, events };
  await table.put(compressed);
  expect(fromOutboxItem(compressed).events).toEqual(outbox?.events);

  const [NewImage, Keys] = [compressed, { pk: outbox?.pk, sk: outbox?.sk }].map((item) => marshall(item));
  const dynamodb = { ...(NewImage && { NewImage }), ...(Keys && { Keys }) };
  const record = toLambdaRecord({ eventID: '1', eventName: 'INSERT', dynamodb }, 'arn', 'us-east-1');
  const { handler } = triggers.publishOutbox;
  const relay = await loadHandler<DynamoDBStreamEvent, object>(handler);
  const result = await relay({ Records: [record] }, lambdaContext(handler, 60_000));
  expect(result).toEqual({ batchItemFailures: [] });
  const { data } = (await api.get('/api/events')).json;
  expect(data).toEqual([JSON.parse(outbox?.events[0].body)]);
});

test('a compressed event is listed, retrieved and sent with the same bytes', async () => {
  const owner = { account, mode: 'test' as const };
  const [event] = (await table.all(`EVENTS#${account}`)).filter(({ body }) => body !== undefined);
  await table.put({ ...event, body: compress(event?.body) });
  const { data } = (await api.get('/api/events')).json;
  expect(data).toEqual([JSON.parse(event?.body)]);
  expect((await api.get(`/api/events/${event?.id}`)).json).toEqual(data[0]);
  const { readDeliveryWork } = await import('../../shared/webhooks/delivery-store.ts');
  const reference = { ...owner, webhookId: 'wh_none', id: 'dlv_none', position: Number(event?.sk) };
  expect((await readDeliveryWork(reference)).event).toEqual({ id: event?.id, body: event?.body });
});
