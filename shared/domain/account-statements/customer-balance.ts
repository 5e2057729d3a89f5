/** Reads what a customer owes, and defines the answer of the API. Writes nothing. */
import * as v from 'valibot';
import { sumSchema } from '../../base/exact-sum.ts';
import { currencySchema } from '../../base/money.ts';
import { customerFilter } from '../invoices/invoice.ts';
import { currencySummarySchema } from '../journal/summary.ts';
import type { FreeCredits } from '../payments/credit-store.ts';
import { type Balance, type BalanceDay, balancesOf } from './balance.ts';
import { type CustomerIndexes, maxOfCustomer, type Reader, readOpenInvoices } from './statement-store.ts';

/** The query of a balance. */
export const balanceQuery = /* @__PURE__ */ v.strictObject({ customerId: customerFilter });

const { outstanding, overdue, ages } = currencySummarySchema.entries;

/** The balance of a customer in a currency. */
export const currencyBalanceSchema = v.strictObject({
  currency: currencySchema,
  outstanding,
  overdue,
  ages,
  credit: sumSchema,
});

export const balanceSchema = v.strictObject({
  customerId: v.string(),
  timeZone: v.string(),
  today: v.string(),
  asOf: v.string(),
  hasMore: v.boolean(),
  currencies: v.array(currencyBalanceSchema),
});

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
