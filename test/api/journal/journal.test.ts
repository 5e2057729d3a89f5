/** Tests the journal and the summary against the records from which they follow. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Remit } from '../../../client/src/remit.ts';
import type { Stack } from '../../../infra/local/stack.ts';
import { tableKeys } from '../../../shared/store/keys.ts';
import type { Item } from '../../../shared/store/records.ts';
import { type Api, invoiceBody, newAccount, type TestAccount } from '../../support/api.ts';
import { expectError } from '../../support/expectations.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { startTestStack } from '../../support/stack.ts';
import { type TestTable, tableOf } from '../../support/table.ts';
import { untilRelayed } from '../../support/until-relayed.ts';

let stack: Stack;
let table: TestTable;
beforeAll(async () => {
  stack = await startTestStack();
  table = tableOf(stack);
});
afterAll(() => stack.close());

const newest = { headers: { 'X-API-Version': '2026-11-23' } };
/** Returns the day in UTC some days ago. */
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
const card = (number: string) => ({ number, expMonth: 12, expYear: 2030, cvc: '123' });

/** Returns the sums of the lines of the journal by account, without those of 0. */
async function journalOf({ accountId, test: api }: TestAccount): Promise<Record<string, number>> {
  await untilRelayed(table, `${accountId}#test`);
  const sums = new Map<string, number>();
  const remit = new Remit({ apiKey: api.apiKey, baseUrl: stack.baseUrl });
  let last = 0;
  for await (const { lines, position } of remit.journal.list({ limit: 7 })) {
    expect(position).toBeGreaterThan(last);
    last = position;
    for (const { account, currency, amount } of lines) {
      sums.set(`${currency} ${account}`, (sums.get(`${currency} ${account}`) ?? 0) + amount);
      sums.set(currency, (sums.get(currency) ?? 0) + amount);
    }
  }
  return Object.fromEntries([...sums].filter(([, amount]) => amount !== 0));
}

/** Returns the same sums of all records of an account. */
async function recordsOf({ accountId }: TestAccount): Promise<Record<string, number>> {
  const [{ fromItem }, { invoiceType }, { paymentType }] = await Promise.all([
    import('../../../shared/store/records.ts'),
    import('../../../shared/domain/invoices/record.ts'),
    import('../../../shared/domain/payments/record.ts'),
  ]);
  const owner = { account: accountId, mode: 'test' } as const;
  const sums = new Map<string, number>();
  for (const item of [...(await table.all('inv_')), ...(await table.all('pay_'))] as Item[]) {
    const { pk, sk, account } = item;
    const type = [invoiceType, paymentType].find(({ isId }) => isId(String(pk)));
    if (!type || sk !== 'RECORD' || account !== accountId) continue;
    const record = fromItem(type as typeof invoiceType, owner, item);
    for (const entry of (record && type.balanceOf?.(record as never)) ?? [])
      sums.set(
        `${entry.currency} ${entry.account}`,
        (sums.get(`${entry.currency} ${entry.account}`) ?? 0) + entry.amount,
      );
  }
  return Object.fromEntries([...sums].filter(([, amount]) => amount !== 0));
}

const create = async (api: Api, fields = {}) => (await api.post('/api/invoices', invoiceBody(fields))).json;

test('random changes balance, and the journal and the summary have the sums of the records', async () => {
  const account = await newAccount(stack.baseUrl);
  const { test: api } = account;
  const random = seededRandom('journal');
  const invoices: string[] = [];
  const payments: string[] = [];
  for (let step = 0; step < 70; step++) {
    const id = random.pick(invoices);
    const kind = random.integer(0, 7);
    if (kind <= 1 || id === undefined)
      invoices.push(
        (await create(api, { amount: random.integer(100, 9_999), currency: random.pick(['BTN', 'USD']) })).id,
      );
    else if (kind === 2) await api.patch(`/api/invoices/${id}`, { amount: random.integer(100, 9_999) });
    else if (kind === 3) await api.delete(`/api/invoices/${id}`);
    else if (kind === 4) {
      const method = random.chance(0.5)
        ? { method: 'offline', receivedOn: daysAgo(random.integer(0, 60)) }
        : { method: 'card', card: card('4242424242424242') };
      const { json, status } = await api.post('/api/payments', { invoiceId: id, ...method }, newest);
      if (status === 201) payments.push(json.id);
    } else if (kind === 5)
      await api.patch(`/api/invoices/${id}`, { dueDate: `2027-0${random.integer(1, 9)}-10` });
    else if (kind === 7) {
      const paymentId = random.pick(payments);
      if (paymentId) await api.post(`/api/payments/${paymentId}/void`, { reason: 'Wrong' });
    } else {
      const paymentId = random.pick(payments);
      if (paymentId) await api.post('/api/refunds', { paymentId, amount: random.integer(1, 99) });
    }
  }
  const journal = await journalOf(account);
  expect(journal).toEqual(await recordsOf(account));
  const { json: summary } = await api.get('/api/summary?by=day');
  for (const { currency, outstanding, ages, periods } of summary.currencies) {
    const of = (name: string) => journal[`${currency} ${name}`] ?? 0;
    const total = (field: string) =>
      periods.reduce((sum: number, period: Record<string, number>) => sum + (period[field] ?? 0), 0);
    expect(outstanding).toBe(of('receivable'));
    expect(Object.values<number>(ages).reduce((sum, age) => sum + age, 0)).toBe(outstanding);
    expect(total('invoiced')).toBe(-of('sales'));
    expect(total('cancelled')).toBe(of('cancelled'));
    expect(total('received')).toBe(of('received:card') + of('received:offline'));
    expect(total('refunded')).toBe(-of('refunded:card') - of('refunded:offline'));
  }
  expect(summary.currencies.length).toBeGreaterThan(0);
});

