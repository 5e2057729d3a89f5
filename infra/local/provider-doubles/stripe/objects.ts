/** Shows the state of the Stripe double as the objects of Stripe's interface (docs.stripe.com/api). */
import type { ChargeState, IntentState, SessionState } from './state.ts';
import { amountLeft } from './state.ts';

/** Which references are shown as objects: the paths of `expand`. */
export type Expand = ReadonlySet<string>;

const none: Expand = new Set();

/** Returns the paths below `name`, or undefined if `name` itself is not expanded. */
function below(expand: Expand, name: string): Expand | undefined {
  const inner = [...expand]
    .filter((path) => path.startsWith(`${name}.`))
    .map((path) => path.slice(name.length + 1));
  return expand.has(name) || inner.length > 0 ? new Set(inner) : undefined;
}

/** @param pageUrl where the payer pays, while the session is open */
export function showStripeSession(session: SessionState, pageUrl: string, expand: Expand = none): object {
  const { intent } = session;
  const inIntent = below(expand, 'payment_intent');
  return {
    id: session.id,
    object: 'checkout.session',
    adaptive_pricing: session.adaptivePricing === null ? null : { enabled: session.adaptivePricing },
    after_expiration: null,
    allow_promotion_codes: null,
    allowed_payment_method_types: null,
    amount_subtotal: session.amount,
    amount_total: session.amount,
    automatic_tax: { enabled: false, liability: null, provider: null, status: null },
    billing_address_collection: session.billingAddressCollection,
    cancel_url: session.cancelUrl,
    client_reference_id: session.clientReferenceId,
    client_secret: null,
    collected_information: null,
    consent: null,
    consent_collection: null,
    created: session.created,
    currency: session.currency,
    currency_conversion: null,
    custom_fields: [],
    custom_text: {
      after_submit: null,
      shipping_address: null,
      submit: null,
      terms_of_service_acceptance: null,
    },
    customer: null,
    customer_account: null,
    customer_creation: 'if_required',
    customer_details: null,
    customer_email: session.customerEmail,
    discounts: [],
    expires_at: session.expiresAt,
    integration_identifier: null,
    invoice: null,
    invoice_creation: null,
    livemode: session.livemode,
    locale: null,
    managed_payments: null,
    metadata: { ...session.metadata },
    mode: 'payment',
    origin_context: null,
    payment_intent: !intent ? null : inIntent ? showStripeIntent(intent, inIntent) : intent.id,
    payment_link: null,
    payment_method_collection: 'if_required',
    payment_method_configuration_details: null,
    payment_method_options: {},
    payment_method_types: ['card', 'us_bank_account'],
    payment_status: session.paymentStatus,
    permissions: null,
    recovered_from: null,
    saved_payment_method_options: null,
    setup_intent: null,
    shipping_address_collection: null,
    shipping_cost: null,
    shipping_options: [],
    status: session.status,
    submit_type: null,
    subscription: null,
    success_url: session.successUrl,
    total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 0 },
    ui_mode: 'hosted_page',
    url: session.status === 'open' ? pageUrl : null,
    wallet_options: null,
  };
}

export function showStripeIntent(intent: IntentState, expand: Expand = none): object {
  const { session, charge, lastError } = intent;
  const inCharge = below(expand, 'latest_charge');
  return {
    id: intent.id,
    object: 'payment_intent',
    allowed_payment_method_types: null,
    amount: session.amount,
    amount_capturable: 0,
    amount_received: intent.status === 'succeeded' ? session.amount : 0,
    application: null,
    application_fee_amount: null,
    automatic_payment_methods: null,
    canceled_at: null,
    cancellation_reason: null,
    capture_method: 'automatic_async',
    client_secret: null,
    confirmation_method: 'automatic',
    created: intent.created,
    currency: session.currency,
    customer: null,
    customer_account: null,
    description: session.intentDescription,
    excluded_payment_method_types: null,
    last_payment_error: lastError
      ? {
          type: 'card_error',
          code: lastError.code,
          ...(lastError.declineCode !== null && { decline_code: lastError.declineCode }),
          message: lastError.message,
        }
      : null,
    latest_charge: !charge ? null : inCharge ? showCharge(intent, charge) : charge.id,
    livemode: session.livemode,
    managed_payments: null,
    metadata: { ...session.intentMetadata },
    next_action: null,
    on_behalf_of: null,
    payment_method: null,
    payment_method_configuration_details: null,
    payment_method_options: {},
    payment_method_types: ['card', 'us_bank_account'],
    payment_record: null,
    processing: null,
    receipt_email: null,
    review: null,
    setup_future_usage: null,
    shipping: null,
    source: null,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
    status: intent.status,
    transfer_group: null,
  };
}

/** Shows the latest charge of a payment. */
export function showStripeCharge(intent: IntentState): object {
  if (!intent.charge) throw new Error(`${intent.id} has no charge.`);
  return showCharge(intent, intent.charge);
}

function showCharge(intent: IntentState, charge: ChargeState): object {
  const { session } = intent;
  const isPaid = charge.status === 'succeeded';
  const refunded = isPaid ? session.amount - amountLeft(intent) : 0;
  return {
    id: charge.id,
    object: 'charge',
    amount: session.amount,
    amount_captured: isPaid ? session.amount : 0,
    amount_refunded: refunded,
    application: null,
    application_fee: null,
    application_fee_amount: null,
    balance_transaction: charge.balanceTransaction,
    billing_details: { address: null, email: null, name: null, phone: null, tax_id: null },
    calculated_statement_descriptor: null,
    captured: isPaid,
    created: charge.created,
    currency: session.currency,
    customer: null,
    description: session.intentDescription,
    disputed: charge.dispute !== undefined,
    failure_balance_transaction: null,
    failure_code: charge.status === 'failed' ? 'card_declined' : null,
    failure_message: null,
    fraud_details: null,
    livemode: session.livemode,
    metadata: { ...session.intentMetadata },
    on_behalf_of: null,
    outcome: null,
    paid: isPaid,
    payment_intent: intent.id,
    payment_method: null,
    payment_method_details: showMethod(charge),
    receipt_email: null,
    receipt_number: null,
    receipt_url: null,
    refunded: isPaid && refunded === session.amount,
    review: null,
    shipping: null,
    source: null,
    source_transfer: null,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
    status: charge.status,
    transfer_data: null,
    transfer_group: null,
  };
}

function showMethod({ card }: ChargeState): object {
  if (!card) return { type: 'us_bank_account' };
  const { brand, last4 } = card;
  return { type: 'card', card: { brand, last4, network: brand } };
}
