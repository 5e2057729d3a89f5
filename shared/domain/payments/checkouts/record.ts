/** Defines how checkouts are stored, and the names that lead from a provider's reference to a payment. */
import { isRecordId, type Owner } from '../../../base/ids.ts';
import { currencies } from '../../../base/money.ts';
import { tableKeys } from '../../../store/keys.ts';
import { defineRecordType, type LoadedRecord } from '../../../store/records.ts';
import { instant, oneOf, optional, positive, text, textOf } from '../../../store/stored-fields.ts';
import type { HostedProviderName } from '../provider/hosted-provider.ts';
import type { Checkout, ProviderPaymentName } from './checkout.ts';

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

export const providerPaymentType = defineRecordType<ProviderPaymentName>({
  isId: (id) => id.startsWith('PROVIDERPAYMENT#'),
  keyOf: (_, id) => ({ pk: id, sk: 'PAYMENT' }),
  idIn: 'pk',
  attributes: { paymentId: text },
});

/** The loaded record of a checkout that does not exist yet. */
export const absentCheckout = ({ account, mode }: Owner, id: string): LoadedRecord<Checkout> => ({
  type: checkoutType,
  owner: { account, mode },
  id,
  record: undefined,
});

/** Returns the id of the name of a payment. @param reference the id of the payment at the provider */
export function providerPaymentId(
  { account, mode }: Owner,
  provider: HostedProviderName,
  reference: string,
): string {
  return tableKeys.providerPayment(`${provider}#${account}#${mode}#${reference}`).pk;
}
