/** Asks the provider of a connection something, for work that continues if the provider does not answer. */
import type { Owner } from '../../../base/ids.ts';
import { logger, serializeError } from '../../../base/log.ts';
import { answerWithin } from '../provider/answer-within.ts';
import { isCredentialRefusal } from '../provider/credential-refusal.ts';
import {
  type HostedProvider,
  type HostedProviderName,
  ProviderCallError,
} from '../provider/hosted-provider.ts';
import { openProvider } from './open-provider.ts';

export interface ProviderQuestion {
  readonly owner: Owner;
  readonly provider: HostedProviderName;
  /** How long to wait for the answer, in milliseconds. */
  readonly waitMs: number;
  /** The record that the question is about. The log line of a missing answer contains it. */
  readonly about: Readonly<Record<string, string>>;
}

/**
 * Calls the provider.
 * @param call makes one call of the port, and no other
 * @param withoutAccess is returned if there is no connection or if the provider refuses its credentials, unless it is undefined
 * @returns the answer, or undefined if the provider does not answer or its connection does not exist
 * @throws the errors of the table and of the secrets: they say nothing about the provider, so the work must fail
 */
export async function askProvider<T>(
  { owner, provider: name, waitMs, about }: ProviderQuestion,
  call: (provider: HostedProvider) => Promise<T>,
  withoutAccess?: T,
): Promise<{ readonly value: T } | undefined> {
  const provider = await openProvider(owner, name);
  try {
    if (!provider) throw new ProviderCallError(`The connection to ${name} does not exist.`);
    return { value: await answerWithin(call(provider), waitMs) };
  } catch (error) {
    if (!(error instanceof ProviderCallError)) throw error;
    const { account, mode } = owner;
    logger.warn('a provider did not answer', {
      account,
      mode,
      ...about,
      provider: name,
      error: serializeError(error),
    });
    const hasAccess = provider !== undefined && !isCredentialRefusal(error.status);
    return hasAccess || withoutAccess === undefined ? undefined : { value: withoutAccess };
  }
}
