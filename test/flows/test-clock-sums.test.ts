/**
 * Moves the clock of test mode over due dates, months and years, and compares the sums of the summary and the balances of customers with
 * a recount of the records that the API lists. Takes 10 seconds.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { type Api, invoiceBody, newAccount } from '../support/api.ts';
import { inNewestVersion } from '../support/newest-version.ts';
import { cardPaymentBody, cards } from '../support/pay.ts';
import { isExhaustive } from '../support/run.ts';
import { startTestStack } from '../support/stack.ts';
import { tableOf } from '../support/table.ts';
import { untilRelayed } from '../support/until-relayed.ts';
import { waitUntil } from '../support/wait-until.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
});
afterAll(() => stack.close());

const dayMs = 24 * 60 * 60 * 1000;
const currencies = ['BTN', 'USD'] as const;
const customers = ['order:1', 'dorji@example.bt', 'order:3'] as const;
const dayAfter = (day: string, days: number) =>
  new Date(Date.parse(day) + days * dayMs).toISOString().slice(0, 10);

/** Returns the day of a time in a zone. A due date at the end of a day in UTC is of that day in every zone. */
function dayOf(time: string, timeZone: string): string {
  if (time.endsWith('T23:59:59.999Z')) return time.slice(0, 10);
  return new Date(time).toLocaleDateString('sv-SE', { timeZone });
}

// biome-ignore lint/suspicious/noExplicitAny: records as the API shows them
type Shown = any;

async function listAll(api: Api, path: string): Promise<Shown[]> {
  const { json } = await api.get(`${path}?limit=100`);
  expect(json.pagination.hasMore).toBe(false);
  return json.data;
}

/** Adds up what is due, by age in days. */
function agesIn(invoices: readonly Shown[], today: string, timeZone: string) {
  const dueIn = (from: number, to: number) =>
    sumOf(
      invoices.filter(({ dueDate }) => {
        const age = (Date.parse(today) - Date.parse(dayOf(dueDate, timeZone))) / dayMs;
        return age >= from && age <= to;
      }),
      'amountDue',
    );
  const ages = {
    days1To30: dueIn(1, 30),
    days31To60: dueIn(31, 60),
    days61To90: dueIn(61, 90),
    older: dueIn(91, Number.POSITIVE_INFINITY),
  };
  const overdue = Object.values(ages).reduce((sum, age) => sum + age, 0);
  const notDue = dueIn(Number.NEGATIVE_INFINITY, 0);
  return { outstanding: notDue + overdue, overdue, ages: { notDue, ...ages } };
}

const sumOf = (records: readonly Shown[], field: string): number =>
  records.reduce((sum, record) => sum + record[field], 0);

/** The figures of a day that this test changes. */
const counted = ['invoiced', 'invoices', 'cancelled', 'cancellations', 'received', 'payments', 'refunded'];

/** Adds up what happened on each day. Days without anything are left out. */
function daysIn(records: Records, currency: string, timeZone: string): Record<string, Shown> {
  const days: Record<string, Shown> = {};
  const add = (day: string, figure: string, amount: number) => {
    days[day] ??= Object.fromEntries(counted.map((name) => [name, 0]));
    days[day][figure] += amount;
  };
  const addRecord = (time: string, figure: string, amount: number, count?: string) => {
    const day = dayOf(time, timeZone);
    add(day, figure, amount);
    if (count) add(day, count, 1);
  };
  const inCurrency = (all: readonly Shown[]) => all.filter((record) => record.currency === currency);
  for (const { amount, status, createdAt, updatedAt, replacedBy } of inCurrency(records.invoices)) {
    addRecord(createdAt, 'invoiced', amount, 'invoices');
    if (status === 'cancelled') addRecord(updatedAt, 'cancelled', amount, 'cancellations');
    // Its payment was voided.
    else if (replacedBy) addRecord(updatedAt, 'cancelled', amount);
  }
  for (const { amount, createdAt, receivedOn, voidedAt, status } of inCurrency(records.payments))
    if (status === 'completed' && !voidedAt)
      addRecord(receivedOn ? `${receivedOn}T23:59:59.999Z` : createdAt, 'received', amount, 'payments');
  for (const { amount, updatedAt } of inCurrency(records.refunds)) addRecord(updatedAt, 'refunded', amount);
  return days;
}

interface Records {
  readonly invoices: readonly Shown[];
  readonly payments: readonly Shown[];
  readonly refunds: readonly Shown[];
}

async function readRecords(api: Api): Promise<Records> {
  const [invoices = [], payments = [], refunds = []] = await Promise.all(
    ['/api/invoices', '/api/payments', '/api/refunds'].map((path) => listAll(api, path)),
  );
  return { invoices, payments, refunds };
}

