/** Defines the connection of an account and mode to a hosted provider. */
import type { Owner } from '../../ids.ts';
import type { Currency } from '../../money.ts';
import type { Instant } from '../../time.ts';
import type { HostedProviderName } from '../provider/hosted-provider.ts';

/** A connection, without its credentials. An account and mode has at most one for each provider. */
export interface Connection extends Owner {
  readonly provider: HostedProviderName;
  /** The currencies that the merchant's account at the provider takes. */
  readonly currencies: readonly Currency[];
  /** The name that the provider has for the merchant's account. */
  readonly accountName: string;
  readonly connectedAt: Instant;
  /** No new checkout begins since then. Refunds and open checkouts of the provider still work. */
  readonly disconnectedAt: Instant | undefined;
}
