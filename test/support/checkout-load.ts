/** Pays, declines and changes many invoices at once, while requests to the provider are lost and processes crash. */
import { tableKeys } from '../../shared/store/keys.ts';
import { differencesOfBooks, settleEverything } from './checkout-books.ts';
import {
  type CheckoutDouble,
  type Merchant,
  payButtonOf,
  pressPay,
  startCheckoutDouble,
} from './checkouts.ts';
import { type CrashTestStack, startCrashTestStack } from './crash-test-stack.ts';
import { invocationHeader } from './invocations.ts';
import { openPage } from './pay-page.ts';
import { purgeQueues } from './purge-queues.ts';
import { seededNumber } from './seeded-random.ts';

const seed = 17;
const chance = (what: string, index: number) => seededNumber(seed, what, index);

/** How many invoices one account has, which are paid at the same time. */
const invoicesOfMerchant = 100;

export interface CheckoutLoad {
  /** The differences between the books of the service and those of the double, after everything is settled. */
  readonly differences: readonly string[];
  /** The payments in the books of the double. */
  readonly bookedPayments: number;
}

/** Runs the load on a stack of its own. */
export async function runCheckoutLoad(): Promise<CheckoutLoad> {
  const crashStack = await startCrashTestStack();
  const checkouts = await startCheckoutDouble(crashStack.stack);
  try {
    // The load delivers the messages of timers itself.
    await crashStack.stack.queues.pause();
    injectFaults(checkouts);
    const merchant = await checkouts.newMerchant();
    checkouts.double.notifications.sendTo('live', checkouts.notificationUrl(merchant));
    const newInvoices = Array.from({ length: invoicesOfMerchant }, () => merchant.newInvoice());
    const invoices = await Promise.all(newInvoices);
    await Promise.all(invoices.map((invoice, at) => visit(crashStack, checkouts, merchant, invoice, at)));
    checkouts.double.faults.clear();
    const { table, clock } = crashStack;
    await settleEverything(table, clock);
    const differences = await differencesOfBooks(table, checkouts.double, merchant.owner);
    return { differences, bookedPayments: checkouts.double.books().length };
  } finally {
    await purgeQueues(crashStack.stack);
    await checkouts.close();
    await crashStack.close();
  }
}

/** Loses requests to the provider and its answers, and makes it fail. */
function injectFaults({ double }: CheckoutDouble): void {
  const inject = (fault: Parameters<typeof double.faults.inject>[0]['fault'], what: string, share: number) =>
    double.faults.inject({
      fault,
      on: ({ body, path }) => chance(`${path}${body}${what}`, double.requests.length) < share,
      times: Number.POSITIVE_INFINITY,
    });
  inject({ kind: 'lose', when: 'after' }, 'lost', 0.12);
  inject({ kind: 'lose', when: 'before' }, 'never', 0.08);
  inject({ kind: 'answer', status: 500 }, 'error', 0.08);
}

/** A payer presses the button in three tabs and pays or is declined, while the merchant may change the invoice. */
async function visit(
  { crashes, table }: CrashTestStack,
  { double }: CheckoutDouble,
  { api }: Merchant,
  { id, paymentUrl }: Awaited<ReturnType<Merchant['newInvoice']>>,
  index: number,
): Promise<void> {
  const label = `books-${index}`;
  if (chance('crash', index) < 0.3) {
    const fault = chance('side', index) < 0.5 ? 'crash before call' : 'crash after call';
    crashes.set(label, { at: Math.floor(chance('at', index) * 9), fault });
  }
  const fields = payButtonOf(await openPage(paymentUrl));
  const press = (name: string) =>
    pressPay(paymentUrl, fields, { [invocationHeader]: name }).catch(() => undefined);
  const answers = [await press(label), ...(await Promise.all([press('tab 1'), press('tab 2')]))];
  const reference = answers.flatMap(
    (answer) => /\/c\/pay\/(\w+)/.exec(answer?.headers.location ?? '')?.[1] ?? [],
  )[0];
  const does = chance('payer', index);
  const paying = async () => {
    if (reference) double.act(reference, does < 0.6 ? 'pay' : 'decline');
  };
  const cancelByAnotherRelease = async () => {
    const item = await table.get(tableKeys.record(id));
    await table.put({ ...item, status: 'cancelled', version: item?.version + 1, objectVersion: 2 });
  };
  const changes = [
    async () => {},
    async () => {},
    () => api.delete(`/api/invoices/${id}`),
    () => api.patch(`/api/invoices/${id}`, { amount: 2600 }),
    () => api.post('/api/payments', { invoiceId: id, method: 'offline' }),
    () => cancelByAnotherRelease().catch(() => {}),
  ];
  const change = changes[Math.floor(chance('merchant', index) * changes.length)];
  await Promise.all([paying(), change?.()]);
}
