/** Compares the payments and refunds of the service with the books of a provider's double. */
import type {
  BookedPayment,
  ProviderDouble,
} from '../../infra/local/provider-doubles/common/provider-double.ts';
import { triggers } from '../../infra/triggers.ts';
import type { Owner } from '../../shared/base/ids.ts';
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

/** What became of the timers of checkouts and refunds. */
export interface DueTimers {
  /** How many timers were due. */
  readonly due: number;
  /** How many timers existed, without those that review processed refunds. */
  readonly left: number;
  /** When the next of them that was not due is due. */
  readonly next: number | undefined;
}

/** How many messages are delivered at the same time. */
const deliveredAtOnce = 25;

/** Delivers the messages of the timers of checkouts and refunds that are due. */
export const deliverTimers = async (
  table: TestTable,
  clock: Pick<TestClock, 'now'>,
  isOwn?: (reference: string) => boolean,
): Promise<DueTimers> => deliver(await table.all('TIMER#'), clock, isOwn);

async function deliver(
  all: readonly TestItem[],
  clock: Pick<TestClock, 'now'>,
  isOwn: (reference: string) => boolean = () => true,
): Promise<DueTimers> {
  const timers = all.filter(({ kind, reference }) => workers[kind] !== undefined && isOwn(reference));
  const now = clock.now();
  const due = timers.filter((timer) => timer.due <= now);
  for (let first = 0; first < due.length; first += deliveredAtOnce) {
    const messages = due
      .slice(first, first + deliveredAtOnce)
      .map(async ({ kind, due: at, reference, minute }) => {
        const event = toQueueEvent({ kind, due: at, reference, minute });
        await invokeWorker(`${reference}-${at}`, workers[kind] ?? '', event);
      });
    await Promise.all(messages);
  }
  const left = timers.map(({ due: at }) => Number(at)).filter((at) => at < now + soonMs);
  const later = left.filter((at) => at > now);
  return { due: due.length, left: left.length, next: later.length === 0 ? undefined : Math.min(...later) };
}

/** Does the same when the outbox is empty. Returns how many timers existed, without those that review processed refunds. */
export async function deliverDueTimers(
  table: TestTable,
  clock: TestClock,
  isOwn?: (reference: string) => boolean,
): Promise<number> {
  const timers = await waitUntil('the outbox is empty', () => timersIfRelayed(table));
  return (await deliver(timers, clock, isOwn)).left;
}

/** Returns the timers if the outbox is empty. A scan takes long, so one shows both if it can. */
async function timersIfRelayed(table: TestTable): Promise<TestItem[] | undefined> {
  const items = await table.allAtOnce(['OUTBOX#', 'TIMER#']);
  if (items) return items.every(({ pk }) => pk.startsWith('TIMER#')) ? items : undefined;
  return (await table.all('OUTBOX#')).length === 0 ? table.all('TIMER#') : undefined;
}

const isMoney = (reference: string) => /^(co|pay|ref)_/.test(reference);

/**
 * Lets time pass in steps, and delivers the timers of checkouts, payments and refunds that are due after each step.
 * @param rest how often to deliver at the end, for timers that follow from others
 */
export async function passTime(
  table: TestTable,
  clock: TestClock,
  { ms, stepMs = ms, rest = 0 }: { readonly ms: number; readonly stepMs?: number; readonly rest?: number },
): Promise<void> {
  for (const end = clock.now() + ms; clock.now() < end; ) {
    clock.advance(Math.min(stepMs, end - clock.now()));
    await deliverDueTimers(table, clock, isMoney);
  }
  for (let step = 0; step < rest; step++) await deliverDueTimers(table, clock, isMoney);
}

/** Advances the clock until no checkout and no refund has a timer. */
export async function settleEverything(table: TestTable, clock: TestClock): Promise<void> {
  for (let step = 0; step < 40; step++) {
    if ((await deliverDueTimers(table, clock)) === 0) return;
    clock.advance(5 * 60_000);
  }
  throw new Error('Some timers of checkouts or refunds are left.');
}

const readRecords =
  (table: TestTable, { account, mode }: Owner) =>
  async (prefix: string): Promise<TestItem[]> =>
    (await table.all(prefix)).filter((item) => item.account === account && item.mode === mode);

