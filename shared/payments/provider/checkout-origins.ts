/** Lists the origins of the pages on which payers pay. The policy of the payment page allows redirects to them. */
import { env } from '../../env.ts';
import type { HostedProviderName } from './hosted-provider.ts';

const origins: Readonly<Record<HostedProviderName, readonly string[]>> = {
  stripe: ['https://checkout.stripe.com'],
  razorpay: ['https://rzp.io', 'https://api.razorpay.com'],
};

/** Returns the origins of a provider's pages. On the local stack, also the origin of the provider's double. */
export function checkoutOriginsOf(provider: HostedProviderName): readonly string[] {
  const local = provider === 'stripe' ? env.stripeApiUrl() : env.razorpayApiUrl();
  return local === undefined ? origins[provider] : [...origins[provider], new URL(local).origin];
}