/** Compares the summary and the balances with the records. Returns the ages in BTN. */
async function compare(api: Api, timeZone: string, first: string) {
  const records = await readRecords(api);
  const { now } = (await api.get('/api/test/clock')).json;
  const today = dayOf(now, timeZone);
  const from = first > dayAfter(today, -399) ? first : dayAfter(today, -399);
  const [{ json: byDay }, { json: byMonth }] = await Promise.all([
    api.get(`/api/summary?by=day&from=${from}`),
    api.get(`/api/summary?by=month&from=${first}`),
  ]);
  const isDue = ({ status }: Shown) => status === 'pending' || status === 'overdue';
  const due = records.invoices.filter(isDue);
  expect(byDay).toMatchObject({ timeZone, today, to: today });
  expect(byDay.currencies.map((each: Shown) => each.currency)).toEqual(currencies);
  for (const [index, currency] of currencies.entries()) {
    const owed = agesIn(
      due.filter((invoice) => invoice.currency === currency),
      today,
      timeZone,
    );
    const days = daysIn(records, currency, timeZone);
    expect(byDay.currencies[index]).toMatchObject(owed);
    expect(byMonth.currencies[index]).toMatchObject(owed);
    const filled = byDay.currencies[index].periods.flatMap((period: Shown) => {
      const figures = counted.map((name) => [name, period[name]]);
      return figures.some(([, value]) => value !== 0) ? [[period.from, Object.fromEntries(figures)]] : [];
    });
    expect(Object.fromEntries(filled)).toEqual(
      Object.fromEntries(Object.entries(days).filter(([day]) => day >= from)),
    );
    for (const period of byMonth.currencies[index].periods)
      for (const name of counted)
        expect([name, period.from, period[name]]).toEqual([
          name,
          period.from,
          sumOf(
            Object.entries(days).flatMap(([day, figures]) =>
              day >= period.from && day <= period.to ? [figures] : [],
            ),
            name,
          ),
        ]);
  }
  for (const customerId of customers) {
    const { json: balance } = await api.get(`/api/balance?customerId=${customerId}`);
    expect(balance).toMatchObject({ timeZone, today });
    const expected = currencies.flatMap((currency) => {
      const own = due.filter((each) => each.customerId === customerId && each.currency === currency);
      return own.length > 0 ? [{ currency, ...agesIn(own, today, timeZone), credit: 0 }] : [];
    });
    expect(balance.currencies).toEqual(expected);
  }
  return byDay.currencies[0].ages;
}

test.each(isExhaustive ? ['Asia/Thimphu', 'America/New_York', 'UTC'] : ['Asia/Thimphu'])(
  'sums and balances are those of the records after each move of the clock in %s',
  async (timeZone) => {
    const account = await newAccount(stack.baseUrl);
    const api = inNewestVersion(account.test);
    const { updateSettings } = await import('../../shared/domain/accounts/settings-store.ts');
    await updateSettings(account.accountId, { timeZone });
    const { reconcileJournal } = await import('../../shared/operations/reconciliation/compare-journal.ts');
    const first = dayAfter(new Date().toISOString().slice(0, 10), 1);
    const at = (days: number, time: string) => `${dayAfter(first, days)}T${time}Z`;
    const send = async (path: string, body: object) => {
      const { status, json } = await api.post(path, body);
      expect([path, status, json]).toEqual([path, /clock|void/.test(path) ? 200 : 201, json]);
      return json;
    };
    const moveTo = async (time: string) => {
      await send('/api/test/clock', { to: time });
      await waitUntil('the clock', async () => (await api.get('/api/test/clock')).json.status === 'ready');
    };
    let amount = 1;
    const create = (dueDate: string, fields: object = {}) => {
      amount += 7;
      const customerId = customers[amount % customers.length];
      const currency = amount % 2 === 0 ? 'BTN' : 'USD';
      return send('/api/invoices', invoiceBody({ customerId, currency, amount, dueDate, ...fields }));
    };
    const settle = async () => {
      await untilRelayed(tableOf(stack), `${account.accountId}#test`);
      await waitUntil('the refunds', async () =>
        (await listAll(api, '/api/refunds')).every(({ status }) => status === 'processed'),
      );
      await untilRelayed(tableOf(stack), `${account.accountId}#test`);
    };
    const seen = new Set<string>();
    const check = async () => {
      await settle();
      const ages = await compare(api, timeZone, first);
      for (const [age, sum] of Object.entries(ages)) if (sum !== 0) seen.add(age);
    };

    await moveTo(at(0, '06:00:00'));
    // Plain dates, times around the midnights of the zones, and dates of the past.
    for (const days of [0, 3, 30, 31, 45, 89, 200, 400]) {
      await create(dayAfter(first, days));
      await create(at(days, '12:00:00'));
      await create(at(days, '19:30:00'));
    }
    await create(dayAfter(first, -10), { currency: 'BTN' });
    const part = await create(dayAfter(first, 31), { acceptPartial: true });
    await send('/api/payments', { invoiceId: part.id, method: 'offline', amount: 3 });
    await check();
    // 17:30 and 18:30 in UTC are two days in Thimphu. 03:30 and 05:30 are two in New York.
    for (const time of [
      at(0, '17:30:00'),
      at(0, '18:30:00'),
      at(3, '17:30:00'),
      at(4, '03:30:00'),
      at(4, '05:30:00'),
    ]) {
      await moveTo(time);
      const { id } = await create(at(60, '17:59:59'));
      const paid = await create(at(61, '18:00:00'));
      await send('/api/payments', { invoiceId: paid.id, method: 'offline' });
      expect((await api.delete(`/api/invoices/${id}`)).status).toBe(200);
      await check();
    }
    for (const days of [32, 62, 92, 130, 365, 500, 725]) {
      await moveTo(at(days, '18:30:00'));
      await check();
      const { id: invoiceId } = await create(at(days + 20, '19:00:00'));
      const { id: paymentId } = await send('/api/payments', cardPaymentBody(invoiceId, cards.completes));
      await send('/api/refunds', { paymentId, amount: 2 });
      const [oldest] = (await listAll(api, '/api/invoices'))
        .filter(({ status }) => status === 'overdue')
        .slice(-1);
      const receivedOn = dayAfter(first, days - 1);
      const late = await send('/api/payments', { invoiceId: oldest.id, method: 'offline', receivedOn });
      if (days % 2 === 0) await send(`/api/payments/${late.id}/void`, { reason: 'Wrong' });
    }
    await check();
    expect([...seen].sort()).toEqual(['days1To30', 'days31To60', 'days61To90', 'notDue', 'older']);
    const owner = { account: account.accountId, mode: 'test' } as const;
    expect((await reconcileJournal(owner)).differences).toEqual([]);
  },
);
