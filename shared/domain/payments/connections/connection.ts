/** Defines the connection of an account and mode to a hosted provider. */
import type { Owner } from '../../../base/ids.ts';
import { type Currency, formatAmount, maxAmount } from '../../../base/money.ts';
import type { Instant } from '../../../base/time.ts';
import { takesAmount } from '../provider/amount-limits.ts';
import type { HostedProviderName } from '../provider/hosted-provider.ts';

/** Largest amounts of one payment, in the smallest unit of each currency. */
export type MaximumAmounts = Readonly<Partial<Record<Currency, number>>>;

/** A connection, without its credentials. An account and mode has at most one for each provider. */
export interface Connection extends Owner {
  readonly provider: HostedProviderName;
  /** The currencies that the merchant's account at the provider takes. */
  readonly currencies: readonly Currency[];
  /**
   * The largest payment that the merchant's account at the provider takes, in the smallest unit of each currency, as the merchant
   * states it. The provider does not tell it. A currency without one has the published limits of the provider.
   */
  readonly maximumAmounts?: MaximumAmounts | undefined;
  /** The name that the provider has for the merchant's account. */
  readonly accountName: string;
  readonly connectedAt: Instant;
  /** No new checkout begins since then. Refunds and open checkouts of the provider still work. */
  readonly disconnectedAt: Instant | undefined;
}

/** A connection with what people may see of its credentials. */
export interface ConnectionDetails extends Connection {
  /** The id of the merchant's account at the provider, if the credentials reveal it. */
  readonly accountReference: string | undefined;
  /** The last 4 characters of the provider's key. */
  readonly keyLast4: string;
  /** How many notification secrets the service accepts. Two or more during a rotation. */
  readonly notificationSecretCount: number;
  /** When the credentials were last replaced. */
  readonly rotatedAt: Instant;
}

/** Returns the stated maximum amounts as people write them, for example `₹5,00,000.00`. */
export const showMaximumAmounts = ({ currencies, maximumAmounts = {} }: Connection): string[] =>
  currencies.flatMap((currency) => {
    const amount = maximumAmounts[currency];
    return amount === undefined ? [] : [formatAmount(amount, currency)];
  });

/**
 * Returns the connection for a new checkout in a currency: connected, and taking the currency and the amount. Razorpay comes
 * first for Indian rupees, because it offers UPI.
 * @param amountMinor undefined leaves the limits of amounts out
 */
export function connectionFor<
  C extends Pick<ConnectionDetails, 'provider' | 'currencies' | 'maximumAmounts' | 'disconnectedAt'>,
>(connections: readonly C[], currency: Currency, amountMinor?: number): C | undefined {
  const usable = connections.filter(
    ({ provider, currencies, maximumAmounts, disconnectedAt }) =>
      disconnectedAt === undefined &&
      currencies.includes(currency) &&
      (amountMinor === undefined ||
        (takesAmount(provider, currency, amountMinor) &&
          amountMinor <= (maximumAmounts?.[currency] ?? maxAmount))),
  );
  const preferred = currency === 'INR' ? 'razorpay' : 'stripe';
  return usable.find(({ provider }) => provider === preferred) ?? usable[0];
}

/** The attributes of a stored connection that do not contain its credentials. */
export const connectionAttributes = [
  'pk',
  'sk',
  'currencies',
  'maximumAmounts',
  'accountName',
  'accountReference',
  'connectedAt',
  'disconnectedAt',
  'keyLast4',
  'notificationSecretCount',
  'rotatedAt',
] as const;
