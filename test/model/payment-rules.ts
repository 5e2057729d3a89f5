/**
 * Checks the rules between an invoice, its payments and their refunds.
 *
 * - A payment that completes marks its invoice as paid in the same transaction.
 * - A processed refund changes its payment in the same transaction.
 * - An invoice has at most one payment in progress, and nobody can update the invoice meanwhile.
 * - A compensation returns the whole amount of a payment that completed after its invoice was cancelled.
 */
import {
  type EffectBounds,
  inOneTransaction,
  lowerBoundOf,
  type OrderConstraint,
  upperBoundOf,
  type VersionRef,
} from './linearization.ts';
import { isCompensation } from './payment-causes.ts';
import { amountOf, type PaymentTimeline, type RefundTimeline, type Timeline } from './timelines.ts';

/** An invoice with its payments and their refunds. */
export interface InvoiceGroup {
  readonly invoice: Timeline;
  readonly payments: readonly PaymentTimeline[];
  /** The refunds of each payment, by payment id. Processed refunds come first, in the order of processing. */
  readonly refunds: ReadonlyMap<string, readonly RefundTimeline[]>;
  /** Processed refunds whose rank among the processed refunds of their payment is certain. */
  readonly withKnownRank: ReadonlySet<RefundTimeline>;
}

type BoundsOf = (timeline: Timeline) => EffectBounds;

/** Returns the first version with that status, or a version that never took effect if there is none. */
export function firstVersionWithStatus(timeline: Timeline, status: string, boundsOf: BoundsOf): VersionRef {
  return firstVersionWhere(timeline, (actual) => actual === status, boundsOf);
}

/** Returns the version with the payment's outcome, or a version that never took effect if it is still pending. */
export function outcomeVersion(payment: PaymentTimeline, boundsOf: BoundsOf): VersionRef {
  return firstVersionWhere(payment, (status) => status !== 'pending', boundsOf);
}

function firstVersionWhere(
  timeline: Timeline,
  matches: (status: string) => boolean,
  boundsOf: BoundsOf,
): VersionRef {
  const { versions } = timeline;
  const index = versions.findIndex(({ snapshot }) => matches(snapshot.status));
  return { bounds: boundsOf(timeline), version: index === -1 ? versions.length + 1 : index + 1 };
}

const firstVersion = (timeline: Timeline, boundsOf: BoundsOf): VersionRef => ({
  bounds: boundsOf(timeline),
  version: 1,
});

/** Returns which versions took effect in one transaction, and which ones took effect after others. */
export function orderConstraintsOf(
  { invoice, payments, refunds, withKnownRank }: InvoiceGroup,
  boundsOf: BoundsOf,
): OrderConstraint[] {
  return payments.flatMap((payment) => {
    const constraints: OrderConstraint[] = [
      { earlier: firstVersion(invoice, boundsOf), later: firstVersion(payment, boundsOf) },
    ];
    const ownRefunds = refunds.get(payment.id) ?? [];
    const completed = firstVersionWithStatus(payment, 'completed', boundsOf);
    if (completed.version <= payment.versions.length) {
      const paid = firstVersionWithStatus(invoice, 'paid', boundsOf);
      const cancelled = firstVersionWithStatus(invoice, 'cancelled', boundsOf);
      if (paid.version <= invoice.versions.length) constraints.push(...inOneTransaction(completed, paid));
      else if (cancelled.version <= invoice.versions.length)
        constraints.push({ earlier: cancelled, later: completed });
      constraints.push(
        ...ownRefunds.map((refund) => ({ earlier: completed, later: firstVersion(refund, boundsOf) })),
      );
    }
    const processed = ownRefunds.filter(({ versions }) => versions[1]?.snapshot.status === 'processed');
    processed.forEach((refund, rank) => {
      if (!withKnownRank.has(refund)) return;
      const version = completed.version + rank + 1;
      constraints.push(
        ...inOneTransaction(
          { bounds: boundsOf(payment), version },
          firstVersionWithStatus(refund, 'processed', boundsOf),
        ),
      );
    });
    return constraints;
  });
}

/** Returns the violations of payments against their invoice and against each other. */
export function paymentRuleViolations(
  { invoice, payments, refunds }: InvoiceGroup,
  boundsOf: BoundsOf,
): string[] {
  const violations: string[] = [];
  const progressOf = (payment: PaymentTimeline): Progress => ({
    begin: firstVersion(payment, boundsOf),
    end: outcomeVersion(payment, boundsOf),
  });
  payments.forEach((payment, index) => {
    const own = progressOf(payment);
    if (!fitsInvoice(invoice, payment, own, boundsOf)) {
      violations.push(
        `${payment.id} (${payment.label}) is over ${amountOf(payment)}, but the invoice never had that amount, unchanged while the payment was in progress`,
      );
    }
    for (const other of payments.slice(index + 1)) {
      const { begin, end } = progressOf(other);
      if (lowerBoundOf(own.end) < upperBoundOf(begin) || lowerBoundOf(end) < upperBoundOf(own.begin))
        continue;
      violations.push(`${payment.id} and ${other.id} of ${invoice.id} were in progress at the same time`);
    }
    violations.push(...refundRuleViolations(payment, refunds.get(payment.id) ?? [], invoice));
  });
  return violations;
}

/** The versions between which a payment was in progress. */
interface Progress {
  readonly begin: VersionRef;
  readonly end: VersionRef;
}

/**
 * Whether some version of the invoice had the payment's amount, could be paid, and could stay current until the payment
 * had an outcome.
 */
function fitsInvoice(
  invoice: Timeline,
  payment: PaymentTimeline,
  { begin, end }: Progress,
  boundsOf: BoundsOf,
): boolean {
  const bounds = boundsOf(invoice);
  return invoice.versions.some(({ snapshot }, index) => {
    if (snapshot.amount !== amountOf(payment)) return false;
    // If the payment completes at once, it takes effect together with the invoice version after this one.
    if (snapshot.status !== 'pending' && snapshot.status !== 'overdue') return false;
    const current = { bounds, version: index + 1 };
    const next = { bounds, version: index + 2 };
    const earliest = Math.max(lowerBoundOf(current), lowerBoundOf(begin));
    if (earliest >= Math.min(upperBoundOf(next), upperBoundOf(begin))) return false;
    const isUpdatedNext = invoice.versions[index + 1]?.change === 'invoice.updated';
    return !isUpdatedNext || lowerBoundOf(end) < upperBoundOf(next);
  });
}

function refundRuleViolations(
  payment: PaymentTimeline,
  refunds: readonly RefundTimeline[],
  invoice: Timeline,
): string[] {
  const violations: string[] = [];
  const isCancelled = invoice.versions.some(({ snapshot }) => snapshot.status === 'cancelled');
  const compensations = refunds.filter(isCompensation);
  if (compensations.length > 1)
    violations.push(`${payment.id} has ${compensations.length} compensations, expected one at most`);
  for (const refund of compensations) {
    if (!isCancelled)
      violations.push(`${refund.id} is a compensation, but the invoice ${invoice.id} was not cancelled`);
    if (amountOf(refund) !== amountOf(payment))
      violations.push(`${refund.id} is a compensation, but does not return the whole amount`);
  }
  const isCompleted = payment.versions.some(({ snapshot }) => snapshot.status === 'completed');
  if (refunds.length > 0 && !isCompleted)
    violations.push(`${payment.id} has refunds, but was never completed`);
  return violations;
}
