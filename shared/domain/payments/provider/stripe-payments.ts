/** Reads sessions, payments and disputes of Stripe. */
import * as v from 'valibot';
import type { CardSummary } from './card.ts';
import type { FailureCode } from './failures.ts';
import {
  type CheckoutRequest,
  type CheckoutState,
  type Dispute,
  isUndecided,
  ProviderCallError,
  type ProviderFees,
  type ReceivedPayment,
} from './hosted-provider.ts';
import { listAll, type StripeCalls } from './stripe-client.ts';

/** The names under which the adapter stores its keys in Stripe's metadata. */
export const stripeMetadata = {
  checkout: 'remit_checkout',
  invoice: 'remit_invoice',
  refund: 'remit_refund',
} as const;

export const metadataSchema = v.nullable(v.record(v.string(), v.string()));

const chargeSchema = v.object({
  created: v.number(),
  amount_refunded: v.number(),
  disputed: v.boolean(),
  balance_transaction: v.nullish(v.string()),
  payment_method_details: v.nullable(
    v.object({
      type: v.string(),
      card: v.optional(v.object({ brand: v.nullable(v.string()), last4: v.nullable(v.string()) })),
    }),
  ),
});

/** A payment intent with its latest charge expanded. */
export const intentSchema = v.object({
  id: v.string(),
  status: v.string(),
  amount_received: v.number(),
  currency: v.string(),
  metadata: metadataSchema,
  last_payment_error: v.nullable(
    v.object({ type: v.string(), code: v.optional(v.string()), decline_code: v.optional(v.string()) }),
  ),
  latest_charge: v.nullable(chargeSchema),
});

/** A session with its payment intent and the latest charge expanded. */
export const sessionSchema = v.object({
  id: v.string(),
  status: v.nullable(v.string()),
  payment_status: v.string(),
  client_reference_id: v.nullable(v.string()),
  payment_intent: v.nullable(intentSchema),
});

type Intent = v.InferOutput<typeof intentSchema>;
type Session = v.InferOutput<typeof sessionSchema>;

/** Returns the state of the checkout of a session. A state that Stripe does not document is in progress. */
export async function readCheckoutState(
  calls: StripeCalls,
  session: Session,
  { key }: CheckoutRequest,
): Promise<CheckoutState> {
  if (session.client_reference_id !== key) {
    throw new ProviderCallError('Stripe: the session belongs to another checkout.');
  }
  const { payment_intent: intent } = session;
  if (session.status === 'open') return { kind: 'open' };
  if (session.status === 'expired') return { kind: 'expired' };
  if (session.status !== 'complete' || !intent) return { kind: 'processing', reason: 'unknown' };
  if (intent.status === 'succeeded') return { kind: 'paid', payment: await readStripePayment(calls, intent) };
  const hasFailed = ['requires_payment_method', 'canceled'].includes(intent.status);
  if (!hasFailed || session.payment_status === 'paid')
    return { kind: 'processing', reason: intent.status === 'processing' ? 'bank' : 'unknown' };
  return { kind: 'refused', code: failureCodeOf(intent) };
}

/** Returns a payment that succeeded, with its dispute. */
export async function readStripePayment(calls: StripeCalls, intent: Intent): Promise<ReceivedPayment> {
  const { id, metadata, amount_received: amountMinor, currency, latest_charge: charge } = intent;
  return {
    reference: id,
    key: metadata?.[stripeMetadata.checkout],
    amountMinor,
    currency: currency.toUpperCase(),
    card: cardOf(charge),
    refundedMinor: charge?.amount_refunded ?? 0,
    fees: undefined,
    dispute: charge?.disputed ? await readDispute(calls, id) : undefined,
  };
}

const balanceTransactionSchema = v.object({
  currency: v.string(),
  fee: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
  net: v.pipe(v.number(), v.safeInteger()),
  fee_details: v.array(v.object({ type: v.string(), amount: v.number() })),
});

/**
 * Returns what Stripe keeps of a payment. Undefined while Stripe does not have the balance transaction, which can be some time
 * after the payment (docs.stripe.com/payments/payment-intents/asynchronous-capture). Null if the key may not read it.
 */
export async function readStripeFees(
  calls: StripeCalls,
  { latest_charge: charge }: Intent,
): Promise<ProviderFees | null | undefined> {
  const id = charge?.balance_transaction;
  if (id == null) return undefined;
  const answer = await calls.get(`/v1/balance_transactions/${encodeURIComponent(id)}`);
  if (!answer.ok) return null;
  const parsed = v.safeParse(balanceTransactionSchema, answer.json);
  if (!parsed.success) return null;
  const { currency, fee: amountMinor, net: netMinor, fee_details: details } = parsed.output;
  const taxMinor = details.reduce((sum, { type, amount }) => (type === 'tax' ? sum + amount : sum), 0);
  return { amountMinor, taxMinor, netMinor, currency: currency.toUpperCase() };
}

const brands: Readonly<Record<string, CardSummary['brand']>> = {
  visa: 'visa',
  mastercard: 'mastercard',
  amex: 'amex',
  rupay: 'rupay',
};

function cardOf(charge: Intent['latest_charge']): CardSummary | null {
  const { brand, last4 } = charge?.payment_method_details?.card ?? {};
  if (!last4 || !/^\d{4}$/.test(last4)) return null;
  return { brand: brands[brand ?? ''] ?? 'unknown', last4 };
}

const failureCodes: Readonly<Record<string, FailureCode>> = {
  insufficient_funds: 'insufficient_funds',
  expired_card: 'expired_card',
  incorrect_cvc: 'incorrect_cvc',
  invalid_cvc: 'incorrect_cvc',
  card_declined: 'card_declined',
};

function failureCodeOf({ last_payment_error: error }: Intent): FailureCode {
  return failureCodes[error?.decline_code ?? ''] ?? failureCodes[error?.code ?? ''] ?? 'processing_error';
}

const disputeSchema = v.object({
  id: v.string(),
  status: v.string(),
  amount: v.number(),
  reason: v.string(),
  is_charge_refundable: v.optional(v.boolean(), false),
  evidence_details: v.nullish(v.object({ due_by: v.nullish(v.number()) })),
});

/** Returns the open dispute of a payment, or else the latest one. */
async function readDispute(calls: StripeCalls, intent: string): Promise<Dispute | undefined> {
  const all = await listAll(calls, '/v1/disputes', { payment_intent: intent }, disputeSchema, 30);
  const disputes = all.map((dispute): Dispute => {
    const dueBy = dispute.evidence_details?.due_by;
    return {
      reference: dispute.id,
      status: disputeStatuses[dispute.status] ?? 'open',
      // "If true, it's still possible to refund the disputed payment" (docs.stripe.com/api/disputes/object).
      isRefundable: dispute.is_charge_refundable,
      amountMinor: dispute.amount,
      reason: dispute.reason,
      respondBy: dueBy == null ? undefined : dueBy * 1000,
    };
  });
  return disputes.find(({ status }) => isUndecided(status)) ?? disputes[0];
}

/** All other statuses of disputes are open. */
const disputeStatuses: Readonly<Record<string, Dispute['status']>> = {
  warning_needs_response: 'inquiry',
  warning_under_review: 'inquiry',
  warning_closed: 'closed',
  won: 'won',
  prevented: 'won',
  lost: 'lost',
};
