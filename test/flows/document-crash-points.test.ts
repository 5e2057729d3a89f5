/** Tests that numbers have no gap and no twin, whatever crashes, runs twice or cannot be read. */
import { marshall } from '@aws-sdk/util-dynamodb';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { triggers } from '../../infra/triggers.ts';
import { clockAt } from '../../shared/base/clock.ts';
import type { SellerChange } from '../../shared/domain/accounts/seller.ts';
import { tableKeys } from '../../shared/store/keys.ts';
import { type Api, invoiceBody, newAccount } from '../support/api.ts';
import { stopClock, type TestClock } from '../support/clock.ts';
import { CrashPlan, invokeWorker } from '../support/crashing-workers.ts';
import { type FaultLayer, installFaults } from '../support/fault-layer.ts';
import { startTestStack } from '../support/stack.ts';
import { type TestItem, type TestTable, tableOf } from '../support/table.ts';

const minuteMs = 60_000;

let stack: Stack;
let table: TestTable;
let clock: TestClock;
let layer: FaultLayer;
let api: Api;
let owner: { readonly account: string; readonly mode: 'test' };
let changeSeller: (change: SellerChange) => Promise<unknown>;
const crashes = new CrashPlan();
beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  table = tableOf(stack);
  clock = stopClock();
  layer = await installFaults({ seed: 0, script: crashes.script });
});
beforeEach(async () => {
  const account = await newAccount(stack.baseUrl);
  api = account.test;
  owner = { account: account.accountId, mode: 'test' };
  const sellers = await import('../../shared/domain/accounts/seller-change-store.ts');
  changeSeller = (change) => sellers.changeSeller(owner.account, change);
  await changeSeller({ legalName: 'Druk Crafts', address: { country: 'BT' }, timeZone: 'Asia/Thimphu' });
  await stack.stream.pause();
});
afterEach(() => stack.stream.resume());
afterAll(async () => {
  layer.remove();
  await stack.close();
});

const create = async (): Promise<string> => (await api.post('/api/invoices', invoiceBody())).json.id;
const outboxItems = () => table.outboxOf(`${owner.account}#test`);
let runs = 0;
/** Relays outbox items in one batch. Returns whether the relay crashed or failed. */
const relay = (items: readonly TestItem[], label = `relay ${runs++}`) =>
  invokeWorker(label, triggers.publishOutbox.handler, {
    Records: items.map((item, index) => ({
      eventID: `e${index}`,
      dynamodb: { SequenceNumber: String(index + 1), NewImage: marshall(item) },
    })),
  });
const sweep = () => invokeWorker(`sweep ${runs++}`, triggers.sweep.handler, {});
const documents = async () => {
  const items = await table.all(tableKeys.document(owner, '').pk);
  return items as (TestItem & { readonly number: string; readonly invoiceId: string })[];
};
const numbers = async (kind = 'invoice') =>
  (await documents()).flatMap((item) => (item.kind === kind ? item.number : [])).sort();
const consecutive = (count: number, prefix = 'INV-') =>
  Array.from({ length: count }, (_, index) => `${prefix}${String(index + 1).padStart(4, '0')}`);
const lastOf = async (prefix: string) => (await table.get(tableKeys.series(owner, 'invoice', prefix)))?.last;

test('after a crash of the relay at any call, each invoice gets one number, and no number is missing', async () => {
  let created = 0;
  let crashed = true;
  for (let at = 0; crashed; at++) {
    for (const fault of ['crash before call', 'crash after call'] as const) {
      const ids = [await create(), await create()];
      await api.patch(`/api/invoices/${ids[0]}`, { amount: 7 });
      created += 2;
      const label = `crash ${at} ${fault}`;
      crashes.set(label, { at, fault });
      crashed = await relay(await outboxItems(), label);
      clock.advance(2 * minuteMs);
      await sweep();
      expect(await outboxItems()).toEqual([]);
      expect(await numbers()).toHaveLength(created + created / 2);
      if (!crashed) break;
    }
  }
  expect(created).toBeGreaterThan(16);
  const issued = await documents();
  expect([...new Set(issued.map(({ number }) => number))].sort()).toEqual(consecutive(created));
  expect(new Set(issued.map(({ number, invoiceId }) => `${number} ${invoiceId}`)).size).toBe(created);
  expect(await lastOf('INV-')).toBe(created);
});

test('relays that run at the same time, and twice, share the numbers out', async () => {
  for (let count = 0; count < 30; count++) await create();
  const items = await outboxItems();
  const parts = [items, items.slice(0, 15), items.slice(15), items.toReversed()];
  await Promise.all(parts.map((part) => relay(part)));
  clock.advance(2 * minuteMs);
  await sweep();
  expect(await outboxItems()).toEqual([]);
  expect(await numbers()).toEqual(consecutive(30));
  const { data } = (await api.get('/api/events?after=start&limit=100&type=document.issued')).json;
  expect(data.map((event: { data: { number: string } }) => event.data.number)).toEqual(consecutive(30));
});

