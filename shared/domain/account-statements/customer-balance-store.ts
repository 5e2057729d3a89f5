/** Reads what a customer owes. Writes nothing. */
import type { FreeCredits } from '../payments/credit-store.ts';
import { type Balance, type BalanceDay, balancesOf } from './balance.ts';
import { type CustomerIndexes, maxOfCustomer, type Reader, readOpenInvoices } from './statement-store.ts';

/** What is read of a customer before its open invoices. */
export interface BalanceSources extends Pick<CustomerIndexes, 'invoices'> {
  readonly credits: FreeCredits;
}

/**
 * Reads the balances of a customer. One call in sequence.
 * @param most adds up at most so many open invoices, the newest ones
 * @returns `hasMore`: the customer has more open invoices, or more payments with credit than were read
 */
export async function readCustomerBalance(
  reader: Reader,
  { invoices, credits }: BalanceSources,
  day: BalanceDay,
  most = maxOfCustomer,
): Promise<{ readonly balances: readonly Balance[]; readonly hasMore: boolean }> {
  const open = await readOpenInvoices(reader, invoices, most);
  return {
    balances: balancesOf(open.invoices, credits.payments, day),
    hasMore: open.hasMore || credits.hasMore,
  };
}
