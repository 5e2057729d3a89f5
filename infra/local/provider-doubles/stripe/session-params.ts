/** Validates the parameters of a new checkout session, as far as the double supports them. */
import { doubleId } from '../common/double-id.ts';
import type { DoubleBehavior } from '../common/provider-double.ts';
import { type Form, namesOf, textAt, textsAt } from './form.ts';
import type { SessionState } from './state.ts';
import { invalidRequest } from './stripe-error.ts';

const sessionNames = new Set([
  'adaptive_pricing.enabled',
  'billing_address_collection',
  'cancel_url',
  'client_reference_id',
  'customer_email',
  'expand.*',
  'expires_at',
  'line_items.*.price_data.currency',
  'line_items.*.price_data.product_data.name',
  'line_items.*.price_data.unit_amount',
  'line_items.*.quantity',
  'metadata',
  'mode',
  'payment_intent_data.description',
  'payment_intent_data.metadata',
  'submit_type',
  'success_url',
]);

/**
 * The currencies of the account of the double, each with the smallest and the largest amount
 * (docs.stripe.com/currencies#minimum-and-maximum-charge-amounts).
 */
const limits: Readonly<Record<string, readonly [number, number]>> = {
  usd: [50, 99_999_999],
  inr: [50, 999_999_999],
};

const minSeconds = 30 * 60;
const maxSeconds = 24 * 60 * 60;

/** @throws StripeDoubleError if a parameter is not in `known` */
export function requireKnown(form: Form, known: ReadonlySet<string>): void {
  const unknown = namesOf(form).find((name) => !known.has(name));
  if (unknown === undefined) return;
  throw invalidRequest(`Received unknown parameter: ${unknown}`, unknown, 'parameter_unknown');
}

/** @throws StripeDoubleError if the metadata exceeds the documented limits */
export function checkMetadata(metadata: Readonly<Record<string, string>>, param: string): void {
  const entries = Object.entries(metadata);
  if (entries.length > 50) throw invalidRequest('Metadata can have up to 50 keys.', param);
  for (const [name, value] of entries) {
    if (name.length > 40 || value.length > 500) {
      throw invalidRequest('Metadata keys have up to 40 characters, and values up to 500.', param);
    }
  }
}

function requireText(form: Form, path: string, maxLength: number): string {
  const param = path.replace(/\.([^.]+)/g, '[$1]');
  const text = textAt(form, path);
  if (!text) throw invalidRequest(`Missing required param: ${param}.`, param, 'parameter_missing');
  if (text.length > maxLength) {
    throw invalidRequest(`Invalid string: must be at most ${maxLength} characters.`, param);
  }
  return text;
}

function requireInteger(form: Form, path: string): number {
  const param = path.replace(/\.([^.]+)/g, '[$1]');
  const text = requireText(form, path, 20);
  if (!/^-?\d+$/.test(text))
    throw invalidRequest(`Invalid integer: ${text}`, param, 'parameter_invalid_integer');
  return Number(text);
}

function requireUrl(form: Form, path: string): string {
  const url = requireText(form, path, 5_000);
  if (!URL.canParse(url)) throw invalidRequest('Not a valid URL', path, 'url_invalid');
  return url;
}

/**
 * Returns the session that the parameters describe. It is not stored yet.
 * @param now in seconds since 1970
 * @throws StripeDoubleError
 */
export function readSessionParams(
  form: Form,
  livemode: boolean,
  now: number,
  { maxAmountMinor, takesEmails }: DoubleBehavior,
): SessionState {
  requireKnown(form, sessionNames);
  if (requireText(form, 'mode', 20) !== 'payment') throw invalidRequest('Invalid mode.', 'mode');
  const price = 'line_items.0.price_data';
  const currency = requireText(form, `${price}.currency`, 3).toLowerCase();
  const range = limits[currency];
  if (!range) {
    throw invalidRequest(
      `Invalid currency: ${currency}. Stripe currently supports these currencies: usd, inr`,
      'line_items[0][price_data][currency]',
    );
  }
  const amount = requireInteger(form, `${price}.unit_amount`) * requireInteger(form, 'line_items.0.quantity');
  if (amount < range[0]) {
    throw invalidRequest(`The total must be at least ${range[0]}.`, undefined, 'amount_too_small');
  }
  const largest = maxAmountMinor ?? range[1];
  if (amount > largest) {
    throw invalidRequest(`The total must be no more than ${largest}.`, undefined, 'amount_too_large');
  }
  const customerEmail = textAt(form, 'customer_email') ?? null;
  if (customerEmail !== null && !takesEmails) {
    throw invalidRequest(`Invalid email address: ${customerEmail}`, 'customer_email', 'email_invalid');
  }
  const addresses = textAt(form, 'billing_address_collection') ?? null;
  if (addresses !== null && addresses !== 'auto' && addresses !== 'required') {
    throw invalidRequest('Invalid billing_address_collection.', 'billing_address_collection');
  }
  const expiresAt =
    textAt(form, 'expires_at') === undefined ? now + maxSeconds : requireInteger(form, 'expires_at');
  if (expiresAt < now + minSeconds || expiresAt > now + maxSeconds) {
    throw invalidRequest(
      'The `expires_at` timestamp must be between 30 minutes and 24 hours after Checkout Session creation.',
      'expires_at',
    );
  }
  const clientReferenceId = textAt(form, 'client_reference_id') ?? null;
  if (clientReferenceId !== null && !/^[\w-]{1,200}$/.test(clientReferenceId)) {
    throw invalidRequest('Invalid client_reference_id.', 'client_reference_id');
  }
  const [metadata, intentMetadata] = [
    textsAt(form, 'metadata'),
    textsAt(form, 'payment_intent_data.metadata'),
  ];
  checkMetadata(metadata, 'metadata');
  checkMetadata(intentMetadata, 'payment_intent_data[metadata]');
  const intentDescription = textAt(form, 'payment_intent_data.description');
  return {
    id: doubleId(livemode ? 'cs_live_' : 'cs_test_', 58),
    livemode,
    created: now,
    expiresAt,
    amount,
    currency,
    productName: requireText(form, `${price}.product_data.name`, 250),
    clientReferenceId,
    customerEmail,
    billingAddressCollection: addresses,
    metadata,
    intentMetadata,
    intentDescription:
      intentDescription === undefined ? null : requireText(form, 'payment_intent_data.description', 1_000),
    successUrl: requireUrl(form, 'success_url'),
    cancelUrl: textAt(form, 'cancel_url') === undefined ? null : requireUrl(form, 'cancel_url'),
    adaptivePricing:
      textAt(form, 'adaptive_pricing.enabled') === undefined
        ? null
        : textAt(form, 'adaptive_pricing.enabled') === 'true',
    status: 'open',
    paymentStatus: 'unpaid',
    intent: undefined,
  };
}
