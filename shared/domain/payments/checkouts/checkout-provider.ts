/** Chooses the provider on whose page the payers of an account pay. Pure. */
import type { Invoice } from '../../invoices/invoice.ts';
import type { Connection } from '../connections/connection.ts';
import { connectionFor } from '../connections/connection.ts';
import type { HostedProviderName } from '../provider/hosted-provider.ts';

/** Returns the provider. `none`: the account has connected providers, and none takes the currency or the amount. */
export function checkoutProviderOf(
  connections: readonly Connection[],
  { currency, amount }: Pick<Invoice, 'currency' | 'amount'>,
): HostedProviderName | 'none' | undefined {
  if (connections.every(({ disconnectedAt }) => disconnectedAt !== undefined)) return undefined;
  return connectionFor(connections, currency, amount)?.provider ?? 'none';
}
