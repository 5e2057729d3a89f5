/** Reads checkouts, and asks providers about them within a time limit. */
import type { Owner } from '../../ids.ts';
import { type LoadedRecord, readRecord, readRecordOfAnyAccount } from '../../store/records.ts';
import { type HostedProviderName, ProviderCallError } from '../provider/hosted-provider.ts';
import type { Checkout, ProviderPaymentName } from './checkout.ts';
import { checkoutType, providerPaymentId, providerPaymentType } from './record.ts';

/** Reads one checkout. */
export function readCheckout(owner: Owner, id: string): Promise<LoadedRecord<Checkout>> {
  return readRecord(checkoutType, owner, id);
}

/** Reads a checkout of any account, on behalf of the service itself. Returns undefined if it does not exist. */
export function readCheckoutOfAnyAccount(id: string): Promise<LoadedRecord<Checkout> | undefined> {
  return readRecordOfAnyAccount(checkoutType, id);
}

/** Returns the id of the payment that has a reference at a provider, or undefined if no payment has it. */
export async function findProviderPayment(
  owner: Owner,
  provider: HostedProviderName,
  reference: string,
): Promise<string | undefined> {
  const name: LoadedRecord<ProviderPaymentName> = await readRecord(
    providerPaymentType,
    owner,
    providerPaymentId(owner, provider, reference),
  );
  return name.record?.paymentId;
}

/** How long a request may wait for a provider, and how long a worker may, in milliseconds. */
export const providerWaitMs = { request: 8_000, worker: 20_000 } as const;

/**
 * Waits for a call to a provider.
 * @throws ProviderCallError if the call does not answer in time. It can still have an effect.
 */
export async function answerWithin<T>(call: Promise<T>, waitMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new ProviderCallError(`The provider did not answer within ${waitMs} ms.`)),
      waitMs,
    );
  });
  try {
    return await Promise.race([call, late]);
  } finally {
    clearTimeout(timer);
  }
}
