/** Defines the checkout: what the service stores about a payer's visit to the page of a provider. */
import type { Currency } from '../../../base/money.ts';
import type { Instant } from '../../../base/time.ts';
import type { RecordBase } from '../../../store/records.ts';
import type { CheckoutRequest, HostedProviderName } from '../provider/hosted-provider.ts';

/** A checkout as the service stores it. Its id is also the provider's key. Clients never see it. */
export interface Checkout extends RecordBase {
  readonly status: 'open' | 'completed' | 'expired' | 'voided';
  readonly provider: HostedProviderName;
  readonly invoiceId: string;
  /** The version of the invoice that the payer saw, see `contentVersionOf`. */
  readonly contentVersion: number;
  /** In the smallest unit of the currency. */
  readonly amount: number;
  readonly currency: Currency;
  /** Empty once the checkout has ended, because the description can contain personal data. */
  readonly description: string;
  /** The customer of the invoice, if it is an e-mail address. Undefined once the checkout has ended. */
  readonly customerEmail?: string | undefined;
  readonly returnUrl: string;
  readonly createdAt: Instant;
  /** When the provider must have ended it, in milliseconds. The record itself is kept. */
  readonly openUntil: Instant;
  /** The id of the checkout at the provider. Undefined until the answer to `begin` is stored. */
  readonly reference?: string | undefined;
  /** The page of the provider. */
  readonly redirectUrl?: string | undefined;
  /** The payment that the checkout made. It is pending until the checkout is completed. */
  readonly paymentId?: string | undefined;
  /** The provider reported another currency or key, so the payment was not accepted. */
  readonly hasMismatch?: true | undefined;
}

/** The name under which a payment or a refund is found by its reference at the provider. Its key says which of them. */
export interface ProviderReferenceName extends RecordBase {
  readonly status: 'named';
  /** The id of the payment or of the refund. */
  readonly record: string;
}

/** How long the payer can pay. Providers accept 30 to 60 minutes, so half an hour is left to repeat a lost `begin`. */
export const checkoutMs = 60 * 60_000;

/** Returns the request of a checkout as every call to the provider sends it. */
export function requestOf(checkout: Checkout): CheckoutRequest {
  const { id: key, invoiceId, amount: amountMinor, currency, description, customerEmail } = checkout;
  const { returnUrl, createdAt, openUntil } = checkout;
  return {
    key,
    invoiceId,
    amountMinor,
    currency,
    description,
    customerEmail,
    returnUrl,
    createdAt,
    expiresAt: openUntil,
  };
}
