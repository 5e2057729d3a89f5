/** Reads what the list of customers shows. Writes nothing. */
import type * as v from 'valibot';
import type { Owner } from '../../../base/ids.ts';
import type { Instant } from '../../../base/time.ts';
import type { listCustomersQuery } from '../../../domain/customers/customer.ts';
import { listCustomerPage, readCustomerIndex } from '../../../domain/customers/customer-store.ts';
import { readAccountUsage } from '../../../store/account-usage-store.ts';

/** Reads a page of the list of customers, with the exact total. Two calls in sequence. */
export async function readCustomers(
  owner: Owner,
  { email, offset, limit }: v.InferOutput<typeof listCustomersQuery>,
  now: Instant,
) {
  const [{ principal }, view] = await Promise.all([
    readAccountUsage(owner, now),
    readCustomerIndex(owner, email),
  ]);
  return listCustomerPage(principal, view, { email, offset, limit, isReadOnly: true });
}
