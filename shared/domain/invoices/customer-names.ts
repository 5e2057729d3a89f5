/**
 * Finds the names of customers where records have only the ID of one.
 *
 * - The name is that of the customer now. A buyer on the invoice itself has the name that the invoice says.
 * - One call reads the names of up to 100 records.
 */
import type { Owner } from '../../base/ids.ts';
import { tableKeys } from '../../store/keys.ts';
import { fromItems, readItems } from '../../store/records.ts';
import type { Customer } from '../customers/customer.ts';
import { customerType } from '../customers/record.ts';
import type { Invoice } from './invoice.ts';
import { invoiceType } from './record.ts';

/** What stands in place of the name of a customer whose data no longer exists. */
export const customerStates = { deleted: 'Deleted customer', erased: 'Erased customer' } as const;

/** A record that names a customer. */
export interface OfCustomer {
  readonly customerId: string;
  /** The buyer that an invoice itself carries. */
  readonly buyer?: { readonly name: string } | null | undefined;
  /** The invoice of a payment, whose buyer has a name. Absent: the record has its own buyer, or none. */
  readonly invoiceId?: string | undefined;
}

/** The customers that records name, and the invoices of payments, by their IDs. What does not exist is absent. */
export interface CustomerNames {
  readonly customers: ReadonlyMap<string, Pick<Customer, 'id' | 'name' | 'email' | 'status'>>;
  readonly invoices: ReadonlyMap<string, Pick<Invoice, 'buyer'>>;
}

/** The names for records that have none to read. */
export const noNames: CustomerNames = { customers: new Map(), invoices: new Map() };

/** The form of `newPseudonym`, which replaces the ID of an erased customer. */
const pseudonym = /^erased-[0-9a-z]{16}$/;

/**
 * Reads the customers of up to 100 records in one call, and in no call if none has a customer or an invoice to read. A malformed
 * item counts as absent, so the record shows the ID.
 */
export async function readCustomerNames(
  owner: Owner,
  records: readonly OfCustomer[],
): Promise<CustomerNames> {
  const ids = [...new Set(records.flatMap((record) => idToRead(record) ?? []))];
  if (ids.length === 0) return noNames;
  const items = await readItems(ids.map(tableKeys.record));
  const ofType = (type: { isId: (id: string) => boolean }) => items.filter(({ pk }) => type.isId(String(pk)));
  return {
    customers: fromItems(customerType, owner, ofType(customerType)).records,
    invoices: fromItems(invoiceType, owner, ofType(invoiceType)).records,
  };
}

function idToRead({ buyer, customerId, invoiceId }: OfCustomer): string | undefined {
  if (customerType.isId(customerId)) return customerId;
  return buyer || pseudonym.test(customerId) ? undefined : invoiceId;
}

/** Returns the name of the customer of a record, or what it is called without one. */
export function recordCustomerName(
  { customers, invoices }: CustomerNames,
  { buyer, customerId, invoiceId = '' }: OfCustomer,
): string {
  const customer = customers.get(customerId);
  if (customer) return customer.status === 'active' ? customerNameOf(customer) : customerStates.deleted;
  const own = buyer ?? invoices.get(invoiceId)?.buyer;
  return own?.name ?? (pseudonym.test(customerId) ? customerStates.erased : customerId);
}

/** Returns what people call a customer: the name, or else the email address. */
export const customerNameOf = ({ name, email, id }: Pick<Customer, 'id' | 'name' | 'email'>): string =>
  name ?? email ?? id;
