/** Reads what the list of customers shows. Writes nothing. */
import type { Owner } from '../../../base/ids.ts';
import type { Instant } from '../../../base/time.ts';
import type { Customer, ListCustomers } from '../../../domain/customers/customer.ts';
import { findCustomers, listCustomerPage } from '../../../domain/customers/customer-list-store.ts';
import { readCustomer } from '../../../domain/customers/customer-store.ts';
import { customerType } from '../../../domain/customers/record.ts';
import { readAccountUsage } from '../../../store/account-usage-store.ts';
import type { Selection } from '../../../store/lists/pages/index-view.ts';

/** The names of the parameters by which the list is filtered. */
export const customerFilterNames = ['name', 'email', 'reference', 'createdFrom', 'createdTo'] as const;

/** Reads a page of the list of customers, with the exact total. Two calls in sequence. */
export async function readCustomers(
  owner: Owner,
  query: ListCustomers & Pick<Selection, 'order'>,
  now: Instant,
) {
  const [{ principal }, source] = await Promise.all([
    readAccountUsage(owner, now),
    findCustomers(owner, query),
  ]);
  return listCustomerPage(principal, source, { ...query, isReadOnly: true });
}

/** Reads a customer. Returns undefined if it does not exist, or is deleted. */
export async function findCustomer(owner: Owner, id: string): Promise<Customer | undefined> {
  if (!customerType.isId(id)) return undefined;
  const { record } = await readCustomer(owner, id);
  return record?.status === 'active' ? record : undefined;
}
