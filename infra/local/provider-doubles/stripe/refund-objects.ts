/** Shows the refunds and disputes of the Stripe double as the objects of Stripe's interface. */
import type Stripe from 'stripe';
import type { Shown } from './objects.ts';
import type { DisputeState, RefundState } from './state.ts';

export function showStripeRefund(refund: RefundState): Shown<Stripe.Refund> {
  const { intent } = refund;
  return {
    id: refund.id,
    object: 'refund',
    amount: refund.amount,
    balance_transaction: null,
    charge: intent.charge?.id ?? null,
    created: refund.created,
    currency: intent.session.currency,
    customer: null,
    customer_account: null,
    ...(refund.status === 'failed' && { failure_reason: 'expired_or_canceled_card' }),
    metadata: { ...refund.metadata },
    payment_intent: intent.id,
    payment_method: null,
    reason: null,
    receipt_number: null,
    source_transfer_reversal: null,
    status: refund.status,
    transfer_reversal: null,
  };
}

export function showStripeDispute(
  dispute: DisputeState,
): Pick<
  Stripe.Dispute,
  | 'id'
  | 'object'
  | 'amount'
  | 'balance_transactions'
  | 'charge'
  | 'created'
  | 'currency'
  | 'is_charge_refundable'
  | 'livemode'
  | 'metadata'
  | 'payment_intent'
  | 'reason'
  | 'status'
> {
  const { intent } = dispute;
  return {
    id: dispute.id,
    object: 'dispute',
    amount: dispute.amount,
    balance_transactions: [],
    charge: intent.charge?.id ?? '',
    created: dispute.created,
    currency: intent.session.currency,
    is_charge_refundable: false,
    livemode: intent.session.livemode,
    metadata: {},
    payment_intent: intent.id,
    reason: 'fraudulent',
    status: dispute.status,
  };
}
