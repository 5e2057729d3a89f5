/** Finds the address to which the mails about an invoice go. */
import { isEmail } from '../../base/email.ts';
import { isRecordId } from '../../base/ids.ts';
import type { Customer } from '../customers/customer.ts';

/** Reads a customer. Undefined: it does not exist. */
export type FindCustomer = (id: string) => Promise<Customer | undefined>;

/** The parts of an invoice that say to whom its mails go. */
export interface Addressed {
  readonly customerId: string;
  readonly buyer?: { readonly email?: string | null | undefined } | null | undefined;
}

/**
 * Returns the address of the buyer, of the customer, or the customer ID if it is an address. Undefined: there is none.
 * @throws the error of `findCustomer`
 */
export async function recipientOf(
  { buyer, customerId }: Addressed,
  findCustomer: FindCustomer,
): Promise<string | undefined> {
  if (buyer?.email != null) return buyer.email;
  if (isEmail(customerId)) return customerId;
  if (!isRecordId('customer', customerId)) return undefined;
  const customer = await findCustomer(customerId);
  return customer?.status === 'active' ? (customer.email ?? undefined) : undefined;
}
