/** Counts the failures of a hosted provider, so that adapters contain no metrics. */
import type { Owner } from '../../../base/ids.ts';
import { logger, serializeError } from '../../../base/log.ts';
import { metricFields } from '../../../base/metrics.ts';
import { isCredentialRefusal } from './credential-refusal.ts';
import { type HostedProvider, ProviderCallError } from './hosted-provider.ts';

type Operation =
  | 'begin'
  | 'status'
  | 'void'
  | 'payment'
  | 'listPayments'
  | 'refund'
  | 'refundStatus'
  | 'refunds';

/**
 * Returns a provider that does the same, and writes a log line with the account and metrics for each failed call:
 *
 * - `ProviderErrors` and `ProviderFailures`: the call could not be made, or its answer was not understood.
 * - `CredentialRefusals`: the provider does not accept the credentials, or they lack a permission.
 *
 * Calls that succeed write nothing. `check` is not observed, because its caller shows the failure to a person.
 * @param owner the account and mode of the connection
 */
export function observedProvider(provider: HostedProvider, owner: Owner): HostedProvider {
  const observe = async <T>(operation: Operation, call: () => Promise<T>): Promise<T> => {
    try {
      return await call();
    } catch (error) {
      const status = error instanceof ProviderCallError ? error.status : undefined;
      const isRefused = isCredentialRefusal(status);
      reportFailure(
        provider,
        owner,
        operation,
        { ProviderErrors: 1, ProviderFailures: 1, ...(isRefused && refusal) },
        error,
      );
      throw error;
    }
  };
  return {
    name: provider.name,
    abilities: provider.abilities,
    begin: async (request) => {
      const begun = await observe('begin', () => provider.begin(request));
      if (begun.kind === 'refused' && begun.reason === 'credentials')
        reportFailure(provider, owner, 'begin', refusal);
      return begun;
    },
    status: (...parameters) => observe('status', () => provider.status(...parameters)),
    void: (...parameters) => observe('void', () => provider.void(...parameters)),
    payment: (reference) => observe('payment', () => provider.payment(reference)),
    listPayments: (...parameters) => observe('listPayments', () => provider.listPayments(...parameters)),
    refund: (request) => observe('refund', () => provider.refund(request)),
    refundStatus: (request) => observe('refundStatus', () => provider.refundStatus(request)),
    refunds: (reference) => observe('refunds', () => provider.refunds(reference)),
    readNotification: (...parameters) => provider.readNotification(...parameters),
    check: () => provider.check(),
  };
}

const refusal = { CredentialRefusals: 1 } as const;

function reportFailure(
  { name: provider }: HostedProvider,
  { account, mode }: Owner,
  operation: Operation,
  values: Parameters<typeof metricFields>[0],
  error?: unknown,
): void {
  logger.warn('a call to a payment provider failed', {
    account,
    mode,
    ...metricFields(values, { provider, operation }),
    ...(error !== undefined && { error: serializeError(error) }),
  });
}
