/** Defines how checkouts are stored, and the names that lead from a provider's reference to a payment or a refund. */
import { isRecordId, type Owner } from '../../../base/ids.ts';
import { currencies } from '../../../base/money.ts';
import { tableKeys } from '../../../store/keys.ts';
import { defineRecordType, type LoadedRecord } from '../../../store/records.ts';
import { instant, oneOf, optional, positive, text, textOf } from '../../../store/stored-fields.ts';
import type { HostedProviderName } from '../provider/hosted-provider.ts';
import type { Checkout, ProviderReferenceName } from './checkout.ts';

export const checkoutType = defineRecordType<Checkout>({
  isId: (id) => isRecordId('checkout', id),
  keyOf: (_, id) => tableKeys.record(id),
  idIn: 'pk',
  attributes: {
    provider: textOf<HostedProviderName>(),
    invoiceId: text,
    contentVersion: positive,
    amount: positive,
    currency: oneOf(...currencies),
    description: text,
    customerEmail: optional(text),
    returnUrl: text,
    createdAt: instant,
    openUntil: instant,
    reference: optional(text),
    redirectUrl: optional(text),
    paymentId: optional(text),
    hasMismatch: optional(oneOf(true)),
  },
});

export const providerReferenceType = defineRecordType<ProviderReferenceName>({
  isId: (id) => id.startsWith('PROVIDERREFERENCE#'),
  keyOf: (_, id) => ({ pk: id, sk: 'REFERENCE' }),
  idIn: 'pk',
  attributes: { record: text },
});

/** The loaded record of a checkout that does not exist yet. */
export const absentCheckout = ({ account, mode }: Owner, id: string): LoadedRecord<Checkout> => ({
  type: checkoutType,
  owner: { account, mode },
  id,
  record: undefined,
});

/**
 * Returns the id of the name of a payment or a refund.
 * @param reference the id of the payment or refund at the provider
 */
export function providerReferenceId(
  owner: Owner,
  provider: HostedProviderName,
  resource: 'payment' | 'refund',
  reference: string,
): string {
  return tableKeys.providerReference(owner, provider, resource, reference).pk;
}

/** Returns a new name. @param record the id of the payment or refund that it leads to */
export const newProviderReference = (
  { account, mode }: Owner,
  id: string,
  record: string,
): ProviderReferenceName => ({ account, mode, id, version: 1, status: 'named', record });
