/**
 * Compares the payments of an account and mode with the books of its payment providers, both ways: money that no payment
 * counts, a payment that the provider does not have, and amounts and refunds that differ.
 *
 * - The daily reconciliation and an operator's command do this. They decrypt the credentials of every connection.
 * - Records and books are not read at one moment. So a difference counts only if a second comparison finds it too.
 * - Money whose checkout is known is repaired: the comparison sets the timer of the checkout, and the worker settles it.
 */
import type { Owner } from '../../base/ids.ts';
import type { Instant } from '../../base/time.ts';
import {
  findProviderPayment,
  readCheckoutOfAnyAccount,
} from '../../domain/payments/checkouts/checkout-store.ts';
import { checkoutTimer } from '../../domain/payments/checkouts/transitions.ts';
import { readConnections } from '../../domain/payments/connections/connection-store.ts';
import { openProvider } from '../../domain/payments/connections/open-provider.ts';
import { readPayment } from '../../domain/payments/payment-store.ts';
import type {
  HostedProvider,
  HostedProviderName,
  ListedPayment,
} from '../../domain/payments/provider/hosted-provider.ts';
import { listRecords } from '../../store/lists/pages/lists.ts';
import { readIndex } from '../../store/lists/pages/read-index.ts';
import { prepareTimer } from '../../store/timers/timers.ts';
import type { ProviderDifference, ProviderRule } from './difference.ts';
import { isolate } from './isolate.ts';
import { recordTypes } from './read-facts.ts';
import type { AllocatedNumbers } from './reconciliation-store.ts';

/** The provider can have a payment for this long before the service has settled it: as long as a checkout is open. */
const settlingMs = 3_600_000;
/** A provider answers a command within this time, in milliseconds. */
const timeoutMs = 20_000;
const pageSize = 25;

export interface ProviderComparison {
  /** The number of payments in the books of the providers. */
  readonly payments: number;
  readonly differences: readonly ProviderDifference[];
}

/** A provider that did not answer, or whose connection cannot be read. So nothing is known about its books. */
export interface ProviderFailure {
  readonly provider: HostedProviderName;
  readonly message: string;
}

/**
 * Compares the payments that payers began since an instant. The failure of one provider does not stop the others.
 * @param waitMs the time between the two comparisons
 * @throws the failure of a call to AWS
 */
export async function compareProviderBooks(
  owner: Owner,
  numbers: Pick<AllocatedNumbers, 'idKeys'>,
  { since, now, waitMs }: { readonly since: Instant; readonly now: Instant; readonly waitMs: number },
): Promise<ProviderComparison & { readonly failures: readonly ProviderFailure[] }> {
  let payments = 0;
  const differences: ProviderDifference[] = [];
  const failures: ProviderFailure[] = [];
  for (const { provider: name } of await readConnections(owner)) {
    const work = async () => {
      const provider = await openProvider(owner, name, { timeoutMs });
      if (!provider) return;
      const compare = () => compareBooks(owner, numbers, provider, { since, now });
      const first = await compare();
      payments += first.payments;
      if (first.differences.length === 0) return;
      await new Promise((resolve) => setTimeout(resolve, waitMs));
      const again = new Set((await compare()).differences.map(differenceNameOf));
      differences.push(...first.differences.filter((difference) => again.has(differenceNameOf(difference))));
    };
    await isolate(work, ({ message }) => failures.push({ provider: name, message }));
  }
  return { payments, differences, failures };
}

/** Names a difference. A second comparison that finds the same name confirms it. */
export const differenceNameOf = ({ id, rule, found }: ProviderDifference): string => `${id} ${rule} ${found}`;

async function compareBooks(
  owner: Owner,
  numbers: Pick<AllocatedNumbers, 'idKeys'>,
  provider: HostedProvider,
  { since, now }: { readonly since: Instant; readonly now: Instant },
): Promise<ProviderComparison> {
  const listed = new Set<string>();
  const differences: ProviderDifference[] = [];
  for (let cursor: string | undefined, page = 0; page === 0 || cursor !== undefined; page++) {
    const compared = await compareListedPage(owner, provider, { since, now, cursor });
    for (const reference of compared.references) listed.add(reference);
    differences.push(...compared.differences);
    cursor = compared.next;
  }
  for (let offset: number | undefined = 0; offset !== undefined; ) {
    const compared = await comparePaymentPage(owner, numbers, provider, { since, offset, listed });
    differences.push(...compared.differences);
    offset = compared.next;
  }
  return { payments: listed.size, differences };
}

/**
 * Compares a page of the payments that the provider lists.
 * @param cursor `next` of the page before, or undefined for the first page
 * @throws ProviderCallError if the provider does not answer
 */