test('changes at the same moment are in the journal once each', async () => {
  const account = await newAccount(stack.baseUrl);
  await Promise.all(
    Array.from({ length: 40 }, (_, index) =>
      create(account.test, { dueDate: `2027-02-${(index % 28) + 1}`.replace(/-(\d)$/, '-0$1') }),
    ),
  );
  expect(await journalOf(account)).toEqual({ 'USD receivable': 100_000, 'USD sales': -100_000 });
  const { json } = await account.test.get('/api/summary');
  expect(json.currencies).toMatchObject([{ currency: 'USD', outstanding: 100_000, overdue: 0 }]);
  expect(json.currencies[0].periods.at(-1)).toMatchObject({ invoiced: 100_000, invoices: 40 });
});

test('money for a cancelled invoice is unapplied until it is returned', async () => {
  const account = await newAccount(stack.baseUrl);
  const { id } = await create(account.test);
  await account.test.post('/api/payments', { invoiceId: id, method: 'offline' });
  const { json: paid } = await account.test.get('/api/journal');
  expect(paid.data.length).toBeLessThanOrEqual(2);
  expect(await journalOf(account)).toEqual({ 'USD sales': -2_500, 'USD received:offline': 2_500 });
});

test('pages of the journal follow each other, and another account sees none of it', async () => {
  const account = await newAccount(stack.baseUrl);
  await create(account.test);
  await create(account.test);
  await untilRelayed(table, `${account.accountId}#test`);
  const { json: first } = await account.test.get('/api/journal?limit=1');
  expect(first).toMatchObject({
    data: [{ lines: [{ account: 'receivable' }, {}] }],
    cursor: { hasMore: true },
  });
  const { json: second } = await account.test.get(`/api/journal?after=${first.cursor.next}`);
  expect(second).toMatchObject({ data: [{}], cursor: { hasMore: false } });
  const { json: end } = await account.test.get(`/api/journal?after=${second.cursor.next}`);
  expect(end).toEqual({ data: [], cursor: { hasMore: false, next: second.cursor.next } });
  const other = await newAccount(stack.baseUrl);
  expect((await other.test.get('/api/journal')).json).toEqual({
    data: [],
    cursor: { hasMore: false, next: null },
  });
  expect((await other.test.get('/api/summary')).json).toMatchObject({ asOf: 0, currencies: [] });
  expect((await account.live.get('/api/summary')).json).toMatchObject({ currencies: [] });
});

test.each([
  ['from=2026-13-01', 'invalid_from', 'from'],
  ['from=2026-12-01T00:00:00Z', 'invalid_from', 'from'],
  ['from=2010-01-01', 'invalid_from', 'from'],
  ['from=1900-01-01', 'invalid_from', 'from'],
  ['from=2999-01-01', 'invalid_from', 'from'],
  ['to=soon', 'invalid_to', 'to'],
  ['by=year', 'invalid_by', 'by'],
  ['currency=btn', 'invalid_currency', 'currency'],
])('a summary with %s is refused', async (query, code, field) => {
  const { test: api } = await newAccount(stack.baseUrl);
  expectError(await api.get(`/api/summary?${query}`), 400, code, field);
});

test('a journal after something else than a position is refused', async () => {
  const { test: api } = await newAccount(stack.baseUrl);
  expectError(await api.get('/api/journal?after=evt_1'), 400, 'invalid_after', 'after');
});

