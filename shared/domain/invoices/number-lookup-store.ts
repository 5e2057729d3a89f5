/** Finds an invoice by its number, as the search does. */
import type { Owner } from '../../base/ids.ts';
import { tableHasher } from '../../platform/secrets/deployment-secret.ts';
import { queryNewest } from '../../store/search/query-entries.ts';
import { comparableTerm, termLookup } from '../../store/search/search-entries.ts';

/**
 * Returns the id of the invoice that has a document with the number: its own, or that of a receipt or a credit note. Undefined: there is
 * none. One call.
 */
export async function findInvoiceByNumber(owner: Owner, number: string): Promise<string | undefined> {
  const lookup = termLookup(await tableHasher(), { kind: 'number', value: comparableTerm(number) });
  const [id] = await queryNewest(owner, lookup, 1);
  return id;
}
