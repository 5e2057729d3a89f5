/**
 * Checks the money of an owner once the system is quiescent: invoices, payments, refunds and the test provider's records
 * must agree, and none of them may be waiting. Pure: it looks only at the items that it is given.
 */

import type { TestItem } from '../support/table.ts';
import { indexViolations } from './audit-table.ts';
import { isImmediate, paymentAndRefundRecords } from './stored-lifecycles.ts';

/** @param owner `account#mode` */
export function balanceViolations(all: readonly TestItem[], owner: string): string[] {
  const { payment: payments, refund: refunds } = paymentAndRefundRecords(all, owner);
  const invoices = all.filter(
    ({ pk, sk, account, mode }) => sk === 'RECORD' && pk.startsWith('inv_') && `${account}#${mode}` === owner,
  );
  const byInvoice = Map.groupBy(payments, ({ invoiceId }) => invoiceId as string);
  const byPayment = Map.groupBy(refunds, ({ paymentId }) => paymentId as string);
  const providerItems = new Map(
    all.filter(({ pk }) => pk.startsWith('TESTPROVIDER#')).map((item) => [item.key, item]),
  );
  return [
    ...invoices.flatMap((invoice) => invoiceViolations(invoice, byInvoice.get(invoice.pk) ?? [], byPayment)),
    ...payments.flatMap((payment) => paymentViolations(payment, byPayment.get(payment.pk) ?? [])),
    ...payments.flatMap((payment) => creditViolations(payment, payments)),
    ...namedCreditViolations(all, owner, payments),
    ...payments.flatMap((payment) =>
      providerViolations(payment, providerItems, byPayment.get(payment.pk) ?? []),
    ),
    ...refunds.filter(({ status }) => status === 'pending').map(({ pk }) => `${pk} is still pending`),
    ...unknownKeyViolations(all, providerItems),
    ...pageViolations(all, owner, { payment: payments, refund: refunds }),
  ];
}

type RefundsByPayment = ReadonlyMap<string, readonly TestItem[]>;

function invoiceViolations(
  invoice: TestItem,
  payments: readonly TestItem[],
  refunds: RefundsByPayment,
): string[] {
  const { pk, status, amount, paymentInProgress, receipt } = invoice;
  // All of a payment that came after its invoice was paid is credit of the customer.
  const completed = payments.filter(
    (payment) =>
      payment.status === 'completed' &&
      !payment.voidedAt &&
      (status !== 'paid' || payment.amountOver !== payment.amount),
  );
  const violations: string[] = [];
  if (paymentInProgress) violations.push(`${pk} still has the payment ${paymentInProgress} in progress`);
  // A paid invoice that another one replaces counts nothing: its payments have moved, or are voided.
  if (invoice.replacedBy && status === 'paid') {
    if (completed.length > 0 || invoice.parts?.length !== 0)
      violations.push(`${pk} is replaced, but has payments`);
    return violations;
  }
  if (invoice.parts) return [...violations, ...partViolations(invoice, completed, refunds)];
  if (completed.length > 1) violations.push(`${pk} has ${completed.length} completed payments`);
  const [payment] = completed;
  if (status === 'paid') {
    if (!payment) violations.push(`${pk} is paid, but has no completed payment`);
    else if (payment.amount - (payment.amountOver ?? 0) !== amount)
      violations.push(`${pk} is over ${amount}, but its payment is over ${payment.amount}`);
    if (payment && receipt?.paymentId !== payment.pk)
      violations.push(`${pk} has the receipt of another payment`);
  } else if (payment && status !== 'cancelled') {
    violations.push(`${pk} is ${status}, but its payment ${payment.pk} is completed`);
  } else if (payment) {
    const ownRefunds = refunds.get(payment.pk) ?? [];
    // The provider may refuse the refund. Then a refund of the whole amount must have failed.
    const wasRefused = ownRefunds.some(
      (refund) => refund.status === 'failed' && refund.amount === payment.amount,
    );
    if (payment.amountRefunded !== payment.amount && !wasRefused) {
      violations.push(
        `${pk} is cancelled, but only ${payment.amountRefunded} of ${payment.amount} of ${payment.pk} is refunded`,
      );
    }
  }
  return violations;
}

