/**
 * Checks a recorded history against a sequential model of the API.
 *
 * ## What is recorded
 *
 * Random clients call the API concurrently while the fault layer delays, loses and repeats messages and crashes
 * processes. The history has each call with its request, its response, and the positions at which it started and
 * ended. It also has the settings of the service's clock, and the positions at which the system was quiescent: no
 * request ran and no background work was left. When the run is over, the table supplies the stored records: every
 * version that each invoice, payment and refund has had.
 *
 * ## What is checked
 *
 * 1. No lost writes: an operation that a client saw succeed is in the table.
 * 2. No duplicate effects: each operation took effect at most once, also if its calls were repeated with one
 *    idempotency key.
 * 3. No invented effects: each version has a cause.
 * 4. Linearizability: all versions fit into one order in which each call sees a version that was current while the
 *    call ran.
 * 5. Each error response has a reason that was true while the call ran.
 * 6. Lists show all changes that were announced before, and their totals add up.
 *
 * ## Terms
 *
 * - Operation: the calls with one idempotency key and one request, or a single call without a key.
 * - Timeline: all versions of one record.
 * - Cause: what made a version. It is an operation, the clock or the service.
 * - Observation: a call saw that a version was current.
 * - Bounds: the positions between which a version took effect.
 * - Violation: a sentence that says what is wrong. A correct history has none.
 *
 * ## Which file owns which rule
 *
 * - `history.ts` records calls, the clock and quiescence. `operations.ts` groups calls into operations and checks the
 *   responses to repeated calls.
 * - `stored-lifecycles.ts` and `timelines.ts` read the versions from the table and check them for themselves.
 * - `invoice-state-machine.ts` checks the transitions of invoices, and finds the cause of each version.
 *   `payment-causes.ts` does the latter for payments and refunds.
 * - `observations.ts` collects what the calls saw. `linearization.ts` decides whether an order exists.
 * - `payment-rules.ts` checks invoices, payments and refunds against each other. `refund-limits.ts` checks that refunds
 *   never exceed their payment.
 * - `error-reasons.ts` checks error responses.
 * - `list-visibility.ts` decides what a list must show, `list-responses.ts` checks each response, and
 *   `final-lists.ts` adds up the lists that were read after quiescence.
 * - `idempotency-records.ts` and `api-matches-table.ts` check the rest of the table. `audit-run.ts` joins all checks.
 * - `workload.ts` runs the clients: `random-clients.ts`, `random-operations.ts`, `random-endpoints.ts` and
 *   `random-receivers.ts`. `quiescence.ts` advances the clock until no work is left.
 */
import type { VersionedInvoice } from './audit-table.ts';
import { errorReasonViolations } from './error-reasons.ts';
import { finalListViolations } from './final-lists.ts';
import { callKinds, errorCodeOf, type History, readSnapshots, type Snapshot } from './history.ts';
import {
  assignInvoiceCauses,
  creationViolations,
  isCreation,
  transitionViolations,
} from './invoice-state-machine.ts';
import {
  type Cause,
  computeBounds,
  type EffectBounds,
  inOneTransaction,
  lowerBoundOf,
  type OrderConstraint,
  orderViolations,
  propagateBounds,
  upperBoundOf,
} from './linearization.ts';
import { listViolations } from './list-visibility.ts';
import { collectObservations } from './observations.ts';
import {
  describeOperation,
  groupIntoOperations,
  idempotencyKeyViolations,
  type Operation,
} from './operations.ts';
import { assignPaymentCauses, assignRefundCauses } from './payment-causes.ts';
import {
  firstVersionWithStatus,
  type InvoiceGroup,
  orderConstraintsOf,
  paymentRuleViolations,
} from './payment-rules.ts';
import { refundAmountViolations } from './refund-limits.ts';
import type { PaymentSnapshot, StoredLifecycles } from './stored-lifecycles.ts';
import {
  findProcessingOrder,
  type PaymentTimeline,
  type RefundTimeline,
  type Timeline,
  timelineViolations,
  toInvoiceTimeline,
  toPaymentTimeline,
  toRefundTimeline,
} from './timelines.ts';

/** What the table holds of one owner. */
export interface StoredRecords extends StoredLifecycles {
  readonly invoices: readonly VersionedInvoice[];
}

/**
 * Returns all violations of the history, or none if the history is correct.
 *
 * @param storedByOwner by `account#mode`
 */
export function checkHistory(history: History, storedByOwner: ReadonlyMap<string, StoredRecords>): string[] {
  const callsByOwner = Map.groupBy(history.calls, ({ owner }) => owner);
  return [...storedByOwner].flatMap(([owner, stored]) =>
    checkOwner({ ...history, calls: callsByOwner.get(owner) ?? [] }, stored),
  );
}

