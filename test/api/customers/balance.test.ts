/** Tests what a customer owes over HTTP, against the summary of the account and the rules of ages. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Remit } from '../../../client/src/remit.ts';
import type { Stack } from '../../../infra/local/stack.ts';
import { readCustomerBalance } from '../../../shared/domain/account-statements/customer-balance-store.ts';
import { readCustomerIndexes } from '../../../shared/domain/account-statements/statement-store.ts';
import { customerFilterKey } from '../../../shared/domain/invoices/record.ts';
import { readFreeCredits } from '../../../shared/domain/payments/credit-store.ts';
import { readAccountUsage } from '../../../shared/store/account-usage-store.ts';
import { type Api, invoiceBody, newAccount, type TestAccount } from '../../support/api.ts';
import { expectError } from '../../support/expectations.ts';
import { inNewestVersion } from '../../support/newest-version.ts';
import { startTestStack } from '../../support/stack.ts';
import { tableOf } from '../../support/table.ts';
import { untilRelayed } from '../../support/until-relayed.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startTestStack();
});
afterAll(() => stack.close());

const dayMs = 24 * 60 * 60 * 1000;
const daysFromNow = (days: number) => new Date(Date.now() + days * dayMs).toISOString().slice(0, 10);
const ages = { notDue: 0, days1To30: 0, days31To60: 0, days61To90: 0, older: 0 };
const balanceOf = async (api: Api, customerId: string) =>
  (await api.get(`/api/balance?customerId=${encodeURIComponent(customerId)}`)).json;

async function newInvoice(api: Api, customerId: string, amount: number, fields: object = {}) {
  const { json } = await api.post('/api/invoices', invoiceBody({ customerId, amount, ...fields }));
  return json;
}

async function newShop(): Promise<{ account: TestAccount; api: Api }> {
  const account = await newAccount(stack.baseUrl);
  return { account, api: inNewestVersion(account.test) };
}

test('a customer owes what is due of its open invoices, by currency and age', async () => {
  const { api } = await newShop();
  const owe = (amount: number, dueIn: number, fields: object = {}) =>
    newInvoice(api, 'Dorji@example.bt', amount, { currency: 'BTN', dueDate: daysFromNow(dueIn), ...fields });
  for (const [amount, dueIn] of [
    [1, 5],
    [20, 0],
    [300, -1],
    [4_000, -31],
    [50_000, -61],
    [600_000, -91],
  ] as const)
    await owe(amount, dueIn);
  await owe(7, 5, { currency: 'USD' });
  const part = await owe(8_000_000, -30, { acceptPartial: true });
  await api.post('/api/payments', { invoiceId: part.id, method: 'offline', amount: 1_000_000 });
  const { id: cancelled } = await owe(9, 5);
  await api.delete(`/api/invoices/${cancelled}`);
  const { id: paid } = await owe(9, 5);
  await api.post('/api/payments', { invoiceId: paid, method: 'offline' });
  await newInvoice(api, 'pema@example.bt', 1_000);

  const shown = await balanceOf(api, 'dorji@EXAMPLE.bt');
  expect(shown).toEqual({
    customerId: 'dorji@EXAMPLE.bt',
    timeZone: 'UTC',
    today: daysFromNow(0),
    asOf: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    hasMore: false,
    currencies: [
      {
        currency: 'BTN',
        outstanding: 7_654_321,
        overdue: 7_654_300,
        ages: { notDue: 21, days1To30: 7_000_300, days31To60: 4_000, days61To90: 50_000, older: 600_000 },
        credit: 0,
      },
      { currency: 'USD', outstanding: 7, overdue: 0, ages: { ...ages, notDue: 7 }, credit: 0 },
    ],
  });
  const remit = new Remit({ apiKey: api.apiKey, baseUrl: stack.baseUrl });
  const { asOf: _, ...same } = await remit.customers.balance({ customerId: 'dorji@EXAMPLE.bt' });
  expect(shown).toMatchObject(same);
});

test('the balances of all customers are the outstanding sums of the account', async () => {
  const { account, api } = await newShop();
  const customers = ['order:1', 'a@example.bt', (await api.post('/api/customers', { name: 'Pema' })).json.id];
  for (const [index, customerId] of customers.entries())
    for (const days of [-100, -45, -3, 0, 9])
      await newInvoice(api, customerId, 10 ** index, { currency: 'INR', dueDate: daysFromNow(days) });
  await untilRelayed(tableOf(stack), `${account.accountId}#test`);
  const balances = await Promise.all(customers.map((each) => balanceOf(api, each)));
  const sumOf = (field: string) => balances.reduce((sum, { currencies }) => sum + currencies[0][field], 0);
  const [summary] = (await api.get('/api/summary')).json.currencies;
  expect({ outstanding: sumOf('outstanding'), overdue: sumOf('overdue') }).toEqual({
    outstanding: summary.outstanding,
    overdue: summary.overdue,
  });
});

test('credit is what payments have above what their invoices needed', async () => {
  const { api } = await newShop();
  const invoice = await newInvoice(api, 'order:2', 1_000, { currency: 'BTN', acceptPartial: true });
  await api.post('/api/payments', { invoiceId: invoice.id, method: 'offline', amount: 400 });
  const kept = await api.delete(`/api/invoices/${invoice.id}?payments=credit`);
  expect(kept.status).toBe(200);
  expect((await balanceOf(api, 'order:2')).currencies).toEqual([
    { currency: 'BTN', outstanding: 0, overdue: 0, ages, credit: 400 },
  ]);
  await newInvoice(api, 'order:2', 300, { currency: 'BTN', useCredit: true });
  expect((await balanceOf(api, 'order:2')).currencies).toMatchObject([{ outstanding: 0, credit: 100 }]);
});

test('days are those of the account', async () => {
  const { account, api } = await newShop();
  const { updateSettings } = await import('../../../shared/domain/accounts/settings-store.ts');
  await updateSettings(account.accountId, { timeZone: 'Pacific/Kiritimati' });
  expect(await balanceOf(api, 'order:3')).toMatchObject({
    timeZone: 'Pacific/Kiritimati',
    today: new Date(Date.now() + 14 * 60 * 60 * 1000).toISOString().slice(0, 10),
    currencies: [],
  });
});

test('a customer of another account owes nothing here, and a request without a customer is refused', async () => {
  const [one, other] = [await newShop(), await newShop()];
  await newInvoice(one.api, 'order:4', 500);
  expect((await balanceOf(one.api, 'order:4')).currencies).toHaveLength(1);
  expect((await balanceOf(other.api, 'order:4')).currencies).toEqual([]);
  for (const query of ['', '?customerId=', '?customerId=a&customerId=b'])
    expectError(await one.api.get(`/api/balance${query}`), 400, 'invalid_customer', 'customerId');
  expectError(await one.api.get('/api/balance?customerId=a&by=day'), 400, 'unknown_parameter', 'by');
});

test('a balance that is made of too many records says so', async () => {
  const { account, api } = await newShop();
  const owner = { account: account.accountId, mode: 'test' } as const;
  for (const amount of [1, 20, 300]) await newInvoice(api, 'order:5', amount, { currency: 'BTN' });
  const [{ principal }, { invoices }, credits] = await Promise.all([
    readAccountUsage(owner, Date.now()),
    readCustomerIndexes(owner, 'order:5'),
    customerFilterKey('order:5').then((key) => readFreeCredits(owner, key)),
  ]);
  const read = (most: number) =>
    readCustomerBalance(principal, { invoices, credits }, { today: daysFromNow(0), timeZone: 'UTC' }, most);
  expect(await read(3)).toMatchObject({ hasMore: false, balances: [{ outstanding: 321 }] });
  expect(await read(2)).toMatchObject({ hasMore: true, balances: [{ outstanding: 320 }] });
});