/** Of an invoice with payments of parts, each completed payment counts, or is refunded. */
function partViolations(
  { pk, status, amount, parts = [] }: TestItem,
  completed: readonly TestItem[],
  refunds: RefundsByPayment,
): string[] {
  const violations: string[] = [];
  const counted: readonly string[] = parts.map((part: { paymentId: string }) => part.paymentId);
  const sums = parts.map(
    (part: { amount: number; writtenOff?: number }) => part.amount + (part.writtenOff ?? 0),
  );
  const settled = sums.reduce((sum: number, each: number) => sum + each, 0);
  if (settled > amount) violations.push(`${pk} counts ${settled} of ${amount}`);
  if (status !== 'cancelled' && (status === 'paid') !== (settled === amount))
    violations.push(`${pk} is ${status} with ${settled} of ${amount}`);
  for (const id of counted)
    if (!completed.some((payment) => payment.pk === id))
      violations.push(`${pk} counts ${id}, which is not completed`);
  for (const payment of completed) {
    if (status !== 'cancelled' && counted.includes(payment.pk)) continue;
    if (status === 'cancelled' && payment.amountOver === payment.amount) continue;
    const wasRefused = (refunds.get(payment.pk) ?? []).some((refund) => refund.status === 'failed');
    if (payment.amountRefunded !== payment.amount && !wasRefused)
      violations.push(`${pk} does not count ${payment.pk}, which is not refunded`);
  }
  return violations;
}

function paymentViolations(payment: TestItem, refunds: readonly TestItem[]): string[] {
  const { pk, status, amount, amountRefunded, amountReserved, pendingCompensation, pendingRequest } = payment;
  const wasReceived = status === 'completed' || payment.failureCode === 'amount_differs';
  const violations: string[] = [];
  if (status === 'pending') violations.push(`${pk} is still pending`);
  if (amountReserved !== 0) violations.push(`${pk} still has ${amountReserved} reserved`);
  if (pendingCompensation) violations.push(`${pk} still needs a compensation (${pendingCompensation})`);
  if (pendingRequest && status !== 'pending')
    violations.push(`${pk} is ${status}, but its request still has no response`);
  const processed = sumOfAmounts(refunds.filter((refund) => refund.status === 'processed'));
  if (processed !== amountRefunded)
    violations.push(`${pk} has ${amountRefunded} refunded, but its processed refunds add up to ${processed}`);
  if (amountRefunded > (wasReceived ? amount : 0))
    violations.push(`${pk} is ${status} over ${amount}, but ${amountRefunded} of it is refunded`);
  return violations;
}

/** Checks that the payments that use the credit of a payment are those that it names, and that no money is used or returned twice. */
function creditViolations(payment: TestItem, payments: readonly TestItem[]): string[] {
  const { pk, amount, amountOver = 0, amountRefunded, creditUses = [] } = payment;
  const users = payments.filter(({ creditFrom, voidedAt }) => creditFrom === pk && !voidedAt);
  const shown = (each: readonly (readonly [string, number])[]) => each.map(String).sort().join();
  const named = shown(
    creditUses.map((use: { paymentId: string; amount: number }) => [use.paymentId, use.amount]),
  );
  const used = shown(users.map((user) => [user.pk, user.amount]));
  const sum = sumOfAmounts(creditUses);
  const violations: string[] = [];
  if (named !== used) violations.push(`${pk} names the uses ${named}, and there are ${used}`);
  if (sum > amountOver) violations.push(`${pk} gives ${sum} of ${amountOver}`);
  if (sum + amountRefunded > amount)
    violations.push(`${pk} gives ${sum} and returns ${amountRefunded} of ${amount}`);
  return violations;
}

