/** Defines where the doubles of the payment providers run. */
import type { HostedProviderName } from '../../shared/domain/payments/provider/hosted-provider.ts';

/** The base URLs of the doubles, as in `.local/stack.json`. */
export type DoubleUrls = Readonly<Record<HostedProviderName, string>>;

/** Returns the environment variables that lead the adapters to the doubles. */
export function doubleVariables({ stripe, razorpay }: DoubleUrls): Record<string, string> {
  return { STRIPE_API_URL: stripe, RAZORPAY_API_URL: razorpay };
}