function checkOwner(history: History, stored: StoredRecords): string[] {
  const { calls } = history;
  const operations = groupIntoOperations(calls);
  const { payments, refunds, withKnownRank } = buildPaymentTimelines(history, stored);
  const invoices = stored.invoices.map(toInvoiceTimeline);
  const all = [...invoices, ...payments, ...refunds];
  const timelines = new Map<string, Timeline>(all.map((timeline) => [timeline.id, timeline]));
  const { observations, violations } = collectObservations(calls, timelines);

  const assigned = assignCauses(history, stored, operations, payments, refunds);
  const bounds = new Map(
    all.map((timeline) => {
      const causes = assigned.causes.get(timeline.id) ?? [];
      const observed = observations.get(timeline.id) ?? [];
      return [timeline.id, computeBounds(timeline, causes, observed, history.quiescentAt)];
    }),
  );
  const boundsOf = (timeline: Timeline) => bounds.get(timeline.id) as EffectBounds;
  const groups = groupByInvoice(invoices, payments, refunds, withKnownRank);
  propagateBounds(
    [...bounds.values()],
    [
      ...groups.flatMap((group) => orderConstraintsOf(group, boundsOf)),
      ...replacementConstraints(operations, timelines, boundsOf),
    ],
  );

  const index = {
    timelines,
    payments: Map.groupBy(payments, invoiceIdOf),
    refunds: Map.groupBy(refunds, paymentIdOf),
    boundsOf,
  };
  return [
    ...idempotencyKeyViolations(operations),
    ...creationViolations(stored.invoices, operations),
    ...violations,
    ...assigned.violations,
    ...calls.flatMap((call) => errorReasonViolations(call, index)),
    ...stored.invoices.flatMap(transitionViolations),
    ...[...payments, ...refunds].flatMap(timelineViolations),
    ...all.flatMap((timeline) => orderViolations(timeline, boundsOf(timeline))),
    ...groups.flatMap((group) => paymentRuleViolations(group, boundsOf)),
    ...payments.flatMap((payment) =>
      refundAmountViolations(payment, index.refunds.get(payment.id) ?? [], assigned.creators, boundsOf),
    ),
    ...ownEffectViolations(assigned.creators, timelines, boundsOf),
    ...listViolations(history, all, operations, boundsOf),
    ...finalListViolations(history, all),
  ];
}

const invoiceIdOf = ({ versions }: PaymentTimeline) => versions[0]?.snapshot.invoiceId ?? '';
const paymentIdOf = ({ versions }: RefundTimeline) => versions[0]?.snapshot.paymentId ?? '';

/** Builds the timelines of payments and refunds. Processed refunds are in the order of their processing. */
function buildPaymentTimelines({ calls, quiescentAt }: History, stored: StoredRecords) {
  const snapshots = calls.flatMap(readSnapshots);
  const snapshotsById = Map.groupBy(snapshots, ({ id }) => id) as unknown as ReadonlyMap<
    string,
    PaymentSnapshot[]
  >;
  const refunds = stored.refunds.map(toRefundTimeline);
  const mustPrecede = processingPrecedence(refunds, calls, quiescentAt);
  const isProcessed = ({ versions }: RefundTimeline) => versions[1]?.snapshot.status === 'processed';
  const refundsByPayment = Map.groupBy(refunds, paymentIdOf);
  const ordered: RefundTimeline[] = [];
  const withKnownRank = new Set<RefundTimeline>();
  const payments = stored.payments.map((lifecycle) => {
    const own = refundsByPayment.get(lifecycle.id) ?? [];
    const shown = [...(snapshotsById.get(lifecycle.id) ?? []), lifecycle.current];
    const found = findProcessingOrder(own.filter(isProcessed), shown, mustPrecede);
    for (const refund of found.withKnownRank) withKnownRank.add(refund);
    ordered.push(...found.order, ...own.filter((refund) => !isProcessed(refund)));
    return toPaymentTimeline(lifecycle, found.order, shown);
  });
  const withoutPayment = refunds.filter((refund) => !ordered.includes(refund));
  return { payments, refunds: [...ordered, ...withoutPayment], withKnownRank };
}

