/** Chooses the provider on whose page the payers of an account pay. Pure. */
import type { Currency } from '../../money.ts';
import type { Connection } from '../connections/connection.ts';
import { connectionFor } from '../connections/store.ts';
import type { HostedProviderName } from '../provider/hosted-provider.ts';

/** Returns the provider. `none`: the account has connected providers, and none takes the currency. */
export function checkoutProviderOf(
  connections: readonly Connection[],
  currency: Currency,
): HostedProviderName | 'none' | undefined {
  if (connections.every(({ disconnectedAt }) => disconnectedAt !== undefined)) return undefined;
  return connectionFor(connections, currency)?.provider ?? 'none';
}
