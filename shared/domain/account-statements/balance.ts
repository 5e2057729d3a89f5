/** Computes what a customer owes, by currency and age, as the summary of the account does. Pure. */
import { addSums, type Sum } from '../../base/exact-sum.ts';
import { type Currency, currencies } from '../../base/money.ts';
import { dueDayIn } from '../accounts/fiscal-year.ts';
import type { Invoice } from '../invoices/invoice.ts';
import { amountDueOf } from '../invoices/received-money.ts';
import { agesOf } from '../journal/summarize.ts';
import type { Ages } from '../journal/summary.ts';
import { outstanding } from '../journal/sums.ts';

/** What is outstanding in a currency. */
export interface Balance {
  readonly currency: Currency;
  readonly outstanding: Sum;
  readonly ages: Ages;
}

/**
 * Returns the balances of the currencies in which something is due.
 * @param today the day in the time zone, as `YYYY-MM-DD`
 * @param timeZone an IANA name. It decides on which day an invoice is due
 */
export function balancesOf(
  invoices: readonly Invoice[],
  today: string,
  timeZone: string,
): readonly Balance[] {
  return currencies.flatMap((currency) => {
    const open = invoices.filter((invoice) => invoice.currency === currency && amountDueOf(invoice) > 0);
    if (open.length === 0) return [];
    const days = open.map((invoice) => ({
      day: dueDayIn(timeZone, Date.parse(invoice.dueDate)),
      item: { [`${currency}:${outstanding}`]: amountDueOf(invoice) },
    }));
    const total = open.reduce<Sum>((sum, invoice) => addSums(sum, amountDueOf(invoice)), 0);
    return [{ currency, outstanding: total, ages: agesOf(currency, today, days, total) }];
  });
}