test('while the stream is silent, the sweep gives the numbers, in the order of the events', async () => {
  const created: string[] = [];
  for (let count = 0; count < 5; count++) created.push(await create());
  await sweep();
  expect(await numbers()).toEqual([]);
  clock.advance(2 * minuteMs);
  await sweep();
  expect(await outboxItems()).toEqual([]);
  const numberOf = new Map((await documents()).map(({ invoiceId, number }) => [invoiceId, number]));
  expect(created.map((id) => numberOf.get(id)).sort()).toEqual(consecutive(5));
  const { data } = (await api.get('/api/events?after=start&limit=100&type=invoice.created')).json;
  expect(data.map((event: { data: { id: string } }) => numberOf.get(event.data.id))).toEqual(consecutive(5));
});

test('the new year of the seller begins its own numbers, with creations on both sides in one batch', async () => {
  const series = { prefix: 'R/{year}/', digits: 3, restart: 'yearly' } as const;
  await changeSeller({ fiscalYearStart: 1, series: { invoice: series } });
  const year = new Date(clock.now()).getUTCFullYear() + 1;
  // Midnight in Thimphu is six hours before that of UTC.
  const newYear = Date.UTC(year, 0, 1) - 6 * 60 * minuteMs;
  clock.to(newYear - 2);
  const before = [await create()];
  clock.to(newYear - 1);
  before.push(await create());
  const after: string[] = [];
  for (let at = 0; at < 3; at++) {
    clock.to(newYear + at);
    after.push(await create());
  }
  await relay(await outboxItems());
  const numberOf = new Map((await documents()).map(({ invoiceId, number }) => [invoiceId, number]));
  expect(before.map((id) => numberOf.get(id))).toEqual([`R/${year - 1}/001`, `R/${year - 1}/002`]);
  expect(after.map((id) => numberOf.get(id))).toEqual([1, 2, 3].map((number) => `R/${year}/00${number}`));
});

test('a number that is too long for a seller with a GSTIN is not issued: its document waits for a shorter prefix', async () => {
  const { changeSeller } = await import('../../shared/domain/accounts/seller-change-store.ts');
  await changeSeller(
    owner.account,
    {
      address: { country: 'IN' },
      taxIds: [{ type: 'in_gstin', value: '29AAGCB7383J1Z4' }],
      series: { invoice: { prefix: 'ABCDEFGHIJK-', next: 9999 } },
    },
    { start: { owner, at: clockAt(undefined, Date.now()).account } },
  );
  const longest = await create();
  await relay(await outboxItems());
  const waiting = await create();
  await relay(await outboxItems());
  expect(await outboxItems()).toEqual([]);
  expect((await documents()).map(({ invoiceId, number }) => [invoiceId, number])).toEqual([
    [longest, 'ABCDEFGHIJK-9999'],
  ]);
  const [aside] = (await table.all('SETASIDE')).filter(({ content }) => content.account === owner.account);
  const { readSetAside, retrySetAside } = await import(
    '../../shared/operations/background/set-aside-store.ts'
  );
  const work = await readSetAside(aside?.sk);
  expect(work?.problem).toContain('ABCDEFGHIJK-10000 has 17 characters');
  await changeSeller(owner.account, { series: { invoice: { prefix: 'A-' } } });
  expect(work && (await retrySetAside(work))).toBe(true);
  await relay(await outboxItems());
  const numberOf = new Map((await documents()).map(({ invoiceId, number }) => [invoiceId, number]));
  expect(numberOf.get(waiting)).toBe('A-0001');
});

test('a document that cannot be made waits, holds nothing up, and gets the next number later', async () => {
  const key = tableKeys.seller(owner.account);
  const seller = await table.get(key);
  await table.put({ ...seller, series: 'lots' });
  const waiting = await create();
  await relay(await outboxItems());
  expect(await outboxItems()).toEqual([]);
  const events = (await api.get('/api/events')).json.data;
  expect(events.map(({ type }: { type: string }) => type)).toEqual(['invoice.created']);
  await table.put(seller ?? {});
  const next = await create();
  await relay(await outboxItems());
  const [aside] = (await table.all('SETASIDE')).filter(({ content }) => content.account === owner.account);
  const { readSetAside, retrySetAside } = await import(
    '../../shared/operations/background/set-aside-store.ts'
  );
  const work = await readSetAside(aside?.sk);
  expect(work && (await retrySetAside(work))).toBe(true);
  await relay(await outboxItems());
  const numberOf = new Map((await documents()).map(({ invoiceId, number }) => [invoiceId, number]));
  expect([next, waiting].map((id) => numberOf.get(id))).toEqual(['INV-0001', 'INV-0002']);
});
