/** Reads checkouts, and finds payments by their reference at a provider. */
import type { Owner } from '../../../base/ids.ts';
import { type LoadedRecord, readRecord, readRecordOfAnyAccount } from '../../../store/records.ts';
import type { HostedProviderName } from '../provider/hosted-provider.ts';
import type { Checkout, ProviderReferenceName } from './checkout.ts';
import { checkoutType, providerReferenceId, providerReferenceType } from './record.ts';

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
  const name: LoadedRecord<ProviderReferenceName> = await readRecord(
    providerReferenceType,
    owner,
    providerReferenceId(owner, provider, 'payment', reference),
  );
  return name.record?.record;
}
