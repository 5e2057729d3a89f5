/** Says what leads to a customer in a search: the name and the reference. The list of an email address is another way. Pure. */
import { comparableTerm, type Searched } from '../../store/search/search-entries.ts';
import type { Customer } from './customer.ts';

/** Returns what leads to a customer. Nothing leads to a deleted one. */
export function searchedCustomer(customer: Customer | undefined): Searched | undefined {
  if (customer?.status !== 'active') return undefined;
  const { account, mode, id, createdAt, name, reference } = customer;
  const terms =
    reference === null ? [] : [{ kind: 'customer reference' as const, value: comparableTerm(reference) }];
  return { account, mode, id, createdAt, terms, name: name ?? undefined };
}
