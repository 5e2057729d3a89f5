/** Says what a customer is as a buyer, for the taxes of an invoice that names it. Pure. */
import type { Buyer } from '../parties/buyer.ts';
import { checkGstin, isGstinType } from '../parties/gstin.ts';
import type { Customer } from './customer.ts';

/** Returns a customer as a buyer. Tax IDs of customers are not checked when they are stored, so a GSTIN that is not valid is left out. */
export function buyerOfCustomer({ name, email, address, taxIds }: Customer): Buyer {
  const valid = taxIds.flatMap(({ type, value }) => {
    if (!isGstinType(type)) return [{ type, value }];
    const checked = checkGstin(value);
    return checked.problem === undefined ? [{ type, value: checked.value }] : [];
  });
  return { name: name ?? '', email, address, deliveryAddress: null, taxIds: valid };
}
