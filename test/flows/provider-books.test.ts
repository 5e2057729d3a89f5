/** Tests that `remit reconcile run` compares payments with the books of a provider, against a double of Stripe. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import type { ReportedDifference } from '../../shared/operations/reconciliation/report.ts';
import { tableKeys } from '../../shared/store/keys.ts';
import { newAccount } from '../support/api.ts';
import {
  beginPaying,
  type CheckoutDouble,
  connectTo,
  type Merchant,
  payAndSettle,
  referenceIn,
  startCheckoutDouble,
} from '../support/checkouts.ts';
import { stopClock } from '../support/clock.ts';
import { run, runJson } from '../support/command-line.ts';
import { startTestStack } from '../support/stack.ts';
import { type TestTable, tableOf } from '../support/table.ts';
import { waitUntil } from '../support/wait-until.ts';

const hourMs = 3_600_000;
let stack: Stack;
let table: TestTable;
let checkouts: CheckoutDouble;
let merchant: Merchant;

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: hourMs });
  table = tableOf(stack);
  checkouts = await startCheckoutDouble(stack);
});
beforeEach(async () => {
  stopClock();
  merchant = await checkouts.newMerchant();
});
afterEach(() => {
  checkouts.double.faults.clear();
  checkouts.double.notifications.sendTo('live', undefined);
});
afterAll(async () => {
  await checkouts.close();
  await stack.close();
});

const pay = () => payAndSettle(checkouts, merchant);

const account = () => ['--account', merchant.owner.account];
const reconcile = (...args: string[]) => run('reconcile', ['run', ...account(), ...args]);
async function differences(): Promise<Pick<ReportedDifference, 'id' | 'rule' | 'expected' | 'found'>[]> {
  const { out } = await reconcile('--json');
  return JSON.parse(out).differences.map(({ id, rule, expected, found }: ReportedDifference) => ({
    id,
    rule,
    expected,
    found,
  }));
}

test('a payment of which half is refunded agrees with the books', async () => {
  const { id } = await pay();
  await merchant.api.post('/api/refunds', { paymentId: id, amount: 1250 });
  const refunded = async () => (await merchant.api.get(`/api/payments/${id}`)).json.amountRefunded === 1250;
  await waitUntil('half is refunded', refunded);
  expect(await runJson('reconcile', ['run', ...account()])).toMatchObject({
    providerPayments: 1,
    differences: [],
  });
  expect((await reconcile()).out).toContain('Compared 1 payments in the books of providers.');
  expect((await reconcile('--provider-days', '0')).out).not.toContain('providers');
});

test('money without a payment is a difference, once a checkout can no longer be open', async () => {
  const payWithoutNotification = async () => {
    const { paymentUrl } = await merchant.newInvoice();
    checkouts.double.act(referenceIn(await beginPaying(paymentUrl)), 'pay');
    return checkouts.double.books().at(-1);
  };
  await payWithoutNotification();
  expect(await differences()).toEqual([]);
  // The command has a clock of its own.
  stopClock(Date.now() - hourMs - 60_000);
  const booked = await payWithoutNotification();
  expect(await differences()).toEqual([
    { id: booked?.reference, rule: 'provider_payment_unknown', expected: 'a payment', found: 2500 },
  ]);
  // Another account that is connected to the same merchant does not report it.
  const other = { account: (await newAccount(stack.baseUrl)).accountId, mode: 'live' as const };
  await connectTo(checkouts.double, other);
  const { out } = await run('reconcile', ['run', '--account', other.account, '--json']);
  expect(JSON.parse(out).differences).toEqual([]);
});

test('a payment without money, another amount and other refunds are differences', async () => {
  const paid = [await pay(), await pay(), await pay()];
  const change = async (index: number, fields: object) => {
    const key = tableKeys.record(paid[index]?.id ?? '');
    await table.put({ ...(await table.get(key)), ...fields });
  };
  await change(0, { providerReference: 'pi_absent' });
  await change(1, { amount: 2400 });
  await change(2, { amountRefunded: 100 });
  const found = (await differences()).filter(({ rule }) => rule.startsWith('provider_'));
  expect(found.map(({ id, rule }) => `${rule} ${paid.findIndex((each) => each.id === id)}`).sort()).toEqual([
    'provider_amount_differs 1',
    'provider_payment_missing 0',
    'provider_refunds_differ 2',
  ]);
});

test('if a provider does not answer, the command compares the rest, names the provider and fails', async () => {
  await pay();
  checkouts.double.faults.inject({ fault: { kind: 'answer', status: 500 }, times: 100 });
  const { code, out } = await reconcile('--json');
  expect(code).toBe(1);
  expect(JSON.parse(out)).toMatchObject({
    records: 2,
    differences: [],
    notCompared: [
      { ...merchant.owner, part: 'the books of stripe', message: expect.stringContaining('Stripe') },
    ],
  });
});

test('a number of days out of range is refused', async () => {
  expect(await reconcile('--provider-days', '367')).toMatchObject({
    code: 2,
    error: expect.stringContaining('--provider-days must be from 0 to 366.'),
  });
});
