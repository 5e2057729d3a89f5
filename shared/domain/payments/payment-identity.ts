/** Identifies new payments. It loads nothing of providers, for functions that only create invoices. Pure. */
import { recordId } from '../../base/ids.ts';
import type { Principal } from '../../store/account-state.ts';
import type { LoadedRecord } from '../../store/records.ts';
import type { Payment } from './payment.ts';
import type { NewPaymentIdentity } from './payment-changes.ts';
import { paymentType } from './record.ts';

/** Returns the identity of a new payment: its owner, sequence number and id. */
export function identifyPayment({ owner, idKeys, seq }: Principal): NewPaymentIdentity {
  return { ...owner, seq, id: recordId(idKeys.of(seq), { ...owner, resource: 'payment' }, seq) };
}

/** The loaded record of a payment that does not exist yet. */
export const absentPayment = ({ account, mode, id }: NewPaymentIdentity): LoadedRecord<Payment> => ({
  type: paymentType,
  owner: { account, mode },
  id,
  record: undefined,
});
