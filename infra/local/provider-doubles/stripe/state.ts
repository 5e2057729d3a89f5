/** Defines the state of the Stripe double. */

/** A session, and the payment intent that the first attempt to pay creates. Times are in seconds since 1970. */
export interface SessionState {
  readonly id: string;
  readonly livemode: boolean;
  readonly created: number;
  readonly expiresAt: number;
  readonly amount: number;
  /** In lower case. */
  readonly currency: string;
  readonly productName: string;
  readonly clientReferenceId: string | null;
  readonly customerEmail: string | null;
  readonly billingAddressCollection: 'auto' | 'required' | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly intentMetadata: Readonly<Record<string, string>>;
  readonly intentDescription: string | null;
  readonly successUrl: string;
  readonly cancelUrl: string | null;
  readonly adaptivePricing: boolean | null;
  status: 'open' | 'complete' | 'expired';
  paymentStatus: 'unpaid' | 'paid';
  intent: IntentState | undefined;
}

export interface IntentState {
  readonly id: string;
  readonly created: number;
  readonly session: SessionState;
  status: 'requires_payment_method' | 'processing' | 'succeeded' | 'canceled';
  lastError:
    | { readonly code: string; readonly declineCode: string | null; readonly message: string }
    | undefined;
  charge: ChargeState | undefined;
}

export interface ChargeState {
  readonly id: string;
  readonly created: number;
  readonly card: { readonly brand: string; readonly last4: string } | undefined;
  status: 'pending' | 'succeeded' | 'failed';
  readonly refunds: RefundState[];
  /**
   * The id of the transaction that has the fees. Stripe makes it some time after the payment
   * (docs.stripe.com/payments/payment-intents/asynchronous-capture).
   */
  balanceTransaction: string | null;
  dispute: DisputeState | undefined;
}

export interface RefundState {
  readonly id: string;
  readonly created: number;
  readonly intent: IntentState;
  readonly amount: number;
  readonly metadata: Readonly<Record<string, string>>;
  status: 'pending' | 'requires_action' | 'succeeded' | 'failed' | 'canceled';
}

export interface DisputeState {
  readonly id: string;
  readonly created: number;
  readonly intent: IntentState;
  readonly amount: number;
  status: 'warning_needs_response' | 'warning_closed' | 'needs_response' | 'under_review' | 'won' | 'lost';
}

/** Whether the payment of a dispute can be refunded: it is an inquiry, or it is won. */
export const isRefundable = ({ status }: DisputeState): boolean =>
  status === 'won' || status.startsWith('warning_');

/** Returns the amount of a payment that is not refunded. Failed and canceled refunds do not count. */
export function amountLeft(intent: IntentState): number {
  const refunds = intent.charge?.refunds.filter(({ status }) => status !== 'failed' && status !== 'canceled');
  return intent.session.amount - (refunds ?? []).reduce((sum, { amount }) => sum + amount, 0);
}
