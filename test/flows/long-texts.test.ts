/**
 * Tests that long texts are stored compressed and come back with the same bytes: descriptions, stored answers, and the events in
 * outbox items and in the log.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { tableKeys } from '../../shared/store/keys.ts';
import { type Api, invoiceBody, newAccount } from '../support/api.ts';
import { startTestStack } from '../support/stack.ts';
import { type TestItem, type TestTable, tableOf } from '../support/table.ts';
import { relayItems } from '../support/webhook-workers.ts';

const description = 'Website design, hosting and support for one year. Überweisung 🧾 '.repeat(70);
let stack: Stack;
let table: TestTable;
let api: Api;
let account: string;

const create = () =>
  api.post('/api/invoices', invoiceBody({ description }), { headers: { 'Idempotency-Key': 'key' } });

/** Expects that a stored text is compressed to less than a tenth of the description. */
function expectCompressed(stored: unknown): void {
  expect(stored).toBeInstanceOf(Uint8Array);
  expect((stored as Uint8Array).length).toBeLessThan(description.length / 10);
}

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  await stack.stream.pause();
  table = tableOf(stack);
  ({ test: api, accountId: account } = await newAccount(stack.baseUrl));
});
afterAll(() => stack.close());

test('a long description is read, listed, replayed, updated and relayed as it was sent', async () => {
  const created = await create();
  const { id } = created.json;
  expectCompressed((await table.get(tableKeys.record(id)))?.description);
  expect((await api.get(`/api/invoices/${id}`)).text).toBe(created.text);
  expect((await api.get('/api/invoices')).json.data).toEqual([created.json]);

  const [answer] = await table.all('IDEMPOTENCY#');
  expectCompressed(answer?.body);
  const replayed = await create();
  expect([replayed.text, replayed.headers['idempotent-replayed']]).toEqual([created.text, 'true']);

  const [outbox] = (await table.outboxOf(account)) as [TestItem];
  expectCompressed(outbox.events[0].body);
  expect(await relayItems([outbox])).toEqual({ crashed: false, failed: [] });
  const [event] = await table.all(`EVENTS#${account}`);
  expectCompressed(event?.body);
  const { data } = (await api.get('/api/events')).json;
  expect(data).toMatchObject([{ id: outbox.events[0].id, type: 'invoice.created', data: created.json }]);
  expect((await api.get(`/api/events/${event?.id}`)).json).toEqual(data[0]);

  const unchanged = await api.patch(`/api/invoices/${id}`, { description });
  expect(unchanged.text).toBe(created.text);
  const updated = await api.patch(`/api/invoices/${id}`, { amount: 1 });
  expect(updated.json).toMatchObject({ description, amount: 1 });
});
