/** Creates the adapters of the providers with a hosted checkout. */
import { env } from '../../../base/env.ts';
import type { HostedProvider, HostedProviderName, ProviderCredentials } from './hosted-provider.ts';
import { createRazorpayProvider } from './razorpay.ts';
import { createStripeProvider } from './stripe.ts';

/**
 * Creates the adapter of a provider for the credentials of a merchant.
 * @param options `timeoutMs` limits each operation. The default is 8 seconds, as a request needs it. `country` is that of the
 *   merchant's account at the provider.
 */
export function hostedProviderFor(
  name: HostedProviderName,
  credentials: ProviderCredentials,
  { country, ...options }: { readonly timeoutMs?: number; readonly country?: string | undefined } = {},
): HostedProvider {
  if (name === 'stripe') {
    return createStripeProvider(credentials, {
      baseUrl: env.stripeApiUrl() ?? 'https://api.stripe.com',
      country,
      ...options,
    });
  }
  return createRazorpayProvider(credentials, {
    baseUrl: env.razorpayApiUrl() ?? 'https://api.razorpay.com',
    ...options,
  });
}