/** Returns a function that says whether one refund must have been processed before another one. */
function processingPrecedence(
  refunds: readonly RefundTimeline[],
  calls: History['calls'],
  quiescentAt: readonly number[],
): (one: RefundTimeline, other: RefundTimeline) => boolean {
  const timelines = new Map<string, Timeline>(refunds.map((refund) => [refund.id, refund]));
  const refundCalls = calls.filter(({ kind }) => callKinds[kind].resource === 'refund');
  const { observations } = collectObservations(refundCalls, timelines);
  const bounds = new Map(
    refunds.map((refund) => [
      refund.id,
      computeBounds(refund, [], observations.get(refund.id) ?? [], quiescentAt),
    ]),
  );
  const processed = (refund: RefundTimeline) =>
    firstVersionWithStatus(refund, 'processed', ({ id }) => bounds.get(id) as EffectBounds);
  return (one, other) => upperBoundOf(processed(one)) <= lowerBoundOf(processed(other));
}

/** Assigns the cause of each version of all records, and the operation that created each payment and refund. */
function assignCauses(
  history: History,
  { invoices }: StoredRecords,
  operations: readonly Operation[],
  payments: readonly PaymentTimeline[],
  refunds: readonly RefundTimeline[],
) {
  const causes = new Map<string, readonly Cause[]>();
  const ofInvoices = operations.filter(({ first: { kind } }) => callKinds[kind].resource === 'invoice');
  const byDescription = Map.groupBy(ofInvoices, ({ first }) => String(first.body?.description ?? ''));
  const byInvoice = Map.groupBy(ofInvoices, ({ first }) => first.invoice ?? '');
  const violations = invoices.flatMap((invoice) => {
    const sameDescription = byDescription.get(invoice.versions[0]?.invoice.description ?? '') ?? [];
    const own = [...sameDescription.filter(isCreation), ...(byInvoice.get(invoice.id) ?? [])];
    const assigned = assignInvoiceCauses(invoice, own, history);
    causes.set(invoice.id, assigned.causes);
    return assigned.violations;
  });
  const paymentsById = new Map(payments.map((payment) => [payment.id, payment]));
  const ofPayments = assignPaymentCauses(payments, operations, history);
  const ofRefunds = assignRefundCauses(refunds, operations, paymentsById, history);
  for (const [id, own] of [...ofPayments.causes, ...ofRefunds.causes]) causes.set(id, own);
  return {
    causes,
    creators: new Map([...ofPayments.creators, ...ofRefunds.creators]),
    violations: [...violations, ...ofPayments.violations, ...ofRefunds.violations],
  };
}

/** The cancellation of a replaced invoice and the creation of the new one are in one transaction. */
function replacementConstraints(
  operations: readonly Operation[],
  timelines: ReadonlyMap<string, Timeline>,
  boundsOf: (timeline: Timeline) => EffectBounds,
): OrderConstraint[] {
  return operations.flatMap(({ first, responseText }) => {
    if (first.kind !== 'replace' || responseText === undefined) return [];
    const replaced = timelines.get(first.invoice ?? '');
    const issued = timelines.get((JSON.parse(responseText) as Snapshot).id);
    if (!replaced || !issued) return [];
    const cancelled = firstVersionWithStatus(replaced, 'cancelled', boundsOf);
    return inOneTransaction(cancelled, { bounds: boundsOf(issued), version: 1 });
  });
}

function groupByInvoice(
  invoices: readonly Timeline[],
  payments: readonly PaymentTimeline[],
  refunds: readonly RefundTimeline[],
  withKnownRank: ReadonlySet<RefundTimeline>,
): InvoiceGroup[] {
  const byInvoice = Map.groupBy(payments, invoiceIdOf);
  const byPayment = Map.groupBy(refunds, paymentIdOf);
  return invoices.map((invoice) => {
    const own = byInvoice.get(invoice.id) ?? [];
    return {
      invoice,
      payments: own,
      refunds: new Map(own.map(({ id }) => [id, byPayment.get(id) ?? []])),
      withKnownRank,
    };
  });
}

/**
 * Checks repeated calls: once an operation has created its record, the service must not refuse a repeated call because
 * of what the operation itself changed.
 */
function ownEffectViolations(
  creators: ReadonlyMap<string, Operation>,
  timelines: ReadonlyMap<string, Timeline>,
  boundsOf: (timeline: Timeline) => EffectBounds,
): string[] {
  return [...creators].flatMap(([id, operation]) => {
    const timeline = timelines.get(id);
    const createdBy = timeline
      ? upperBoundOf({ bounds: boundsOf(timeline), version: 1 })
      : Number.POSITIVE_INFINITY;
    return operation.calls.flatMap((call) =>
      errorCodeOf(call) !== '' && call.start >= createdBy
        ? [
            `${describeOperation(operation)} had created ${id}, but its repeated call ${call.label} was refused with ${errorCodeOf(call)}`,
          ]
        : [],
    );
  });
}
