/** Gives new invoices their ids, payment URLs and payment references. Pure. */
import { recordId } from '../../base/ids.ts';
import type { Principal } from '../../store/account-state.ts';
import { paymentReferenceOf, type ReferenceScope } from './payment-reference.ts';
import { paymentUrlOf } from './record.ts';

/** Returns the id of a new invoice, with the sequence number that was allocated for it. */
export function newInvoiceId({ owner, idKeys, seq }: Principal): string {
  return recordId(idKeys.of(seq), { ...owner, resource: 'invoice' }, seq);
}

/** Returns the identity of a new invoice, with the sequence number that was allocated for it. */
export function newInvoiceIdentity(principal: Principal) {
  const { owner, idKeys, seq, seller } = principal;
  const id = newInvoiceId(principal);
  const paymentReference = paymentReferenceOf(referenceScopeOf({ owner, idKeys }), seq);
  const documented = seller && { isDocumented: true as const, sellerState: seller.state };
  return { ...owner, id, seq, paymentUrl: paymentUrlOf(id), paymentReference, ...documented };
}

/** References are computed with the id key of the number 1, so that two numbers never have the same reference. */
export const referenceScopeOf = ({ owner, idKeys }: Pick<Principal, 'owner' | 'idKeys'>): ReferenceScope => ({
  ...owner,
  idKey: idKeys.of(1),
});