export async function compareListedPage(
  owner: Owner,
  provider: HostedProvider,
  {
    since,
    now,
    cursor,
  }: { readonly since: Instant; readonly now: Instant; readonly cursor: string | undefined },
): Promise<{
  readonly references: readonly string[];
  readonly differences: readonly ProviderDifference[];
  readonly next: string | undefined;
}> {
  const { payments, next } = await provider.listPayments(since, cursor);
  const differences: ProviderDifference[] = [];
  for (const each of payments) differences.push(...(await compareListed(owner, provider, each, now)));
  return { references: payments.map(({ reference }) => reference), differences, next };
}

/**
 * Looks for the money of a page of the service's payments, newest first.
 * @param offset `next` of the page before, or 0
 * @param listed the references that the provider is known to list. It is asked about each other one.
 * @throws ProviderCallError if the provider does not answer
 */
export async function comparePaymentPage(
  owner: Owner,
  { idKeys }: Pick<AllocatedNumbers, 'idKeys'>,
  provider: HostedProvider,
  {
    since,
    offset,
    listed,
  }: { readonly since: Instant; readonly offset: number; readonly listed: ReadonlySet<string> },
): Promise<{ readonly differences: readonly ProviderDifference[]; readonly next: number | undefined }> {
  const view = await readIndex(owner, 'payment', []);
  const query = { status: undefined, offset, limit: pageSize, isReadOnly: true };
  const { rows, count } = await listRecords(recordTypes.payment, { owner, idKeys }, view, query);
  const recent = rows.filter(({ createdAt }) => createdAt >= since);
  const isLast = recent.length < rows.length || count < pageSize;
  const differences: ProviderDifference[] = [];
  for (const { id, provider: name, providerReference: reference, status } of recent) {
    if (name !== provider.name || status !== 'completed' || reference === undefined) continue;
    // The payer can have begun earlier than the payment was settled, so the list does not decide alone.
    if (!listed.has(reference) && !(await provider.payment(reference)))
      differences.push(difference(owner, 'provider_payment_missing', id, reference, 'none'));
  }
  return { differences, next: isLast ? undefined : offset + pageSize };
}

/**
 * Compares one payment with the provider, however old it is. An earlier comparison has found a difference.
 * @param found `id` and `rule` of the difference
 * @returns what differs now
 * @throws ProviderCallError if the provider does not answer
 */
export async function compareAgain(
  owner: Owner,
  provider: HostedProvider,
  { id, rule }: Pick<ProviderDifference, 'id' | 'rule'>,
  now: Instant,
): Promise<ProviderDifference[]> {
  const payment = rule === 'provider_payment_unknown' ? undefined : (await readPayment(owner, id)).record;
  const reference = rule === 'provider_payment_unknown' ? id : payment?.providerReference;
  if (reference === undefined) return [];
  const received = await provider.payment(reference);
  if (received) return compareListed(owner, provider, { ...received, receivedAt: 0 }, now);
  return payment ? [difference(owner, 'provider_payment_missing', id, reference, 'none')] : [];
}

async function compareListed(
  owner: Owner,
  provider: HostedProvider,
  { reference, key = '', amountMinor, currency, refundedMinor, receivedAt }: ListedPayment,
  now: Instant,
): Promise<ProviderDifference[]> {
  const id = await findProviderPayment(owner, provider.name, reference);
  const payment = id === undefined ? undefined : (await readPayment(owner, id)).record;
  if (!payment) {
    if (now - receivedAt < settlingMs || refundedMinor >= amountMinor) return [];
    // Two accounts can be connected to the same merchant, and each compares its own payments.
    const checkout = (await readCheckoutOfAnyAccount(key))?.record;
    if (checkout && (checkout.account !== owner.account || checkout.mode !== owner.mode)) return [];
    // The sweep sends the timer, and the worker settles the checkout before the second comparison.
    if (checkout) await prepareTimer(checkoutTimer(checkout, now), now);
    return [difference(owner, 'provider_payment_unknown', reference, 'a payment', amountMinor)];
  }
  const { amount, amountRefunded, amountReserved } = payment;
  const found: ProviderDifference[] = [];
  if (amount !== amountMinor || payment.currency !== currency)
    found.push(
      difference(
        owner,
        'provider_amount_differs',
        payment.id,
        `${amount} ${payment.currency}`,
        `${amountMinor} ${currency}`,
      ),
    );
  // A pending refund may not have reached the provider yet.
  if (refundedMinor < amountRefunded || refundedMinor > amountRefunded + amountReserved) {
    // The worker records refunds that somebody made in the provider's own dashboard.
    await prepareTimer(checkoutTimer(payment, now), now);
    found.push(difference(owner, 'provider_refunds_differ', payment.id, amountRefunded, refundedMinor));
  }
  return found;
}

function difference(
  owner: Owner,
  rule: ProviderRule,
  id: string,
  expected: string | number,
  found: string | number,
): ProviderDifference {
  return { ...owner, resource: 'provider_payment', seq: 0, id, rule, expected, found, evidence: '' };
}
