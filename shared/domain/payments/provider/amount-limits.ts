/** States the amounts that the providers take in one payment. Pure. */
import { type Currency, maxAmount } from '../../../base/money.ts';
import type { HostedProviderName } from './hosted-provider.ts';

/** The smallest and the largest amount of a payment, in the smallest unit of its currency. */
export interface AmountLimits {
  readonly smallest: number;
  readonly largest: number;
}

/**
 * The published limits. The merchant's account can have narrower ones: a provider then refuses the checkout.
 *
 * - Stripe: docs.stripe.com/currencies#minimum-and-maximum-charge-amounts. If the account settles in another currency, the
 *   smallest amount is that of the other currency, converted.
 * - Razorpay: razorpay.com/docs/api/payments/payment-links/create-standard. It publishes no largest amount for all accounts, so the
 *   largest one of an invoice applies.
 */
const limits: Readonly<Record<HostedProviderName, Partial<Record<Currency, AmountLimits>>>> = {
  stripe: {
    USD: { smallest: 50, largest: 99_999_999 },
    INR: { smallest: 50, largest: 999_999_999 },
  },
  razorpay: { INR: { smallest: 100, largest: maxAmount } },
};

/** Returns the published limits of a provider for a currency. Undefined if it does not take the currency. */
export const amountLimitsOf = (provider: HostedProviderName, currency: Currency): AmountLimits | undefined =>
  limits[provider][currency];

/** Whether a provider takes payments of an amount. `false` is certain; with `true`, the merchant's account can still refuse it. */
export function takesAmount(provider: HostedProviderName, currency: Currency, amountMinor: number): boolean {
  const range = amountLimitsOf(provider, currency);
  return range !== undefined && amountMinor >= range.smallest && amountMinor <= range.largest;
}
