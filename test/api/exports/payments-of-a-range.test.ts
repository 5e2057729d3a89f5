/** Tests that the payments and the refunds of an export add up to the sums of the same range. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import type { Stack } from '../../../infra/local/stack.ts';
import { type Api, newAccount } from '../../support/api.ts';
import { inNewestVersion } from '../../support/newest-version.ts';
import { startTestStack } from '../../support/stack.ts';
import { tableOf } from '../../support/table.ts';
import { untilRelayed } from '../../support/until-relayed.ts';
import { waitUntil } from '../../support/wait-until.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startTestStack();
});
afterAll(() => stack?.close());

const dayMs = 24 * 60 * 60 * 1000;
const begunAt = Date.now();
const daysAgo = (days: number) => new Date(begunAt - days * dayMs).toISOString().slice(0, 10);

async function rowsIn(api: Api, kind: string, range: object): Promise<Record<string, string>[]> {
  const { json: created } = await api.post('/api/exports', { kind, ...range });
  const shown = await waitUntil('the export', async () => {
    const { json } = await api.get(`/api/exports/${created.id}`);
    return json.status !== 'running' && json;
  });
  return parse(await (await fetch(shown.parts[0].url)).text(), { columns: true });
}

test('the payments of each range add up to its sum, with money that was recorded later on both edges', async () => {
  const account = await newAccount(stack.baseUrl);
  const api = inNewestVersion(account.test);
  const pay = async (amount: number, fields: object) => {
    const invoice = { customerId: 'c_1', amount, currency: 'BTN', description: 'Tea' };
    const { json } = await api.post('/api/invoices', invoice);
    const paid = await api.post('/api/payments', { invoiceId: json.id, method: 'offline', ...fields });
    expect([paid.status, paid.json]).toEqual([201, paid.json]);
    return paid.json.id as string;
  };
  const before = await pay(100, { receivedOn: daysAgo(10) });
  const first = await pay(2_000, { receivedOn: daysAgo(9) });
  const last = await pay(30_000, { receivedOn: daysAgo(7) });
  const after = await pay(400_000, { receivedOn: daysAgo(6) });
  const undated = await pay(5_000_000, {});
  const card = { number: '4000000000000002', expMonth: 12, expYear: 2050, cvc: '123' };
  const failed = await pay(60_000_000, { method: 'card', card });
  const voided = await pay(700_000_000, { receivedOn: daysAgo(8) });
  await api.post(`/api/payments/${voided}/void`, { reason: 'Typed twice.' });
  await untilRelayed(tableOf(stack), `${account.accountId}#test`);

  // The day can end while the test runs.
  const all = { from: daysAgo(11), to: daysAgo(-1) };
  const cases: [range: { from: string; to: string }, ids: string[]][] = [
    [{ from: daysAgo(9), to: daysAgo(7) }, [first, last, voided]],
    [{ from: daysAgo(10), to: daysAgo(10) }, [before]],
    [{ from: daysAgo(6), to: daysAgo(1) }, [after]],
    [all, [before, first, last, after, undated, failed, voided]],
  ];
  for (const [range, ids] of cases) {
    const rows = await rowsIn(api, 'payments', range);
    expect(rows.map(({ id }) => id)).toEqual(ids);
    const minor = rows.reduce((sum, { amountCounted }) => sum + Math.round(Number(amountCounted) * 100), 0);
    const { json } = await api.get(`/api/summary?from=${range.from}&to=${range.to}&by=day`);
    const [{ periods }] = json.currencies;
    expect(minor).toBe(
      periods.reduce((sum: number, { received }: { received: number }) => sum + received, 0),
    );
  }
  const rows = new Map((await rowsIn(api, 'payments', all)).map((row) => [row.id, row]));
  expect(rows.get(first)).toMatchObject({
    countedOn: daysAgo(9),
    receivedOn: daysAgo(9),
    amountCounted: '20.00',
  });
  expect(rows.get(first)?.createdAt).not.toContain(daysAgo(9));
  expect(rows.get(failed)).toMatchObject({ countedOn: '', amountCounted: '0.00' });
  expect(rows.get(voided)).toMatchObject({ countedOn: daysAgo(8), amountCounted: '0.00' });
});

test('the refunds of each range add up to its sum, also one that was processed days after its creation', async () => {
  const account = await newAccount(stack.baseUrl);
  const api = inNewestVersion(account.test);
  const table = tableOf(stack);
  const invoice = { customerId: 'c_1', amount: 5_000, currency: 'BTN', description: 'Tea' };
  const { json } = await api.post('/api/invoices', invoice);
  const { json: paid } = await api.post('/api/payments', { invoiceId: json.id, method: 'offline' });
  const refund = async (amount: number) => {
    const { json: made } = await api.post('/api/refunds', { paymentId: paid.id, amount });
    await waitUntil('it is processed', async () => {
      const { status } = (await api.get(`/api/refunds/${made.id}`)).json;
      return status === 'processed';
    });
    return made.id as string;
  };
  const ids = [await refund(300), await refund(20)];
  await untilRelayed(table, `${account.accountId}#test`);
  const item = await table.get({ pk: ids[0] ?? '', sk: 'RECORD' });
  await table.put({ ...item, createdAt: begunAt - 5 * dayMs } as never);

  const today = { from: daysAgo(0), to: daysAgo(-1) };
  const rows = await rowsIn(api, 'refunds', today);
  expect(rows.map(({ id, amountCounted }) => [id, amountCounted])).toEqual([
    [ids[0], '3.00'],
    [ids[1], '0.20'],
  ]);
  expect(rows[0]?.countedOn).toMatch(/^\d{4}-\d\d-\d\d$/);
  expect(rows[0]?.createdAt).toContain(daysAgo(5));
  const { json: summary } = await api.get(`/api/summary?from=${today.from}&to=${today.to}&by=day`);
  const [{ periods }] = summary.currencies;
  expect(periods.reduce((sum: number, { refunded }: { refunded: number }) => sum + refunded, 0)).toBe(320);
  expect(await rowsIn(api, 'refunds', { from: daysAgo(6), to: daysAgo(2) })).toEqual([]);
});
