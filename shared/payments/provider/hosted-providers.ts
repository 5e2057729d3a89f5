/** Returns the adapter of each hosted provider. */
import type { HostedProvider, HostedProviderName, ProviderCredentials } from './hosted-provider.ts';

/**
 * Returns the provider with the credentials of a merchant.
 * @throws Error if the service has no adapter for the provider
 */
export function hostedProviderFor(
  name: HostedProviderName,
  _credentials: ProviderCredentials,
): HostedProvider {
  throw new Error(`There is no adapter for the provider ${name}.`);
}
