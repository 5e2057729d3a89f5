/** Errors must have a reason: what a call was refused for must have been so, at some moment while it ran. */
import { type Call, callName, codeOf, isDone } from './history.ts';
import type { Life, PaymentLife, RefundLife } from './history-lives.ts';
import { afterOf, beforeOf, type Moments } from './history-order.ts';
import { settledPlace } from './history-progress.ts';
import { reservedBetween } from './history-reserved.ts';
import { stateSeen, targetOf } from './history-sights.ts';

/** All that can be a reason. */
export interface Known {
  readonly lives: ReadonlyMap<string, Life>;
  /** By invoice. */
  readonly payments: ReadonlyMap<string, readonly PaymentLife[]>;
  /** By payment. */
  readonly refunds: ReadonlyMap<string, readonly RefundLife[]>;
  readonly momentsOf: (life: Life) => Moments;
}

const finalStates = ['invoice_already_paid', 'invoice_already_cancelled'];
const expectedCodes: Readonly<Record<Call['kind'], readonly string[]>> = {
  create: ['idempotency_key_reused'],
  get: ['invoice_not_found'],
  list: [],
  update: ['idempotency_key_reused', 'invoice_not_pending', 'payment_in_progress', 'invoice_not_found'],
  cancel: ['idempotency_key_reused', 'invoice_not_found', ...finalStates],
  pay: ['idempotency_key_reused', 'payment_in_progress', 'invalid_amount', 'invalid_invoice', ...finalStates],
  'get payment': ['payment_not_found'],
  'list payments': [],
  refund: ['idempotency_key_reused', 'payment_not_refundable', 'refund_exceeds_payment', 'invalid_payment'],
  'get refund': ['refund_not_found'],
  'list refunds': [],
};

export function reasonFaults(call: Call, known: Known): string[] {
  if (!call.answer) return [];
  const name = callName(call);
  const code = codeOf(call);
  const certain = certainError(call);
  if (certain)
    return code === certain ? [] : [`${name} was to be ${certain}, and answered ${call.answer.text}`];
  if (isDone(call)) return [];
  if (!expectedCodes[call.kind].includes(code)) return [`${name} was answered ${call.answer.status} ${code}`];
  if (code === 'idempotency_key_reused' || code.endsWith('_not_found')) return [];
  const life = known.lives.get(targetOf(call) ?? '');
  if (!life) return code.startsWith('invalid_') ? [] : [`${name} was answered ${code} of what never was`];
  return hasReason(call, code, life, known)
    ? []
    : [`${name} was answered ${code}, which ${life.id} (${life.name}) never was while it ran`];
}

/** What the request is refused for whatever the state is. */
function certainError({ body, kind, owner }: Call): string | undefined {
  if (body?.amount === 0) return 'invalid_amount';
  if (kind === 'pay' && body?.method === 'card' && owner.endsWith('#live')) return 'card_data_not_accepted';
  return undefined;
}

function hasReason(call: Call, code: string, life: Life, known: Known): boolean {
  switch (code) {
    case 'payment_in_progress':
      return isInProgress(call, known);
    case 'invalid_amount':
      return hadOtherAmount(call, life, known.momentsOf(life));
    case 'refund_exceeds_payment':
      return wasExceeded(call, life as PaymentLife, known);
    case 'payment_not_refundable':
      return life.states.some(({ shown }) => shown.status !== 'completed');
    case 'invalid_invoice':
    case 'invalid_payment':
      // That it was not there is a sight, which the order judges.
      return true;
    default:
      return (stateSeen(call, life) ?? 0) > 0;
  }
}

function isInProgress({ invoice, begin, end }: Call, { payments, momentsOf }: Known): boolean {
  return (payments.get(invoice ?? '') ?? []).some(
    (payment) =>
      payment.states[0]?.shown.status === 'pending' &&
      afterOf({ moments: momentsOf(payment), version: 1 }) < end &&
      beforeOf(settledPlace(payment, momentsOf)) > begin,
  );
}

function hadOtherAmount({ body, begin, end }: Call, { states }: Life, moments: Moments): boolean {
  return states.some(
    ({ shown }, index) =>
      shown.amount !== body?.amount &&
      afterOf({ moments, version: index + 1 }) < end &&
      beforeOf({ moments, version: index + 2 }) > begin,
  );
}

function wasExceeded({ body, begin, end }: Call, payment: PaymentLife, known: Known): boolean {
  const whole = payment.states[0]?.shown.amount ?? 0;
  const refunds = known.refunds.get(payment.id) ?? [];
  const { most } = reservedBetween(payment, refunds, known.momentsOf, { from: begin, to: end });
  const left = whole - most;
  return left <= 0 || Number(body?.amount ?? 0) > left;
}