test('a cancelled amount, an earlier day and a wished currency', async () => {
  const account = await newAccount(stack.baseUrl);
  const { id } = await create(account.test, { currency: 'INR' });
  await create(account.test, { currency: 'BTN' });
  await account.test.delete(`/api/invoices/${id}`);
  await untilRelayed(table, `${account.accountId}#test`);
  const { json } = await account.test.get('/api/summary?currency=INR&by=week');
  expect(json.currencies).toMatchObject([{ currency: 'INR', outstanding: 0 }]);
  expect(json.currencies[0].periods.at(-1)).toMatchObject({
    invoiced: 2_500,
    cancelled: 2_500,
    cancellations: 1,
  });
});

test('money received before it was recorded is in the sums of that day until its void', async () => {
  const account = await newAccount(stack.baseUrl);
  const { id } = await create(account.test, { currency: 'BTN' });
  const day = daysAgo(100);
  const receivedThen = async () => {
    await untilRelayed(table, `${account.accountId}#test`);
    const { json } = await account.test.get(`/api/summary?from=${day}&by=day`);
    const counted = json.currencies[0].periods.filter(({ payments }: { payments: number }) => payments !== 0);
    return counted.map(({ from, received }: { from: string; received: number }) => [from, received]);
  };
  const body = { invoiceId: id, method: 'offline', receivedOn: day };
  const { json: payment } = await account.test.post('/api/payments', body, newest);
  expect(await receivedThen()).toEqual([[day, 2_500]]);
  await account.test.post(`/api/payments/${payment.id}/void`, { reason: 'Wrong' });
  expect(await receivedThen()).toEqual([]);
});

describe('the daily check', () => {
  const check = async (account: TestAccount) => {
    const { reconcileJournal } = await import('../../../shared/operations/reconciliation/compare-journal.ts');
    return (await reconcileJournal({ account: account.accountId, mode: 'test' })).differences;
  };
  const today = async (account: TestAccount) =>
    (await account.test.get('/api/summary?by=day')).json.currencies[0].periods.at(-1);

  test('builds the sums again in another time zone, and later changes add to them', async () => {
    const account = await newAccount(stack.baseUrl);
    for (const amount of [100, 200]) await create(account.test, { amount, dueDate: '2027-03-31T18:30:00Z' });
    await untilRelayed(table, `${account.accountId}#test`);
    expect(await check(account)).toEqual([]);
    expect((await account.test.get('/api/summary')).json.timeZone).toBe('UTC');
    const { updateSettings } = await import('../../../shared/domain/accounts/settings-store.ts');
    await updateSettings(account.accountId, { timeZone: 'Asia/Thimphu' });
    const [added] = await Promise.all([check(account), create(account.test, { amount: 400 })]);
    expect(added).toEqual([]);
    await untilRelayed(table, `${account.accountId}#test`);
    const { json } = await account.test.get('/api/summary');
    expect(json).toMatchObject({ timeZone: 'Asia/Thimphu', currencies: [{ outstanding: 700 }] });
    expect(await today(account)).toMatchObject({ invoiced: 700, invoices: 3 });
    const days = async () => (await table.all(`SUMS#${account.accountId}#test`)).map(({ sk }) => sk);
    expect(await days()).toContain('0001#2027-04-01');
    expect(await check(account)).toEqual([]);
    expect((await days()).filter((sk) => sk.startsWith('0000#'))).toEqual([]);
  });

  test('finds an amount that changed without an entry', async () => {
    const account = await newAccount(stack.baseUrl);
    const { id } = await create(account.test, { amount: 100 });
    await untilRelayed(table, `${account.accountId}#test`);
    expect(await check(account)).toEqual([]);
    const key = tableKeys.record(id);
    await table.put({ ...(await table.get(key)), ...key, amount: 10_100 });
    expect(await check(account)).toMatchObject([
      { rule: 'journal_records_differ', id: 'receivable USD', expected: 10_100, found: 100 },
      { rule: 'journal_records_differ', id: 'sales USD', expected: -10_100, found: -100 },
    ]);
  });

  test('finds a sum that differs, and an entry that does not balance', async () => {
    const account = await newAccount(stack.baseUrl);
    await create(account.test, { amount: 100 });
    await untilRelayed(table, `${account.accountId}#test`);
    const [day] = (await table.all(`SUMS#${account.accountId}#test`)).filter((item) => item['USD:i']);
    await table.put({ ...day, 'USD:i': 101 });
    expect(await check(account)).toMatchObject([
      { rule: 'journal_sums_differ', id: expect.stringContaining('USD:i'), expected: 100, found: 101 },
    ]);
    await table.put(day ?? {});
    const [entry] = await table.all(`JOURNAL#${account.accountId}#test`);
    await table.put({ ...entry, entries: entry?.entries.split(',')[0] });
    expect(await check(account)).toContainEqual(
      expect.objectContaining({ rule: 'journal_unbalanced', id: 'position 1' }),
    );
  });
});
