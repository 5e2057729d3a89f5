/**
 * Finds the cause of each version of each payment and refund: an operation of a client, the test provider's delay, or
 * the service itself when it refunds a payment that completed after its invoice was cancelled.
 */
import type { History } from './history.ts';
import { assignOperations, causedByClock } from './invoice-state-machine.ts';
import type { Cause } from './linearization.ts';
import { describeOperation, type Operation } from './operations.ts';
import type { PaymentTimeline, RefundTimeline } from './timelines.ts';

export interface AssignedCauses {
  /** The causes of each record's versions, by record id. */
  readonly causes: Map<string, Cause[]>;
  /** The operation that created the record, by record id. */
  readonly creators: Map<string, Operation>;
  readonly violations: string[];
}

/** How long the test provider takes to settle with a card that settles later. */
const settlingMs = 3_000;
/** The service gives a payment up only when it is at least this old. */
const abandonedAfterMs = 60_000;

const unboundedCause: Cause = { earliestStart: 0, latestStart: 0, description: 'its creation started' };

export function assignPaymentCauses(
  payments: readonly PaymentTimeline[],
  operations: readonly Operation[],
  history: History,
): AssignedCauses {
  const causes = new Map<string, Cause[]>();
  const creators = new Map<string, Operation>();
  const violations: string[] = [];
  const payOperations = operations.filter(({ first }) => first.kind === 'pay');
  const byInvoice = Map.groupBy(payOperations, ({ first }) => first.invoice ?? '');
  const invoiceIdOf = ({ versions }: PaymentTimeline) => versions[0]?.snapshot.invoiceId ?? '';
  for (const [invoice, own] of Map.groupBy(payments, invoiceIdOf)) {
    const candidates = own.map((payment) =>
      (byInvoice.get(invoice) ?? []).filter((operation) => canHaveCreatedPayment(operation, payment)),
    );
    const assigned = assignOperations(candidates);
    own.forEach((payment, index) => {
      const creator = assigned[index];
      if (creator) creators.set(payment.id, creator);
      else violations.push(`${payment.id} (${payment.label}): no operation made it`);
      const laterVersions = payment.versions.slice(1);
      causes.set(payment.id, [
        causeOfCreation(candidates[index] ?? [], creator),
        ...laterVersions.map((_, later) => causeOfLaterVersion(payment, later, history)),
      ]);
    });
  }
  violations.push(
    ...lostOperationViolations(payOperations, creators),
    ...payments.flatMap(outcomeViolations),
  );
  return { causes, creators, violations };
}

/** Each refund operation has a reason of its own. Compensations have the service's reason. */
export function assignRefundCauses(
  refunds: readonly RefundTimeline[],
  operations: readonly Operation[],
  payments: ReadonlyMap<string, PaymentTimeline>,
  history: History,
): AssignedCauses {
  const causes = new Map<string, Cause[]>();
  const creators = new Map<string, Operation>();
  const violations: string[] = [];
  const refundOperations = operations.filter(({ first }) => first.kind === 'refund');
  const byReason = Map.groupBy(refundOperations, ({ first }) => String(first.body?.reason));
  for (const refund of refunds) {
    const { id, label, versions } = refund;
    const [initial, outcome] = versions;
    const candidates = (byReason.get(label) ?? []).filter((operation) =>
      canHaveCreatedRefund(operation, refund),
    );
    const [creator] = candidates;
    if (creator && [...creators.values()].includes(creator))
      violations.push(`${describeOperation(creator)} took effect twice`);
    if (creator) creators.set(id, creator);
    else if (!isCompensation(refund)) violations.push(`${id} (${label}): no operation made it`);
    const card = payments.get(initial?.snapshot.paymentId ?? '')?.versions[0]?.snapshot.card?.last4;
    const hasFailed = outcome?.snapshot.status === 'failed';
    if (outcome && hasFailed !== (card === cardWhoseRefundsFail)) {
      violations.push(
        `${id} (${label}) is ${outcome.snapshot.status}, which the card ${card} does not lead to`,
      );
    }
    const causeOfOutcome = hasFailed
      ? causedByClock(creationTimeOf(refund) + settlingMs, history)
      : unboundedCause;
    causes.set(id, [causeOfCreation(candidates, creator), ...(outcome ? [causeOfOutcome] : [])]);
  }
  violations.push(...lostOperationViolations(refundOperations, creators));
  return { causes, creators, violations };
}

