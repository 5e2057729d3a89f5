/** Shows the refunds, disputes and balance transactions of the Stripe double as the objects of Stripe's interface. */
import { type DisputeState, type IntentState, isRefundable, type RefundState } from './state.ts';

export function showStripeRefund(refund: RefundState): object {
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

export function showStripeDispute(dispute: DisputeState): object {
  const { intent } = dispute;
  return {
    id: dispute.id,
    object: 'dispute',
    amount: dispute.amount,
    balance_transactions: [],
    charge: intent.charge?.id ?? '',
    created: dispute.created,
    currency: intent.session.currency,
    evidence_details: {
      due_by: dispute.created + 7 * 86_400,
      enhanced_eligibility: {},
      has_evidence: false,
      past_due: false,
      submission_count: 0,
      submission_method: 'not_submitted',
    },
    is_charge_refundable: isRefundable(dispute),
    livemode: intent.session.livemode,
    metadata: {},
    payment_intent: intent.id,
    reason: 'fraudulent',
    status: dispute.status,
  };
}

/**
 * Shows the balance transaction of a payment, which has the fee (docs.stripe.com/api/balance_transactions/object).
 * @param country the country of the merchant's account. In India, the fee is taxed.
 */
export function showBalanceTransaction(
  { id, created, session, charge }: IntentState,
  country: string,
): object {
  const { amount, currency } = session;
  const own = Math.round(amount * 0.029) + 30;
  const tax = country === 'IN' ? Math.round(own * 0.18) : 0;
  const detail = (type: string, part: number) => ({
    amount: part,
    application: null,
    currency,
    description: null,
    type,
  });
  return {
    id: charge?.balanceTransaction ?? '',
    object: 'balance_transaction',
    amount,
    available_on: created + 2 * 86_400,
    balance_type: 'payments',
    created,
    currency,
    description: null,
    exchange_rate: null,
    fee: own + tax,
    fee_details: [detail('stripe_fee', own), ...(tax > 0 ? [detail('tax', tax)] : [])],
    net: amount - own - tax,
    reporting_category: 'charge',
    source: charge?.id ?? id,
    status: 'pending',
    type: 'charge',
  };
}
