/** Compares the payments and refunds of the service with the books of a provider's double. */
import type { ProviderDouble } from '../../infra/local/provider-doubles/common/provider-double.ts';
import { triggers } from '../../infra/triggers.ts';
import type { Owner } from '../../shared/ids.ts';
import type { TestClock } from './clock.ts';
import { invokeWorker, toQueueEvent } from './crashing-workers.ts';
import type { TestItem, TestTable } from './table.ts';
import { waitUntil } from './wait-until.ts';

const workers: Readonly<Record<string, string>> = {
  checkout: triggers.settleCheckout.handler,
  refund: triggers.processRefund.handler,
};

/** A processed refund is looked at again a day later at the earliest. */
const soonMs = 12 * 3_600_000;

/**
 * Delivers the messages of the timers of checkouts and refunds that are due. Returns how many timers exist, without those
 * that review processed refunds.
 */
export async function deliverDueTimers(
  table: TestTable,
  clock: TestClock,
  isOwn: (reference: string) => boolean = () => true,
): Promise<number> {
  await waitUntil('the outbox is empty', async () => (await table.all('OUTBOX#')).length === 0);
  const timers = (await table.all('TIMER#')).filter(
    ({ kind, reference }) => workers[kind] !== undefined && isOwn(reference),
  );
  const due = timers.filter((timer) => timer.due <= clock.now());
  await Promise.all(
    due.map(async ({ kind, due: at, reference, minute }) => {
      const event = toQueueEvent({ kind, due: at, reference, minute });
      await invokeWorker(`${reference}-${at}`, workers[kind] ?? '', event);
    }),
  );
  return timers.filter(({ due: at }) => at < clock.now() + soonMs).length;
}

/** Advances the clock until no checkout and no refund has a timer. */
export async function settleEverything(table: TestTable, clock: TestClock): Promise<void> {
  for (let step = 0; step < 40; step++) {
    if ((await deliverDueTimers(table, clock)) === 0) return;
    clock.advance(5 * 60_000);
  }
  throw new Error('Some timers of checkouts or refunds are left.');
}

/**
 * Returns each difference between the records of an account and mode and the double's books: money without a payment, a
 * payment without money, an invoice that is paid twice, money that was not returned, and a refund that was made twice.
 */
export async function differencesOfBooks(
  table: TestTable,
  double: ProviderDouble,
  { account, mode }: Owner,
): Promise<string[]> {
  const read = async (prefix: string): Promise<TestItem[]> =>
    (await table.all(prefix)).filter((item) => item.account === account && item.mode === mode);
  const [checkouts, payments, refunds, invoices] = await Promise.all(
    ['co_', 'pay_', 'ref_', 'inv_'].map(read),
  );
  const keys = new Set(checkouts?.map(({ pk }) => pk));
  const books = double.books().filter(({ key }) => key !== undefined && keys.has(key));
  const completed =
    payments?.filter(({ status, method }) => status === 'completed' && method === 'provider') ?? [];
  const found: string[] = [];
  for (const booked of books) {
    const own = completed.filter(({ providerReference }) => providerReference === booked.reference);
    if (own.length !== 1) found.push(`${booked.reference} has ${own.length} payments`);
    if (own[0] && own[0].amount !== booked.amountMinor) found.push(`${booked.reference} has another amount`);
    const returned = refunds?.filter(
      ({ paymentId, status }) => paymentId === own[0]?.pk && status === 'processed',
    );
    const ours = returned?.map(({ pk, amount }) => `${pk} ${amount}`).toSorted();
    const theirs = booked.refunds.map(({ key, amountMinor }) => `${key} ${amountMinor}`).toSorted();
    if (String(ours) !== String(theirs))
      found.push(`${booked.reference} has other refunds: ${ours} / ${theirs}`);
  }
  for (const { pk, providerReference } of completed) {
    if (!books.some(({ reference }) => reference === providerReference)) found.push(`${pk} has no money`);
  }
  for (const { pk, receipt, status, openCheckout } of invoices ?? []) {
    const kept = payments?.filter(
      ({ invoiceId, status: outcome, amount, amountRefunded, pk: payment }) =>
        invoiceId === pk &&
        outcome === 'completed' &&
        amount !== amountRefunded &&
        payment !== receipt?.paymentId,
    );
    for (const { pk: payment } of kept ?? []) found.push(`${payment} was not returned`);
    if (status === 'paid' && !receipt) found.push(`${pk} is paid without a receipt`);
    if (openCheckout) found.push(`${pk} still has an open checkout`);
  }
  for (const { pk, status, description } of checkouts ?? []) {
    if (status === 'open' || description !== '') found.push(`${pk} is ${status}`);
  }
  return found;
}
