/**
 * Checks that each error response has a reason: the state that it complains about must have existed at some moment
 * while the call ran.
 */
import { describeCall, errorCodeOf, type RecordedCall, wasSuccessful } from './history.ts';
import { type EffectBounds, lowerBoundOf, upperBoundOf } from './linearization.ts';
import { impliedVersion, targetIdOf } from './observations.ts';
import { outcomeVersion } from './payment-rules.ts';
import { reservedDuring } from './refund-limits.ts';
import { amountOf, type PaymentTimeline, type RefundTimeline, type Timeline } from './timelines.ts';

/** The timelines of one owner, in the ways in which the reasons are looked up. */
export interface TimelineIndex {
  /** By record id. */
  readonly timelines: ReadonlyMap<string, Timeline>;
  /** By invoice id. */
  readonly payments: ReadonlyMap<string, readonly PaymentTimeline[]>;
  /** By payment id. */
  readonly refunds: ReadonlyMap<string, readonly RefundTimeline[]>;
  readonly boundsOf: (timeline: Timeline) => EffectBounds;
}

const finalStateErrors = ['invoice_already_paid', 'invoice_already_cancelled'];
/** The error codes that each kind of call may return. */
const allowedErrors: Readonly<Record<RecordedCall['kind'], readonly string[]>> = {
  create: ['idempotency_key_reused'],
  get: ['invoice_not_found'],
  list: [],
  update: ['idempotency_key_reused', 'invoice_not_pending', 'payment_in_progress', 'invoice_not_found'],
  cancel: ['idempotency_key_reused', 'invoice_not_found', ...finalStateErrors],
  replace: ['idempotency_key_reused', 'invoice_not_found', 'payment_in_progress', ...finalStateErrors],
  pay: [
    'idempotency_key_reused',
    'payment_in_progress',
    'invalid_amount',
    'invalid_invoice',
    ...finalStateErrors,
  ],
  'get payment': ['payment_not_found'],
  'list payments': [],
  refund: ['idempotency_key_reused', 'payment_not_refundable', 'refund_exceeds_payment', 'invalid_payment'],
  'get refund': ['refund_not_found'],
  'list refunds': [],
};

/** Returns the violations of one call's error response; none if the call has no response or was successful. */
export function errorReasonViolations(call: RecordedCall, index: TimelineIndex): string[] {
  if (!call.response) return [];
  const name = describeCall(call);
  const code = errorCodeOf(call);
  const required = requiredError(call);
  if (required)
    return code === required
      ? []
      : [`${name} must fail with ${required}, but returned ${call.response.text}`];
  if (wasSuccessful(call)) return [];
  if (!allowedErrors[call.kind].includes(code))
    return [`${name} failed unexpectedly with ${call.response.status} ${code}`];
  // The key's other requests are checked in operations.ts, and that a record did not exist in linearization.ts.
  if (code === 'idempotency_key_reused' || code.endsWith('_not_found')) return [];
  const timeline = index.timelines.get(targetIdOf(call) ?? '');
  if (!timeline)
    return code.startsWith('invalid_') ? [] : [`${name} failed with ${code} for a record that never existed`];
  return hasReason(call, code, timeline, index)
    ? []
    : [
        `${name} failed with ${code}, but there was no reason in ${timeline.id} (${timeline.label}) while it ran`,
      ];
}

/** Returns the error with which the request must fail in every state, if there is one. */
function requiredError({ body, kind, owner }: RecordedCall): string | undefined {
  if (body?.amount === 0) return 'invalid_amount';
  if (kind === 'pay' && body?.method === 'card' && owner.endsWith('#live')) return 'card_data_not_accepted';
  return undefined;
}

function hasReason(call: RecordedCall, code: string, timeline: Timeline, index: TimelineIndex): boolean {
  switch (code) {
    case 'payment_in_progress':
      return hadPaymentInProgress(call, index);
    case 'invalid_amount':
      return hadOtherAmount(call, timeline, index.boundsOf(timeline));
    case 'refund_exceeds_payment':
      return exceededPayment(call, timeline as PaymentTimeline, index);
    case 'payment_not_refundable':
      return timeline.versions.some(({ snapshot }) => snapshot.status !== 'completed');
    case 'invalid_invoice':
    case 'invalid_payment':
      // The error observes that the record did not exist. linearization.ts checks that.
      return true;
    default:
      return (impliedVersion(timeline, call) ?? 0) > 0;
  }
}

function hadPaymentInProgress(
  { invoice, start, end }: RecordedCall,
  { payments, boundsOf }: TimelineIndex,
): boolean {
  return (payments.get(invoice ?? '') ?? []).some(
    (payment) =>
      payment.versions[0]?.snapshot.status === 'pending' &&
      lowerBoundOf({ bounds: boundsOf(payment), version: 1 }) < end &&
      upperBoundOf(outcomeVersion(payment, boundsOf)) > start,
  );
}

function hadOtherAmount(
  { body, start, end }: RecordedCall,
  { versions }: Timeline,
  bounds: EffectBounds,
): boolean {
  return versions.some(
    ({ snapshot }, index) =>
      snapshot.amount !== body?.amount &&
      lowerBoundOf({ bounds, version: index + 1 }) < end &&
      upperBoundOf({ bounds, version: index + 2 }) > start,
  );
}

function exceededPayment(
  { body, start, end }: RecordedCall,
  payment: PaymentTimeline,
  { refunds, boundsOf }: TimelineIndex,
): boolean {
  const ownRefunds = refunds.get(payment.id) ?? [];
  const { max } = reservedDuring(payment, ownRefunds, boundsOf, { from: start, to: end });
  const remaining = amountOf(payment) - max;
  return remaining <= 0 || Number(body?.amount ?? 0) > remaining;
}