const compensationReason = 'The invoice was cancelled while the payment was in progress.';

/** Whether the service made the refund by itself. */
export const isCompensation = ({ label }: RefundTimeline): boolean => label === compensationReason;

function causeOfCreation(candidates: readonly Operation[], creator: Operation | undefined): Cause {
  if (!creator) return { earliestStart: 0, latestStart: 0, description: 'the service started' };
  const starts = candidates.map(({ start }) => start);
  return {
    earliestStart: Math.min(...starts),
    latestStart: Math.max(...starts),
    description: `${describeOperation(creator)} started`,
  };
}

const creationTimeOf = ({ versions }: PaymentTimeline | RefundTimeline) =>
  Date.parse(versions[0]?.snapshot.createdAt ?? '');

/**
 * Returns the cause of version `later + 2` of a payment. A version that a refund made is unbounded here, because the
 * refund's own timeline bounds it.
 */
function causeOfLaterVersion(payment: PaymentTimeline, later: number, history: History): Cause {
  const { snapshot } = payment.versions[later + 1] ?? {};
  if (snapshot?.failureCode === 'processing_error' && cardOf(payment) !== cardWithProcessingError) {
    return causedByClock(creationTimeOf(payment) + abandonedAfterMs, history);
  }
  if (later === 0 && cardOf(payment) === cardThatSettlesLater)
    return causedByClock(creationTimeOf(payment) + settlingMs, history);
  return unboundedCause;
}

/** The last four digits of test cards. */
const declinedCard = '0002';
const cardThatSettlesLater = '0077';
const cardWithProcessingError = '0119';
const cardWhoseRefundsFail = '5126';

const cardOf = ({ versions }: PaymentTimeline) => versions[0]?.snapshot.card?.last4;

/**
 * Checks that payments with the declined card fail and that others complete. A payment that the service gave up before
 * the provider received it may fail with any card.
 */
function outcomeViolations(payment: PaymentTimeline): string[] {
  const outcome = payment.versions.find(({ snapshot }) => snapshot.status !== 'pending')?.snapshot;
  if (!outcome || outcome.failureCode === 'processing_error') return [];
  const isDeclined = cardOf(payment) === declinedCard;
  if (isDeclined === (outcome.status === 'failed')) return [];
  const name = `${payment.id} (${payment.label})`;
  const outcomeText = outcome.failureCode ? `${outcome.status} ${outcome.failureCode}` : outcome.status;
  return [`${name} is ${outcomeText}, which the card ${cardOf(payment)} does not lead to`];
}

function canHaveCreatedPayment(
  { first, outcome, responseText }: Operation,
  { id, versions }: PaymentTimeline,
): boolean {
  const initial = versions[0]?.snapshot;
  if (outcome === 'refused' || !initial) return false;
  if (responseText !== undefined) return JSON.parse(responseText).id === id;
  const { method, reference, card, amount } = first.body ?? {};
  const number = (card as { number?: string } | undefined)?.number;
  return (
    method === initial.method &&
    (reference ?? null) === initial.reference &&
    number?.slice(-4) === initial.card?.last4 &&
    (amount ?? initial.amount) === initial.amount
  );
}

function canHaveCreatedRefund(
  { first, outcome, responseText }: Operation,
  { id, versions }: RefundTimeline,
): boolean {
  const initial = versions[0]?.snapshot;
  if (outcome === 'refused' || !initial || first.payment !== initial.paymentId) return false;
  if (responseText !== undefined) return JSON.parse(responseText).id === id;
  return (first.body?.amount ?? initial.amount) === initial.amount;
}

/** Each successful operation must have created a record that no other operation created. */
function lostOperationViolations(
  operations: readonly Operation[],
  creators: ReadonlyMap<string, Operation>,
): string[] {
  const effective = new Set(creators.values());
  return operations.flatMap((operation) =>
    operation.outcome !== 'succeeded' || effective.has(operation)
      ? []
      : [
          `${describeOperation(operation)} succeeded with ${operation.responseText}, but its effect is lost, or it had no effect of its own`,
        ],
  );
}