/**
 * Returns each difference between the records of an account and mode and the double's books: money without a payment, a
 * payment without money, an invoice that is paid twice, money that was not returned, and a refund that was made twice.
 */
export async function differencesOfBooks(
  table: TestTable,
  double: ProviderDouble,
  owner: Owner,
): Promise<string[]> {
  const found = await differencesOfMoney(table, double, owner);
  const [payments, invoices] = await Promise.all(['pay_', 'inv_'].map(readRecords(table, owner)));
  for (const { pk, receipt, status } of invoices ?? []) {
    const kept = payments?.filter(
      (payment) =>
        payment.invoiceId === pk &&
        (payment.status === 'completed' || hasMoney(payment)) &&
        payment.amount !== payment.amountRefunded &&
        payment.pk !== receipt?.paymentId,
    );
    for (const { pk: payment } of kept ?? []) found.push(`${payment} was not returned`);
    if (status === 'paid' && !receipt) found.push(`${pk} is paid without a receipt`);
  }
  return found;
}

/** Returns those of them that are not about the invoices, which may have received the money in parts, and checkouts that did not end. */
export async function differencesOfMoney(
  table: TestTable,
  double: ProviderDouble,
  owner: Owner,
): Promise<string[]> {
  const [checkouts, payments, refunds, invoices] = await Promise.all(
    ['co_', 'pay_', 'ref_', 'inv_'].map(readRecords(table, owner)),
  );
  const keys = new Set(checkouts?.map(({ pk }) => pk));
  const books = double.books().filter(({ key }) => key !== undefined && keys.has(key));
  const taken = payments?.filter(hasMoney) ?? [];
  const found: string[] = [];
  for (const booked of books) {
    const own = taken.filter(({ providerReference }) => providerReference === booked.reference);
    // Somebody can return money at the provider before the service learns of it.
    const isGone =
      booked.refunds.reduce((sum, { amountMinor }) => sum + amountMinor, 0) === booked.amountMinor;
    if (own.length !== 1 && !(own.length === 0 && isGone))
      found.push(`${booked.reference} has ${own.length} payments`);
    if (own[0]) found.push(...differencesOfPayment(own[0], booked, refunds ?? []));
  }
  for (const { pk, providerReference } of taken) {
    if (!books.some(({ reference }) => reference === providerReference)) found.push(`${pk} has no money`);
  }
  for (const { pk, openCheckout } of invoices ?? []) {
    if (openCheckout) found.push(`${pk} still has an open checkout`);
  }
  for (const { pk, status, description } of checkouts ?? []) {
    if (status === 'open' || description !== '') found.push(`${pk} is ${status}`);
  }
  return found;
}

/** Whether a provider took money for a payment. It also did for one that waits for a decision, or was returned by it. */
const hasMoney = ({ status, method, pendingReason, failureCode }: TestItem): boolean =>
  method === 'provider' &&
  (status === 'completed' || pendingReason === 'amount_differs' || failureCode === 'amount_differs');

/** Compares the amount and the refunds of a payment. Each side can have refunds that the other one does not know. */
function differencesOfPayment(
  payment: TestItem,
  { reference, amountMinor, refunds: theirs }: BookedPayment,
  refunds: readonly TestItem[],
): string[] {
  const found: string[] = [];
  if (payment.amount !== amountMinor) found.push(`${reference} has another amount`);
  const processed = refunds.filter(
    ({ paymentId, status }) => paymentId === payment.pk && status === 'processed',
  );
  // A refund that was made at the provider has its id, and any other one is named by the service.
  const elsewhere = new Set(processed.map(({ providerReference }) => providerReference));
  const own = processed.map(({ pk, amount, providerReference }) => `${providerReference ?? pk} ${amount}`);
  const booked = theirs.map(
    ({ reference: id, key, amountMinor: of }) => `${elsewhere.has(id) ? id : (key ?? id)} ${of}`,
  );
  const [ours, others] = [own.toSorted(), booked.toSorted()];
  if (String(ours) !== String(others)) found.push(`${reference} has other refunds: ${ours} / ${others}`);
  const counted = processed.reduce((sum, { amount }) => sum + amount, 0);
  if (payment.amountRefunded !== counted || payment.amountReserved !== 0)
    found.push(
      `${payment.pk} counts ${payment.amountRefunded} as refunded, and reserves ${payment.amountReserved}`,
    );
  return found;
}
