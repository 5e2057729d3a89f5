/**
 * Builds the timeline of each record: all versions that an invoice, payment or refund has had.
 *
 * - The versions come from the table: records and events.
 * - Refunds change the refunded amount of their payment without an event. Those versions of the payment are derived
 *   from the order in which its refunds were processed.
 */
import type { Resource } from '../../shared/base/ids.ts';
import type { VersionedInvoice } from './audit-table.ts';
import type { Snapshot } from './history.ts';
import type { Lifecycle, PaymentSnapshot, RefundSnapshot } from './stored-lifecycles.ts';

/** One version. The snapshot's `updatedAt` is empty if no response has shown this version. */
export interface TimelineVersion<T extends Snapshot = Snapshot> {
  /** What led to this version, such as `invoice.updated` or `payment.completed`. */
  readonly change: string;
  readonly snapshot: T;
}

export interface Timeline<T extends Snapshot = Snapshot> {
  readonly resource: Resource;
  readonly id: string;
  /** The sequence number by which lists are ordered. */
  readonly seq: number;
  /** A name for violation messages. */
  readonly label: string;
  /** Version 1 is at index 0. */
  readonly versions: readonly TimelineVersion<T>[];
}

export type PaymentTimeline = Timeline<PaymentSnapshot>;
export type RefundTimeline = Timeline<RefundSnapshot>;

export function toInvoiceTimeline({ id, seq, versions }: VersionedInvoice): Timeline {
  return {
    resource: 'invoice',
    id,
    seq,
    label: versions[0]?.invoice.description ?? '',
    versions: versions.map(({ eventType, invoice }) => ({ change: eventType, snapshot: invoice })),
  };
}

export function toRefundTimeline({ id, seq, initial, outcome }: Lifecycle<RefundSnapshot>): RefundTimeline {
  const snapshots = [initial, ...(outcome ? [outcome] : [])];
  const versions = snapshots.map(toVersionOf('refund'));
  return { resource: 'refund', id, seq, label: initial.reason ?? '', versions };
}

/**
 * @param processedRefunds the payment's processed refunds, in the order in which they were processed
 * @param shownSnapshots the payment as any response showed it
 */
export function toPaymentTimeline(
  { id, seq, initial, outcome, current }: Lifecycle<PaymentSnapshot>,
  processedRefunds: readonly RefundTimeline[],
  shownSnapshots: readonly PaymentSnapshot[],
): PaymentTimeline {
  const settled = outcome ?? initial;
  const snapshots = [initial, ...(outcome ? [outcome] : [])];
  let amountRefunded = 0;
  for (const refund of processedRefunds) {
    amountRefunded += amountOf(refund);
    const shown = [current, ...shownSnapshots].find((snapshot) => snapshot.amountRefunded === amountRefunded);
    snapshots.push({ ...settled, amountRefunded, updatedAt: shown?.updatedAt ?? '' });
  }
  const label = initial.reference ?? `${initial.card?.last4} for ${initial.invoiceId}`;
  return { resource: 'payment', id, seq, label, versions: snapshots.map(toVersionOf('payment')) };
}

const toVersionOf =
  (resource: Resource) =>
  <T extends Snapshot>(snapshot: T): TimelineVersion<T> => ({
    change: `${resource}.${snapshot.status}`,
    snapshot,
  });

/** If more orders than this are possible, the rank of no refund counts as certain. */
const maxOrders = 1_000;

/**
 * Finds an order in which the refunds of a payment may have been processed. In a valid order
 *
 * - every refunded amount that a response showed occurs as a running total, and
 * - no refund follows another one that must have been processed later.
 *
 * @param shownSnapshots the payment as any response showed it
 * @param mustPrecede whether the first refund must have been processed before the second one
 * @returns one valid order, or any order if none is valid; and the refunds that have the same rank in all valid orders
 */
export function findProcessingOrder(
  refunds: readonly RefundTimeline[],
  shownSnapshots: readonly PaymentSnapshot[],
  mustPrecede: (one: RefundTimeline, other: RefundTimeline) => boolean,
): { readonly order: readonly RefundTimeline[]; readonly withKnownRank: readonly RefundTimeline[] } {
  const shownTotals = shownSnapshots.map(({ amountRefunded }) => amountRefunded);
  const orders: (readonly RefundTimeline[])[] = [];
  const extend = (order: readonly RefundTimeline[], total: number): void => {
    if (order.length === refunds.length) orders.push(order);
    const remaining = refunds.filter((refund) => !order.includes(refund));
    for (const refund of remaining) {
      if (orders.length === maxOrders) return;
      if (remaining.some((other) => other !== refund && mustPrecede(other, refund))) continue;
      const nextTotal = total + amountOf(refund);
      if (shownTotals.some((shown) => shown > total && shown < nextTotal)) continue;
      extend([...order, refund], nextTotal);
    }
  };
  extend([], 0);
  const [order = refunds] = orders;
  const hasKnownRank = (refund: RefundTimeline, rank: number) =>
    orders.every((other) => other[rank] === refund);
  return { order, withKnownRank: orders.length < maxOrders ? order.filter(hasKnownRank) : [] };
}

/** Returns the amount that the record was created with. */
export const amountOf = ({ versions }: Timeline) => versions[0]?.snapshot.amount ?? 0;

/** Returns the violations within the timeline of one payment or refund. */
export function timelineViolations({ id, label, versions }: PaymentTimeline | RefundTimeline): string[] {
  return versions.flatMap(({ snapshot, change }, index) => {
    const violation = (text: string) => [`${id} (${label}), version ${index + 1} (${change}) ${text}`];
    const previous = versions[index - 1]?.snapshot;
    if (!previous)
      return snapshot.createdAt === snapshot.updatedAt ? [] : violation('has updatedAt other than createdAt');
    if (snapshot.updatedAt !== '' && snapshot.updatedAt <= previous.updatedAt)
      return violation('has no later updatedAt than the version before');
    const isRefund = change === 'payment.completed' && previous.status === 'completed';
    if (previous.status !== 'pending' && !isRefund) return violation(`follows status ${previous.status}`);
    const expected = { ...previous, ...pick(snapshot, changeableFields) };
    return JSON.stringify(expected) === JSON.stringify(snapshot)
      ? []
      : violation('changed a field that must not change');
  });
}

const changeableFields = ['status', 'amountRefunded', 'failureCode', 'failureMessage', 'updatedAt'];

const pick = (snapshot: object, names: readonly string[]) =>
  Object.fromEntries(Object.entries(snapshot).filter(([name]) => names.includes(name)));