/** Checks that items name exactly the payments that still have credit, besides what is refunded. */
function namedCreditViolations(
  all: readonly TestItem[],
  owner: string,
  payments: readonly TestItem[],
): string[] {
  const named = all.filter(({ pk }) => pk === `CREDITS#${owner}`).map(({ id }) => String(id));
  const expected = payments
    .filter(
      ({ voidedAt, amountOver = 0, creditUses = [] }) => !voidedAt && amountOver > sumOfAmounts(creditUses),
    )
    .map(({ pk }) => pk);
  const [one, other] = [named.toSorted().join(), expected.toSorted().join()];
  return one === other ? [] : [`the payments ${one} are named as credit, expected ${other}`];
}

/** Checks a payment and its refunds against the captures and refunds of the provider. */
function providerViolations(
  { pk, status, method, amount, amountRefunded }: TestItem,
  providerItems: ReadonlyMap<string, TestItem>,
  refunds: readonly TestItem[],
): string[] {
  const doneAmount = (item: TestItem | undefined, operation: string): number =>
    item?.request.operation === operation && item.outcome.kind === 'done' ? item.request.amountMinor : 0;
  const captured = doneAmount(providerItems.get(pk), 'capture');
  const refundKeys = [...refunds.map((refund) => refund.pk), `${pk}:reversal`];
  const refunded = refundKeys.reduce((total, key) => total + doneAmount(providerItems.get(key), 'refund'), 0);
  const kept = method === 'card' && status === 'completed' ? amount - amountRefunded : 0;
  const violations: string[] = [];
  if (captured - refunded !== kept)
    violations.push(`${pk}: the provider kept ${captured - refunded}, but the records have ${kept}`);
  if (method === 'card' && status === 'completed' && captured !== amount)
    violations.push(`${pk} is completed over ${amount}, but the provider captured ${captured}`);
  // The books of a hosted provider are those of its double.
  if (isImmediate(method) || method === 'provider') return violations;
  for (const refund of refunds) {
    const actual = doneAmount(providerItems.get(refund.pk), 'refund');
    const expected = refund.status === 'processed' ? refund.amount : 0;
    if (actual !== expected)
      violations.push(`${refund.pk} is ${refund.status}, but the provider refunded ${actual}`);
  }
  return violations;
}

/** Checks that the provider has no key without a record. */
function unknownKeyViolations(
  all: readonly TestItem[],
  providerItems: ReadonlyMap<string, TestItem>,
): string[] {
  const records = new Set(all.filter(({ sk }) => sk === 'RECORD').map(({ pk }) => pk));
  return [...providerItems.keys()].flatMap((key) =>
    records.has(key.split(':')[0]) ? [] : [`the provider has the key ${key}, which belongs to no record`],
  );
}

/** The sets of an index page, by status. */
const sets: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  payment: { pending: 'c', failed: 'f', completed: 'p' },
  refund: { pending: 'c', failed: 'f', processed: 'p' },
};

/** Checks that the index pages of all lists have each record, in the sets of the statuses that it has had. */
function pageViolations(
  all: readonly TestItem[],
  owner: string,
  records: Readonly<Record<'payment' | 'refund', readonly TestItem[]>>,
): string[] {
  return (['payment', 'refund'] as const).flatMap((resource) => {
    const prefix = `INDEX#${owner}#${resource}`;
    const expected = new Set<string>();
    for (const { seq, status, filterKeys, method } of records[resource]) {
      const statuses = isImmediate(method) ? [status] : ['pending', status];
      for (const set of statuses.map((name) => sets[resource]?.[name])) {
        for (const filterKey of ['', ...filterKeys]) expected.add(`${prefix}${filterKey} ${set} ${seq}`);
      }
    }
    const pages = all.filter(({ pk }) => pk === prefix || pk.startsWith(`${prefix}#`));
    return indexViolations(pages, expected);
  });
}

const sumOfAmounts = (items: readonly TestItem[]) => items.reduce((total, { amount }) => total + amount, 0);
